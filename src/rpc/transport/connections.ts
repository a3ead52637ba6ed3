// Connections of HTTP servers, so that closing waits for requests and for nothing else. Node closes connections that
// are idle after a request, but not those that never sent one, and not those whose last request ends later.
import { setMaxListeners } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'

/** Of what comes through no connection, as from a test. */
const neverClosing = new AbortController().signal
setMaxListeners(0, neverClosing)

/** Follows the connections of servers. */
export class Connections {
  /** With what is aborted when they close. */
  readonly #open = new Map<Socket, AbortController>()
  readonly #busy = new Set<Socket>()
  #isClosing = false

  /** Connections, WebSockets and those of them that are idle included. */
  get open(): number {
    return this.#open.size
  }

  /** Follows one more server, with or without TLS. */
  follow(server: Server): void {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      const gone = new AbortController()
      setMaxListeners(0, gone.signal)
      this.#open.set(socket, gone)
      socket.once('close', () => {
        this.#open.delete(socket)
        gone.abort()
      })
      if (this.#isClosing) socket.destroy()
    })
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#busy.add(socket)
      response.once('close', () => {
        this.#busy.delete(socket)
        if (this.#isClosing) socket.destroySoon()
      })
    })
    // A WebSocket is closed by whom it belongs to.
    server.on('upgrade', ({ socket }: IncomingMessage) => {
      this.#busy.add(socket)
      socket.once('close', () => this.#busy.delete(socket))
    })
  }

  /** Aborted when the connection has closed. One for all of its requests: to make one for each took 3 % of the time. */
  closing(socket: Socket): AbortSignal {
    const followed = this.#open.get(socket)?.signal
    return followed ?? (socket.destroyed ? AbortSignal.abort() : neverClosing)
  }

  /** Whether a request is being answered on this connection. */
  isBusy(socket: object): boolean {
    return this.#busy.has(socket as Socket)
  }

  /** From now on every connection is closed as soon as no request is being answered on it. */
  closeWhenIdle(): void {
    this.#isClosing = true
    for (const socket of this.#open.keys()) if (!this.#busy.has(socket)) socket.destroy()
  }

  /** Ends every connection at once. */
  destroy(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }
}
