// Connections of an HTTP server, so that closing it waits for requests and for nothing else. Node closes connections
// that are idle after a request, but not those that never sent one, and not those whose last request ends later.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Follows the connections of one server. */
export class Connections {
  readonly #open = new Set<Socket>()
  readonly #busy = new Set<Socket>()
  #isClosing = false

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#busy.add(socket)
      response.once('close', () => {
        this.#busy.delete(socket)
        if (this.#isClosing) socket.destroySoon()
      })
    })
  }

  /** From now on every connection is closed as soon as no request is being answered on it. */
  closeWhenIdle(): void {
    this.#isClosing = true
    for (const socket of this.#open) if (!this.#busy.has(socket)) socket.destroy()
  }
}
