// Attacks by numbers: connections, bytes under way and answers that nobody reads. Each ends by itself within half a minute.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../random.js'
import type { TestWebSocket } from '../transport/web-socket-client.js'
import type { Attack } from './attack.js'
import { largeBodies } from './large-bodies.js'
import { endOf } from './request-attacks.js'
import { openSocket, openWebSocket, post, postBytes, type Target } from './target.js'

/** Time that a flood keeps its connections open. */
const holdMilliseconds = 12_000

const call = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'

/** Opens connections some at a time; those that are refused are left out. */
async function openMany<T>(count: number, open: (i: number) => Promise<T>): Promise<T[]> {
  const opened: T[] = []
  for (let at = 0; at < count; at += 20) {
    const some = Array.from({ length: Math.min(20, count - at) }, (_, i) => open(at + i))
    for (const result of await Promise.allSettled(some)) {
      if (result.status === 'fulfilled') opened.push(result.value)
    }
  }
  return opened
}

/** Waits while connections are open, then cuts them; counts those that the service ended before. */
async function hold(sockets: readonly Socket[], milliseconds = holdMilliseconds): Promise<string> {
  const end = performance.now() + milliseconds
  while (performance.now() < end && sockets.some(({ destroyed }) => !destroyed)) await sleep(100)
  const ended = sockets.filter(({ destroyed }) => destroyed).length
  for (const socket of sockets) socket.resetAndDestroy()
  return ended === 0
    ? 'held'
    : ended === sockets.length
      ? 'ended by the service'
      : 'some ended by the service'
}

/** Sends on a connection that reads nothing. */
function writeUnread(socket: Socket, ...bytes: readonly Buffer[]): void {
  socket.pause()
  for (const each of bytes) socket.write(each)
}

async function unreadWebSockets(
  target: Target,
  count: number,
  messages: number,
  body: string,
): Promise<string> {
  const clients = await openMany(count, () => openWebSocket(target, `/ws/v3/${target.keys.wide}`))
  for (const { socket } of clients) {
    socket.pause()
    for (let i = 0; i < messages; i++) socket.send(body)
  }
  return hold(clients.map(({ socket }) => socket._socket))
}

/** A frame of a masked binary message, of which `sent` bytes are sent. */
function frameOf(announced: number, sent: number): Buffer {
  const head = Buffer.alloc(14)
  head[0] = 0x82
  head[1] = 0xff
  head.writeBigUInt64BE(BigInt(announced), 2)
  return Buffer.concat([head, Buffer.alloc(sent, 0x20)])
}

const upgrade = (path: string) =>
  Buffer.from(
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n`,
  )

/** Floods, by name. */
const floods: Readonly<Record<string, (target: Target, random: Random) => Promise<string>>> = {
  async 'unread batches'(target, random) {
    const name = random.pick(['log queries over everything', 'full blocks'])
    const bytes = postBytes(`/v3/${target.keys.wide}`, String(largeBodies[name]!(random)))
    const sockets = await openMany(80, () => openSocket(target))
    for (const socket of sockets) writeUnread(socket, bytes)
    return hold(sockets)
  },

  'unread WebSocket': (target, random) =>
    unreadWebSockets(target, 1, 256, String(largeBodies['log queries over everything']!(random))),

  'unread WebSockets': (target, random) =>
    unreadWebSockets(target, 20, 30, String(largeBodies['full blocks']!(random))),

  async 'large frames on every path'(target, random) {
    const path = random.pick(['/', '/health', '/ready', '/metrics', `/ws/v3/${target.keys.wide}`])
    const frame = frameOf(33_000_000, 32_000_000)
    const sockets = await openMany(20, () => openSocket(target))
    for (const socket of sockets) {
      socket.resume()
      socket.write(upgrade(path))
    }
    await sleep(500)
    for (const socket of sockets) if (!socket.destroyed) socket.write(frame)
    return hold(sockets)
  },

  async 'large messages'(target, random) {
    const clients = await openMany(3, () => openWebSocket(target, `/ws/v3/${target.keys.wide}`))
    const body = `[${'1,'.repeat(random.pick([2_500_000, 16_000_000]))}1]`
    for (const { socket } of clients) socket.send(body)
    return hold(clients.map(({ socket }) => socket._socket))
  },

  async 'bodies that do not end'(target) {
    const bytes = postBytes(`/v3/${target.keys.wide}`, ' '.repeat(5_000_000)).subarray(0, -1)
    const sockets = await openMany(200, () => openSocket(target))
    for (const socket of sockets) {
      socket.resume()
      socket.write(bytes)
    }
    return hold(sockets)
  },

  async 'slow bodies'(target) {
    const bytes = postBytes(`/v3/${target.keys.wide}`, call)
    const sockets = await openMany(100, () => openSocket(target))
    for (const socket of sockets) socket.resume()
    const end = performance.now() + holdMilliseconds
    for (let at = 0; at < bytes.length && performance.now() < end; at += 4) {
      for (const socket of sockets) if (!socket.destroyed) socket.write(bytes.subarray(at, at + 4))
      await sleep(100)
    }
    return hold(sockets, 0)
  },

  async 'half requests'(target, random) {
    const bytes = postBytes(`/v3/${target.keys.wide}`, call)
    const sockets = await openMany(500, () => openSocket(target))
    for (const socket of sockets) {
      socket.resume()
      socket.write(bytes.subarray(0, 1 + random.below(bytes.length - 1)))
    }
    return hold(sockets, 2_000)
  },

  async 'slow readers'(target, random) {
    const bytes = postBytes(`/v3/${target.keys.wide}`, String(largeBodies['full blocks']!(random)))
    const sockets = await openMany(20, () => openSocket(target))
    for (const socket of sockets) writeUnread(socket, bytes)
    const end = performance.now() + holdMilliseconds
    while (performance.now() < end) {
      for (const socket of sockets) socket.read(1_024)
      await sleep(50)
    }
    return hold(sockets, 0)
  },

  async 'connections that come and go'(target) {
    const ended = await openMany(500, async () => {
      const socket = await openSocket(target)
      socket.write(postBytes(`/v3/${target.keys.wide}`, call))
      await once(socket, 'data')
      socket.resetAndDestroy()
    })
    return ended.length === 500 ? 'all answered' : 'some refused'
  },

  async 'idle WebSockets'(target) {
    const clients: TestWebSocket[] = await openMany(400, () =>
      openWebSocket(target, `/ws/v3/${target.keys.wide}`),
    )
    await sleep(2_000)
    for (const { socket } of clients) socket.terminate()
    return clients.length === 400 ? 'all accepted' : 'some refused'
  },

  async 'pipelined requests'(target, random) {
    const path = `/v3/${target.keys.wide}`
    const slow = postBytes(path, String(largeBodies['log queries over everything']!(random)))
    const h2c = postBytes(path, call, 'connection: upgrade\r\nupgrade: h2c\r\n')
    const socket = await openSocket(target)
    socket.resume()
    socket.write(Buffer.concat([slow, ...Array(60).fill(h2c), ...Array(500).fill(postBytes(path, call))]))
    return hold([socket], 5_000)
  },

  async 'full-size bodies at once'(target, random) {
    const names = Object.keys(largeBodies)
    const outcomes = Array.from({ length: 16 }, () => {
      const body = largeBodies[random.pick(names)]!(random)
      return post(target, `/v3/${target.keys.rated}`, body).then(({ status }) => String(status), endOf)
    })
    const kinds = new Set(await Promise.all(outcomes))
    return [...kinds].sort().join()
  },
}

/** Every flood. */
export const floodAttacks: readonly Attack[] = Object.entries(floods).map(([name, run]) => ({
  name,
  weight: 0.4,
  isFlood: true,
  run,
}))
