// A WebSocket client for tests, over the package ws: answers can be awaited, refusals and ends are values.
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'

/** What the tests use of a WebSocket of ws, which has no types of its own. */
interface RawWebSocket {
  /** The connection below it. */
  readonly _socket: Socket
  send(data: string | Buffer): void
  ping(): void
  close(code?: number): void
  terminate(): void
  pause(): void
  resume(): void
  on(event: string, listener: (...values: never[]) => void): this
}

const { WebSocket } = createRequire(import.meta.url)('ws') as {
  WebSocket: new (url: string, options?: object) => RawWebSocket
}

export interface Refusal {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A connection that was refused. */
export class RefusedError extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(`refused with ${refusal.status}`)
    this.refusal = refusal
  }
}

export interface TestWebSocket {
  readonly socket: RawWebSocket
  /** Everything received and not yet taken. */
  readonly messages: string[]
  /** Code and reason of the end. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** Pings received. */
  readonly pings: () => number
  send(message: unknown): void
  /** The next message, parsed; rejects where the connection ends first. */
  next(): Promise<unknown>
}

/** Connects; rejects with {@link RefusedError} where the upgrade is refused. */
export function connectWebSocket(url: string, options: object = {}): Promise<TestWebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), { perMessageDeflate: false, ...options })
    const messages: string[] = []
    const waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = []
    let pings = 0
    let ended: Error | undefined
    const closed = new Promise<{ code: number; reason: string }>((resolveClosed) => {
      socket.on('close', (code: number, reason: Buffer) => {
        ended = new Error(`closed with ${code}`)
        for (const { reject: fail } of waiting.splice(0)) fail(ended)
        resolveClosed({ code, reason: String(reason) })
      })
    })
    socket.on('ping', () => pings++)
    socket.on('message', (data: Buffer) => {
      const reader = waiting.shift()
      if (reader) reader.resolve(JSON.parse(String(data)))
      else messages.push(String(data))
    })
    socket.on('unexpected-response', (_request: never, response: IncomingMessage) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('close', () => {
        socket.terminate()
        reject(new RefusedError({ status: response.statusCode!, headers: response.headers, body }))
      })
    })
    socket.on('error', reject)
    const client: TestWebSocket = {
      socket,
      messages,
      closed,
      pings: () => pings,
      send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
      next: () =>
        new Promise((resolveNext, rejectNext) => {
          const message = messages.shift()
          if (message !== undefined) resolveNext(JSON.parse(message))
          else if (ended !== undefined) rejectNext(ended)
          else waiting.push({ resolve: resolveNext, reject: rejectNext })
        }),
    }
    socket.on('open', () => resolve(client))
  })
}

/** How an upgrade is refused. */
export async function refusedWebSocket(url: string, options: object = {}): Promise<Refusal> {
  try {
    const client = await connectWebSocket(url, options)
    client.socket.terminate()
  } catch (error) {
    if (error instanceof RefusedError) return error.refusal
    throw error
  }
  throw new Error('the upgrade was not refused')
}
