// Connections of HTTP servers: how many there may be and whose they are, when a response is sent, and closing, which
// waits for requests and for nothing else. Node closes connections that are idle after a request, but not those that
// never sent one, and not those whose last request ends later.
import { setMaxListeners } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { type Awaitable, whenReady } from '../../awaitable.js'
import { type JsonRpcError, rpcError } from '../../rpc/json-rpc-error.js'
import type { Caller } from '../plans/caller.js'
import type { Counter } from '../quotas/counter.js'

/** One open connection. */
interface Connection {
  /** Aborted when the connection closes. */
  readonly gone: AbortController
  /** Responses that are not sent yet, with what is to be called then. */
  readonly unsent: Map<ServerResponse, () => void>
  /** Called once, when the last of these is sent. */
  onIdle: (() => void) | undefined
  /** Whether somebody else closes it. */
  isHeld: boolean
  /** The caller of its last request. */
  caller: Caller | undefined
}

interface ConnectionsOptions {
  /** Counts the connections; without it there may be any number. */
  readonly counter?: Counter
  /** Called for each connection that is closed because there are too many. */
  readonly onRefused?: () => void
}

const nothing = () => {}

/** Follows the connections of servers. */
export class Connections {
  readonly #counter: Counter | undefined
  readonly #onRefused: () => void
  /** With those whose TLS handshake is under way. */
  readonly #accepted = new Set<Socket>()
  readonly #open = new Map<Socket, Connection>()
  #isClosing = false

  constructor({ counter, onRefused = nothing }: ConnectionsOptions = {}) {
    this.#counter = counter
    this.#onRefused = onRefused
  }

  /** Connections, with WebSockets and idle ones. */
  get open(): number {
    return this.#open.size
  }

  /** Follows one more server, with or without TLS. */
  follow(server: Server): void {
    server.on('connection', (socket: Socket) => this.#accept(socket))
    const event = server instanceof TlsServer ? 'secureConnection' : 'connection'
    server.on(event, (socket: Socket) => this.#add(socket))
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const connection = this.#open.get(socket)
      if (connection === undefined) return
      connection.unsent.set(response, nothing)
      response.once('close', () => this.#finish(socket, connection, response))
    })
  }

  /** Aborted when the connection has closed. One for all of its requests: to make one for each took 3 % of the time. */
  closing(socket: Socket): AbortSignal {
    return this.#open.get(socket)?.gone.signal ?? AbortSignal.abort()
  }

  /** Resolves when a response is sent, or its connection is closed. */
  sent({ socket }: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = this.#open.get(socket)
    if (connection === undefined) return Promise.resolve()
    return new Promise((resolve) => connection.unsent.set(response, resolve))
  }

  /** Counts a connection among those of a caller. Returns why not, if it has as many as it may have. */
  claim(socket: Socket, caller: Caller): Awaitable<JsonRpcError | undefined> {
    const connection = this.#open.get(socket)
    if (connection === undefined || connection.caller === caller) return undefined
    return whenReady(caller.connections.take(), (isTaken) => {
      if (!isTaken) return rpcError('tooManyConnections', { limit: caller.plan.maxConnections })
      // While the answer was on its way the connection may have closed, or another request on it may have had the same answer.
      if (this.#open.get(socket) !== connection || connection.caller === caller) caller.connections.give()
      else {
        connection.caller?.connections.give()
        connection.caller = caller
      }
      return undefined
    })
  }

  /** Whether a request is being answered on this connection. */
  isBusy(socket: Socket): boolean {
    const connection = this.#open.get(socket)
    return connection !== undefined && connection.unsent.size > 0
  }

  /** Calls a function when no response is under way on a connection, at once if none is. */
  onceIdle(socket: Socket, call: () => void): void {
    const connection = this.#open.get(socket)
    if (connection === undefined || connection.unsent.size === 0) call()
    else connection.onIdle = call
  }

  /** Leaves the closing of a connection to its new owner. */
  hold(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection !== undefined) connection.isHeld = true
  }

  /** From now on every connection is closed as soon as no request is being answered on it. */
  closeWhenIdle(): void {
    this.#isClosing = true
    for (const [socket, { unsent, isHeld }] of this.#open) if (unsent.size === 0 && !isHeld) socket.destroy()
  }

  /** The responses that are under way and of which nothing is written. */
  *unanswered(): Generator<ServerResponse> {
    for (const { unsent } of this.#open.values()) {
      for (const response of unsent.keys()) if (!response.headersSent) yield response
    }
  }

  /** Closes every connection at once. */
  destroy(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }

  #accept(socket: Socket): void {
    // A connection whose upgrade was ignored comes again.
    if (this.#accepted.has(socket)) return
    this.#accepted.add(socket)
    socket.once('close', () => this.#accepted.delete(socket))
    if (this.#counter !== undefined) this.#count(socket, this.#counter)
  }

  /** Counts a connection until it closes. If there are too many, it is closed at once. */
  #count(socket: Socket, counter: Counter): void {
    whenReady(counter.take(), (isTaken) => {
      if (!isTaken) {
        this.#onRefused()
        socket.destroy()
      } else if (socket.destroyed) counter.give()
      else socket.once('close', () => counter.give())
    })
  }

  #add(socket: Socket): void {
    if (this.#open.has(socket) || socket.destroyed) return
    const gone = new AbortController()
    setMaxListeners(0, gone.signal)
    const connection: Connection = {
      gone,
      unsent: new Map(),
      onIdle: undefined,
      isHeld: false,
      caller: undefined,
    }
    this.#open.set(socket, connection)
    socket.once('close', () => {
      this.#open.delete(socket)
      connection.caller?.connections.give()
      gone.abort()
      // A response that waits for others on its connection has no `close` of its own.
      for (const onSent of connection.unsent.values()) onSent()
    })
    if (this.#isClosing) socket.destroy()
  }

  #finish(socket: Socket, connection: Connection, response: ServerResponse): void {
    const { unsent } = connection
    const onSent = unsent.get(response)
    unsent.delete(response)
    onSent?.()
    if (unsent.size > 0) return
    if (this.#isClosing) socket.destroySoon()
    const { onIdle } = connection
    connection.onIdle = undefined
    onIdle?.()
  }
}
