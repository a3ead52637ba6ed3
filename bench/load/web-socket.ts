// A WebSocket that costs little itself: one request at a time, the response as bytes.
import { createRequire } from 'node:module'
import type { Connection } from '../../src/cli/bench/http-connection.js'

interface RawWebSocket {
  send(text: string): void
  readonly readyState: number
  terminate(): void
  on(event: string, listener: (...values: never[]) => void): this
}

const { WebSocket } = createRequire(import.meta.url)('ws') as {
  WebSocket: new (url: string, options: object) => RawWebSocket
}

/** Opens a WebSocket. */
export async function openWebSocket(url: string): Promise<Connection> {
  const options = { perMessageDeflate: false, skipUTF8Validation: true, maxPayload: 2 ** 28 }
  const socket = new WebSocket(url.replace(/^http/, 'ws'), options)
  let waiting: { resolve(body: Buffer): void; reject(error: Error): void } | undefined
  const fail = (error?: Error) => waiting?.reject(error ?? new Error('the WebSocket was closed'))
  socket.on('message', (data: Buffer) => {
    waiting?.resolve(data)
    waiting = undefined
  })
  await new Promise<void>((resolve, reject) => socket.on('open', resolve).on('error', reject))
  socket.on('error', fail).on('close', () => fail())
  return {
    ask: (body) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.send(body)
      }),
    get isOpen() {
      return socket.readyState === 1
    },
    close: () => socket.terminate(),
  }
}
