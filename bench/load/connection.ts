// Clients that cost little themselves: one request at a time on one connection, the answer as bytes. HTTP is read from
// the socket with as much of the protocol as Node's and Go's servers use.
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** A connection on which one request is under way at a time. */
export interface Connection {
  /** The answer's bytes; they may alias a buffer of the connection and hold until the next call. */
  ask(body: string): Promise<Buffer>
  close(): void
}

const lineEnd = Buffer.from('\r\n')
const headersEnd = Buffer.from('\r\n\r\n')

/** Opens a connection over HTTP, or HTTPS with any certificate. */
export async function openHttp(url: string): Promise<Connection> {
  const { protocol, hostname, port, host, pathname } = new URL(url)
  const address = { host: hostname, port: Number(port), noDelay: true }
  const isSecure = protocol === 'https:'
  const socket: Socket = isSecure ? connectTls({ ...address, rejectUnauthorized: false }) : connect(address)
  await once(socket, isSecure ? 'secureConnect' : 'connect')
  const start = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: `
  let received: Buffer = Buffer.alloc(0)
  let waiting: { resolve(body: Buffer): void; reject(error: Error): void } | undefined
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const body = readResponse(received)
    if (body === undefined) return
    received = Buffer.alloc(0)
    waiting?.resolve(body)
    waiting = undefined
  })
  const fail = (error?: Error) => waiting?.reject(error ?? new Error('the connection was closed'))
  socket.on('error', fail).on('close', () => fail())
  return {
    ask: (body) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(`${start}${Buffer.byteLength(body)}\r\n\r\n${body}`)
      }),
    close: () => socket.destroy(),
  }
}

/** The body of a response, undefined while it is not complete. Throws where the status is not 200. */
function readResponse(bytes: Buffer): Buffer | undefined {
  const end = bytes.indexOf(headersEnd)
  if (end < 0) return undefined
  const headers = bytes.toString('latin1', 0, end).toLowerCase()
  if (!headers.startsWith('http/1.1 200 ')) throw new Error(`unexpected answer: ${headers}`)
  const start = end + headersEnd.length
  const [, length] = /\r\ncontent-length: (\d+)/.exec(headers) ?? []
  if (length === undefined) return readChunks(bytes, start)
  return bytes.length < start + Number(length) ? undefined : bytes.subarray(start, start + Number(length))
}

function readChunks(bytes: Buffer, start: number): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let position = start; ; ) {
    const line = bytes.indexOf(lineEnd, position)
    if (line < 0) return undefined
    const length = Number.parseInt(bytes.toString('latin1', position, line), 16)
    const from = line + lineEnd.length
    if (bytes.length < from + length + lineEnd.length) return undefined
    if (length === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(from, from + length))
    position = from + length + lineEnd.length
  }
}

interface RawWebSocket {
  send(text: string): void
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
    close: () => socket.terminate(),
  }
}
