// JSON-RPC over WebSocket at `/ws/v3/<key>`, and at `/` where no keys are configured: who may connect, and all
// connections together. Follows WebsocketHandler in geth's rpc/websocket.go.
import { EventEmitter } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import webSocket from '@fastify/websocket'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { httpErrors, webSocketCloses } from '../error-table.js'
import type { Service } from '../service.js'
import { originCheck } from './cross-origin.js'
import { sendRefusal } from './http-response.js'
import type { Timeouts } from './timeouts.js'
import { type MessageSocket, WebSocketConnection } from './web-socket-connection.js'

/** Largest message that is read, as in geth. */
const maxMessageBytes = 33_554_432
/** How often connections are looked at. */
const tickMilliseconds = 1_000

export interface WebSocketOptions {
  readonly service: Service
  readonly timeouts: Timeouts
  /** Origins, or parts of them, of pages that may connect; default those of this machine. */
  readonly origins: readonly string[]
}

/** All WebSockets of one application. */
export class WebSocketEndpoint {
  readonly #options: WebSocketOptions
  readonly #isOriginAllowed: (origin: string | undefined) => boolean
  readonly #connections = new Set<WebSocketConnection>()
  readonly #timer: NodeJS.Timeout
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

  /** Prepares an application; before its routes are declared. */
  async addTo(app: FastifyInstance): Promise<void> {
    const upgrades = new EventEmitter()
    app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (isWebSocket(request)) upgrades.emit('upgrade', request, socket, head)
      else answerWithoutUpgrade(app.server, request, { socket, head })
    })
    await app.register(webSocket, {
      options: {
        // Its upgrade events, without those for other protocols.
        server: upgrades as never,
        maxPayload: maxMessageBytes,
        perMessageDeflate: false,
        clientTracking: false,
        // geth does not look at it either: what is not UTF-8 is not JSON.
        skipUTF8Validation: true,
      },
      // What breaks the protocol or the size is closed by the package, with a code.
      errorHandler: () => {},
      preClose: (done) => done(),
    })
  }

  /** Answers an upgrade that is not for this caller's page. */
  screen(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    if (this.#isDraining) return sendRefusal(reply, httpErrors.draining)
    if (this.#isOriginAllowed(request.headers.origin)) return undefined
    return sendRefusal(reply, httpErrors.originNotAllowed)
  }

  /** Serves a WebSocket whose upgrade request was let through. */
  readonly accept = (socket: MessageSocket, { caller }: FastifyRequest): void => {
    const { service, timeouts } = this.#options
    const connection = new WebSocketConnection(socket, { service, timeouts, caller: caller! })
    this.#connections.add(connection)
    socket.on('close', () => this.#connections.delete(connection))
    if (this.#isDraining) connection.drain()
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

  #tick(): void {
    const now = performance.now()
    for (const connection of this.#connections) connection.tick(now)
  }
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * Some clients offer HTTP/2 with their first request (`Upgrade: h2c`) and go on with HTTP/1.1 where that is ignored.
 * Node has let go of such a connection, so it gets the request once more, without the offer.
 */
function answerWithoutUpgrade(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): void {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const isOffer = /^(upgrade|http2-settings|connection)$/i.test(rawHeaders[i]!)
    if (!isOffer) text += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]))
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket)
}
