// What is kept for a client that does not read: the bytes on their way to it, which its socket has, and nothing else.
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { Service } from '../../../src/server/service.js'
import { defaultTimeouts } from '../../../src/server/transport/timeouts.js'
import { WebSocketConnection } from '../../../src/server/transport/web-socket-connection.js'
import { fakeBackend } from '../../rpc/fake-backend.js'
import { head } from './start-app.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const mebibyte = 1_048_576
/** Answers of a megabyte each. */
const members = {
  head,
  stateAt: () => ({ code: () => new Uint8Array(500_000), account: () => ({}) }) as never,
  tagNumber: () => 800,
  header: head as never,
}

/** Bytes of strings, objects and buffers that somebody needs. */
function used(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** A WebSocket that never says that what was sent has gone, and does not keep it. */
class UnreadSocket extends EventEmitter {
  readonly waiting: (() => void)[] = []

  send(_data: string | Uint8Array, _options: object, done: () => void): void {
    this.waiting.push(done)
  }

  ping(): void {}
  close(): void {}
  terminate(): void {}
  pause(): void {}
  resume(): void {}
}

it('keeps neither the messages nor the texts of answers that wait for a client', async () => {
  const service = new Service({ backend: fakeBackend(members) })
  const socket = new UnreadSocket()
  const caller = service.keys.find(undefined)!
  const connection = new PassThrough()
  new WebSocketConnection(socket, { service, caller, timeouts: defaultTimeouts, connection })
  const request = `{"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["0x${'11'.repeat(20)}","latest"]}`
  const before = used()
  for (let i = 1; i <= 20; i++) {
    socket.emit('message', Buffer.from(request.padEnd(mebibyte)))
    await expect.poll(() => socket.waiting.length).toBe(i)
  }
  // Far below the 40 MiB of all messages and answers, and above what the last one and the rest of the process may hold.
  expect(used() - before).toBeLessThan(12 * mebibyte)
  for (const done of socket.waiting) done()
  await expect.poll(() => service.bytes.held).toBe(0)
  service.close()
})
