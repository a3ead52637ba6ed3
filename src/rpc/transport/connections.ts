// Connections of HTTP servers, so that closing waits for requests and for nothing else. Node closes connections that
// are idle after a request, but not those that never sent one, and not those whose last request ends later.
import { setMaxListeners } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'

/** One open connection. */
interface Connection {
  /** Aborted when the connection closes. */
  readonly gone: AbortController
  /** Responses that are not sent yet. */
  responses: number
  /** Called once, when the last of these is sent. */
  onIdle: (() => void) | undefined
}

/** Follows the connections of servers. */
export class Connections {
  readonly #open = new Map<Socket, Connection>()
  #isClosing = false

  /** Connections, with WebSockets and idle ones. */
  get open(): number {
    return this.#open.size
  }

  /** Follows one more server, with or without TLS. */
  follow(server: Server): void {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      // A connection whose upgrade was ignored comes again.
      if (this.#open.has(socket)) return
      const gone = new AbortController()
      setMaxListeners(0, gone.signal)
      this.#open.set(socket, { gone, responses: 0, onIdle: undefined })
      socket.once('close', () => {
        this.#open.delete(socket)
        gone.abort()
      })
      if (this.#isClosing) socket.destroy()
    })
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const connection = this.#open.get(socket)
      if (connection === undefined) return
      connection.responses++
      response.once('close', () => {
        if (--connection.responses > 0) return
        if (this.#isClosing) socket.destroySoon()
        const { onIdle } = connection
        connection.onIdle = undefined
        onIdle?.()
      })
    })
  }

  /** Aborted when the connection has closed. One for all of its requests: to make one for each took 3 % of the time. */
  closing(socket: Socket): AbortSignal {
    return this.#open.get(socket)?.gone.signal ?? AbortSignal.abort()
  }

  /** Whether a request is being answered on this connection. */
  isBusy(socket: Socket): boolean {
    return (this.#open.get(socket)?.responses ?? 0) > 0
  }

  /** Calls a function when no response is under way on a connection, at once if none is. */
  onceIdle(socket: Socket, call: () => void): void {
    const connection = this.#open.get(socket)
    if (connection === undefined || connection.responses === 0) call()
    else connection.onIdle = call
  }

  /** Leaves the closing of a connection to its new owner. */
  hold(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection !== undefined) connection.responses = Number.POSITIVE_INFINITY
  }

  /** From now on every connection is closed as soon as no request is being answered on it. */
  closeWhenIdle(): void {
    this.#isClosing = true
    for (const [socket, { responses }] of this.#open) if (responses === 0) socket.destroy()
  }

  /** Closes every connection at once. */
  destroy(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }
}
