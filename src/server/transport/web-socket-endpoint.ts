// JSON-RPC over WebSocket at `/ws/v3/<key>`, and at `/` if no keys are configured: who may connect, and all
// connections together. Follows WebsocketHandler in geth's rpc/websocket.go.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { httpErrors, webSocketCloses } from '../../rpc/error-table.js'
import type { Caller } from '../plans/caller.js'
import type { Service } from '../service.js'
import { originCheck } from './cross-origin.js'
import type { Refusal } from './http-response.js'
import type { TakeSocket } from './router.js'
import type { Timeouts } from './timeouts.js'
import { type MessageSocket, WebSocketConnection } from './web-socket-connection.js'

/** For the client to answer a close frame. */
const closeMilliseconds = 5_000
/** How often connections are looked at. */
const tickMilliseconds = 1_000

interface WebSocketOptions {
  readonly service: Service
  readonly timeouts: Timeouts
  /** Origins, or parts of them, of pages that may connect; default those of this machine. */
  readonly origins: readonly string[]
}

/** All WebSockets of one server. */
export class WebSocketEndpoint {
  readonly #options: WebSocketOptions
  readonly #isOriginAllowed: (origin: string | undefined) => boolean
  readonly #connections = new Set<WebSocketConnection>()
  readonly #timer: NodeJS.Timeout
  /** By the size of the largest message. */
  readonly #servers = new Map<number, WebSocketServer>()
  #isDraining = false

  constructor(options: WebSocketOptions) {
    this.#options = options
    this.#isOriginAllowed = originCheck(options.origins)
    const { write, ping, pong } = options.timeouts
    const interval = Math.min(tickMilliseconds, write, ping, pong)
    this.#timer = setInterval(() => this.#tick(), interval).unref()
  }

  get connections(): number {
    return this.#connections.size
  }

  /** Decides about an upgrade request of a caller. */
  admit(request: IncomingMessage, caller: Caller): Refusal | TakeSocket {
    if (this.#isDraining) return httpErrors.draining
    if (!this.#isOriginAllowed(request.headers.origin)) return httpErrors.originNotAllowed
    return (socket, head) => {
      const server = this.#serverFor(caller.plan.limits.bodyBytes)
      server.handleUpgrade(request, socket, head, (opened: MessageSocket) =>
        this.#serve(opened, { caller, connection: socket }),
      )
    }
  }

  /** Ends the connections of callers whose keys were removed. */
  endRevoked(): void {
    for (const connection of this.#connections) {
      if (connection.caller.isRevoked) connection.end(webSocketCloses.revoked)
    }
  }

  /** Ends every connection as soon as nothing is under way on it. */
  drain(): void {
    this.#isDraining = true
    for (const connection of this.#connections) connection.drain()
  }

  /** Ends every connection with a code; what is under way stops. */
  end(): void {
    for (const connection of this.#connections) connection.end(webSocketCloses.draining)
  }

  /** Ends every connection at once. */
  terminate(): void {
    clearInterval(this.#timer)
    for (const connection of this.#connections) connection.terminate()
  }

  #serverFor(maxPayload: number): WebSocketServer {
    const known = this.#servers.get(maxPayload)
    if (known !== undefined) return known
    const server = new WebSocketServer({
      noServer: true,
      maxPayload,
      perMessageDeflate: false,
      clientTracking: false,
      // geth does not look at it either: what is not UTF-8 is not JSON.
      skipUTF8Validation: true,
      closeTimeout: closeMilliseconds,
    })
    this.#servers.set(maxPayload, server)
    return server
  }

  #serve(
    socket: MessageSocket,
    { caller, connection: below }: { readonly caller: Caller; readonly connection: Duplex },
  ): void {
    const { service, timeouts } = this.#options
    const connection = new WebSocketConnection(socket, { service, timeouts, caller, connection: below })
    this.#connections.add(connection)
    socket.on('close', () => this.#connections.delete(connection))
    // What breaks the protocol or the size is closed by the package, with a code.
    socket.on('error', () => {})
    if (this.#isDraining) connection.drain()
  }

  #tick(): void {
    const now = performance.now()
    for (const connection of this.#connections) connection.tick(now)
  }
}
