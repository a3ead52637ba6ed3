// Node's HTTP and HTTPS servers as this program uses them: time limits, followed connections, upgrades, and plain words
// for what Node's parser refuses.
import { lookup } from 'node:dns/promises'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { httpErrors } from '../../rpc/error-table.js'
import { rpcError } from '../../rpc/json-rpc-error.js'
import { errorWithoutId } from '../../rpc/message.js'
import type { Certificate } from './certificate.js'
import type { Connections } from './connections.js'
import type { Router } from './router.js'
import type { Timeouts } from './timeouts.js'
import { answerUpgrades, upgradeSettings } from './upgrades.js'

interface NodeServerOptions {
  readonly router: Router
  readonly connections: Connections
  readonly timeouts: Timeouts
  readonly tls?: Certificate | undefined
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** A router that can be reached: by one server of Node, or by several if the host name stands for several addresses. */
export class NodeServer {
  readonly #options: NodeServerOptions
  readonly #servers: Server[] = []

  constructor(options: NodeServerOptions) {
    this.#options = options
  }

  /** Starts listening; resolves to the URL. Rejects with Node's error. */
  async listen({ host, port }: ListenAddress): Promise<string> {
    const first = await this.#listen({ host, port })
    if (host === 'localhost') {
      // The name may stand for 127.0.0.1 and ::1.
      const addresses = await lookup(host, { all: true }).catch(() => [])
      for (const { address } of addresses.filter(({ address }) => address !== first.address)) {
        await this.#listen({ host: address, port: first.port }).catch(() => undefined)
      }
    }
    const name = first.address === '0.0.0.0' ? '127.0.0.1' : first.address
    const scheme = this.#options.tls ? 'https' : 'http'
    return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${first.port}`
  }

  /** Uses another certificate for new connections. */
  useCertificate(tls: Certificate): void {
    for (const server of this.#servers) if (server instanceof TlsServer) server.setSecureContext(tls)
  }

  /** Stops listening; resolves when every connection is closed. */
  async close(): Promise<void> {
    await Promise.all(
      this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
    )
  }

  #listen(address: ListenAddress): Promise<AddressInfo> {
    const server = createNodeServer(this.#options)
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(address, () => {
        server.off('error', reject)
        this.#servers.push(server)
        resolve(server.address() as AddressInfo)
      })
    })
  }
}

function createNodeServer({ router, connections, timeouts, tls }: NodeServerOptions): Server {
  const settings = {
    headersTimeout: timeouts.read,
    // The body has a limit of its own, which is answered. This one ends what comes even more slowly.
    requestTimeout: 2 * timeouts.read,
    connectionsCheckingInterval: Math.min(1_000, timeouts.read),
    keepAliveTimeout: timeouts.idle,
    ...upgradeSettings,
  }
  const server = tls
    ? createTlsServer({ ...settings, ...tls, handshakeTimeout: timeouts.read })
    : createServer(settings)
  // Silence on a connection during a request: the answer is not ready, or the client reads nothing.
  server.timeout = Math.max(timeouts.answer + 1_000, timeouts.write)
  connections.follow(server)
  server.on('request', (request, response) => router.answer(request, response))
  answerUpgrades(server, { router, connections })
  server.on('clientError', (error, socket) => answerClientError(error, socket as Socket, connections))
  return server
}

/** Answers what Node's parser refuses, in plain words as Go does; a broken body is geth's read error. */
function answerClientError(error: Error & { code?: string }, socket: Socket, connections: Connections): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  if (connections.isBusy(socket)) {
    const body = errorWithoutId(rpcError('readError').toJson())
    socket.end(rawResponse('200 OK', 'application/json', body), () => socket.destroySoon())
    return
  }
  const { text } =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? httpErrors.headersTooLarge
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? httpErrors.headersTimeout
        : httpErrors.badRequest
  socket.end(rawResponse(text, 'text/plain; charset=utf-8', text), () => socket.destroySoon())
}

function rawResponse(status: string, type: string, body: string): string {
  const length = Buffer.byteLength(body)
  return `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${body}`
}
