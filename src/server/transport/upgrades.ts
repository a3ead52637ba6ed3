// Requests to change the protocol. A WebSocket is accepted or refused by its endpoint; any other protocol is ignored, as
// RFC 9110 (7.8) allows: the request is answered on HTTP/1.1, and so are those after it.
import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { whenReady } from '../../awaitable.js'
import type { Connections } from './connections.js'
import { writeRefusal } from './http-response.js'
import type { Router } from './router.js'

/** Answers the upgrade requests of a server. Node gives up such a connection and passes on what arrived after it. */
export function answerUpgrades(
  server: Server,
  { router, connections }: { readonly router: Router; readonly connections: Connections },
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const destroy = () => socket.destroy()
    // Node's listeners are gone.
    socket.on('error', destroy).on('timeout', destroy)
    connections.onceIdle(socket, () => {
      if (!socket.writable) return destroy()
      if (!isWebSocket(request)) {
        socket.off('error', destroy).off('timeout', destroy)
        return replay(server, request, { socket, head })
      }
      whenReady(router.upgrade(request), (decision) => {
        if (!socket.writable) return destroy()
        if (typeof decision === 'function') {
          connections.hold(socket)
          socket.off('error', destroy).off('timeout', destroy)
          return decision(socket, head)
        }
        const response = new ServerResponse(request)
        response.assignSocket(socket)
        response.once('finish', () => socket.destroySoon())
        writeRefusal(response, decision, { connection: 'close' })
      })
    })
  })
}

/** From this version on Node reads the body of an upgrade request by itself, so that the request cannot be given again. */
const readsBodies = Number.parseInt(process.versions.node, 10) >= 25

/**
 * Settings of Node's servers. A request with a body is answered at once if it asks for another protocol; Node then
 * loses what came in the same packet after it (26.10.0).
 */
export const upgradeSettings = readsBodies
  ? { shouldUpgradeCallback: (request: IncomingMessage) => isWebSocket(request) || !hasBody(request) }
  : {}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/** Gives Node the request once more, without the offer of another protocol (clients send `Upgrade: h2c`). */
function replay(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  { socket, head }: { readonly socket: Socket; readonly head: Buffer },
): void {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name, value] = [rawHeaders[i]!, rawHeaders[i + 1]!]
    if (/^(upgrade|http2-settings)$/i.test(name)) continue
    text += `${name}: ${/^connection$/i.test(name) ? withoutOffer(value) : value}\r\n`
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]))
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket)
}

/** The options of a Connection header without those that belong to an upgrade. */
function withoutOffer(connection: string): string {
  return connection
    .split(',')
    .filter((option) => !/^\s*(upgrade|http2-settings)\s*$/i.test(option))
    .join(',')
}
