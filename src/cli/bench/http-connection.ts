// An HTTP connection that costs little itself, so that servers are measured: one request at a time, and as much of the
// protocol as the servers of Node and Go use.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** A connection on which one request is in flight at a time. */
export interface Connection {
  /** Body of the response. Throws if its status is not 200, or if the connection ends before. */
  ask(body: string): Promise<Buffer>
  readonly isOpen: boolean
  /** A request in flight fails with the reason. */
  close(reason?: Error): void
}

const lineEnd = Buffer.from('\r\n')
const headersEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('\r\n0\r\n\r\n')

/** Opens a connection over HTTP, or HTTPS with any certificate. Throws the error of the socket. */
export async function openHttp(url: string): Promise<Connection> {
  const { protocol, hostname, port, host, pathname } = new URL(url)
  const isSecure = protocol === 'https:'
  const address = { host: hostname, port: Number(port || (isSecure ? 443 : 80)), noDelay: true }
  const socket: Socket = isSecure ? connectTls({ ...address, rejectUnauthorized: false }) : connect(address)
  await once(socket, isSecure ? 'secureConnect' : 'connect')
  const start = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: `
  let response = new Response()
  let waiting: { resolve(body: Buffer): void; reject(error: Error): void } | undefined
  const fail = (error: Error) => {
    waiting?.reject(error)
    waiting = undefined
  }
  socket.on('data', (part) => {
    try {
      const body = response.add(part)
      if (body === undefined) return
      waiting?.resolve(body)
      waiting = undefined
      response = new Response()
    } catch (error) {
      fail(error as Error)
      socket.destroy()
    }
  })
  socket.on('error', fail).on('close', () => fail(new Error('the connection was closed')))
  return {
    ask: (body) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) throw new Error('the connection was closed')
        waiting = { resolve, reject }
        socket.write(`${start}${Buffer.byteLength(body)}\r\n\r\n${body}`)
      }),
    get isOpen() {
      return !socket.destroyed
    },
    close: (reason) => socket.destroy(reason),
  }
}

/** A response while it arrives. */
class Response {
  #parts: Buffer[] = []
  #length = 0
  #bodyStart: number | undefined
  /** Bytes of headers and body; undefined for chunks, which end where they say. */
  #expected: number | undefined

  /** Adds bytes and returns the body if it is complete. Throws if the status is not 200. */
  add(part: Buffer): Buffer | undefined {
    this.#parts.push(part)
    this.#length += part.length
    if (this.#bodyStart === undefined && !this.#readHeaders()) return undefined
    if (this.#expected !== undefined) {
      return this.#length < this.#expected ? undefined : this.#all().subarray(this.#bodyStart, this.#expected)
    }
    // Joining all parts each time would take quadratic time.
    const isLast = part.length < lastChunk.length || part.subarray(-lastChunk.length).equals(lastChunk)
    return isLast ? readChunks(this.#all(), this.#bodyStart!) : undefined
  }

  #readHeaders(): boolean {
    const all = this.#all()
    const end = all.indexOf(headersEnd)
    if (end < 0) return false
    const headers = all.toString('latin1', 0, end).toLowerCase()
    if (!headers.startsWith('http/1.1 200 '))
      throw new Error(`unexpected response: ${all.toString('latin1')}`)
    this.#bodyStart = end + headersEnd.length
    const [, length] = /\r\ncontent-length: (\d+)/.exec(headers) ?? []
    if (length !== undefined) this.#expected = this.#bodyStart + Number(length)
    return true
  }

  #all(): Buffer {
    if (this.#parts.length > 1) this.#parts = [Buffer.concat(this.#parts)]
    return this.#parts[0]!
  }
}

/** The joined chunks of a body; undefined if the last one is not there yet. */
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
