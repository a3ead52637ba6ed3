// The service under attack as an attacker knows it, and the ways to send bytes to it.
import { once } from 'node:events'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { connectWebSocket, type TestWebSocket } from '../transport/web-socket-client.js'

/** Where the service listens, and what an attacker has of it. */
export interface Target {
  readonly pid: number
  readonly port: number
  readonly operationsPort: number
  /** Whether the port of clients speaks TLS. */
  readonly secure: boolean
  /** A key of each plan. */
  readonly keys: Readonly<Record<'wide' | 'rated' | 'narrow' | 'fleeting', string>>
  /** Files that the service reads again on SIGHUP. */
  readonly reloaded: readonly ReloadedFiles[]
}

/** Files that are replaced together, and the sets of contents that they may have. */
export interface ReloadedFiles {
  readonly paths: readonly string[]
  /** For each set the content of each file. */
  readonly contents: readonly (readonly string[])[]
}

const host = '127.0.0.1'

/** Opens a connection to the port of clients, or to another one. An error ends the connection. */
export async function openSocket(target: Target, port = target.port): Promise<Socket> {
  const isSecure = target.secure && port === target.port
  const socket = isSecure
    ? connectTls({ host, port, rejectUnauthorized: false })
    : connect({ host, port, allowHalfOpen: true })
  await once(socket, isSecure ? 'secureConnect' : 'connect')
  return socket.on('error', () => socket.destroy())
}

/** Opens a WebSocket. Rejects if it is refused. */
export async function openWebSocket(target: Target, path: string): Promise<TestWebSocket> {
  const url = `${target.secure ? 'https' : 'http'}://${host}:${target.port}${path}`
  const client = await connectWebSocket(url, { rejectUnauthorized: false, maxPayload: 2 ** 28 })
  client.socket.on('error', () => client.socket.terminate())
  return client
}

export interface Response {
  readonly status: number
  readonly body: string
}

/** Sends JSON on a connection of its own. Rejects if the connection ends or `limitMilliseconds` pass before the response. */
export function post(
  target: Target,
  path: string,
  body: Buffer | string,
  limitMilliseconds = 90_000,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = (target.secure ? requestHttps : requestHttp)({
      host,
      port: target.port,
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      agent: false,
      rejectUnauthorized: false,
      signal: AbortSignal.timeout(limitMilliseconds),
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString() }),
      )
    })
    request.end(body)
  })
}

/** The bytes of a POST with JSON. */
export function postBytes(path: string, body: string, headers = ''): Buffer {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** Sends bytes and returns what comes back until `isEnough`, or the end of the connection; undefined if time is up before. */
export async function exchange(
  socket: Socket,
  bytes: Buffer,
  isEnough: (received: string) => boolean,
  limitMilliseconds: number,
): Promise<string | undefined> {
  const over = new AbortController()
  let received = ''
  const answered = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      if (isEnough(received)) resolve(received)
    })
    socket.on('end', () => resolve(received)).on('close', () => resolve(received))
  })
  const late = sleep(limitMilliseconds, undefined, { signal: over.signal }).catch(() => undefined)
  try {
    socket.write(bytes)
    return await Promise.race([answered, late])
  } finally {
    over.abort()
    socket.destroy()
  }
}
