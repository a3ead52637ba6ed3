// Connections of HTTP servers, so that closing waits for requests and for nothing else. Node closes connections that
// are idle after a request, but not those that never sent one, and not those whose last request ends later.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'

/** Follows the connections of servers. */
export class Connections {
  readonly #open = new Set<Socket>()
  readonly #busy = new Set<Socket>()
  #isClosing = false

  /** Connections, WebSockets and those of them that are idle included. */
  get open(): number {
    return this.#open.size
  }

  /** Follows one more server, with or without TLS. */
  follow(server: Server): void {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
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

  /** Whether a request is being answered on this connection. */
  isBusy(socket: object): boolean {
    return this.#busy.has(socket as Socket)
  }

  /** From now on every connection is closed as soon as no request is being answered on it. */
  closeWhenIdle(): void {
    this.#isClosing = true
    for (const socket of this.#open) if (!this.#busy.has(socket)) socket.destroy()
  }

  /** Ends every connection at once. */
  destroy(): void {
    for (const socket of this.#open) socket.destroy()
  }
}
