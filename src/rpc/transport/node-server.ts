// Node's HTTP and HTTPS servers as every application here uses them: time limits, followed connections, and plain words
// for what Node's parser refuses.
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { httpErrors } from '../error-table.js'
import { rpcError } from '../json-rpc-error.js'
import { errorResponse } from '../message.js'
import type { Certificate } from './certificate.js'
import type { Connections } from './connections.js'
import type { Timeouts } from './timeouts.js'

/** A server, with TLS where there is a certificate. */
export function createNodeServer(handler: RequestListener, timeouts: Timeouts, tls?: Certificate): Server {
  const settings = {
    headersTimeout: timeouts.read,
    // The body has a limit of its own, which answers; this one ends what comes even more slowly.
    requestTimeout: 2 * timeouts.read,
    connectionsCheckingInterval: Math.min(1_000, timeouts.read),
    keepAliveTimeout: timeouts.idle,
  }
  const server = tls
    ? createTlsServer({ ...settings, ...tls, handshakeTimeout: timeouts.read }, handler)
    : createServer(settings, handler)
  // Silence on a connection while a request is under way: it is computed, or nobody reads what is sent.
  server.timeout = Math.max(timeouts.answer + 1_000, timeouts.write)
  return server
}

/** Answers what Node's parser refuses, in plain words as Go does; a broken body is geth's read error. */
export function answerClientError(
  error: Error & { code?: string },
  socket: Socket,
  connections: Connections,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  if (connections.isBusy(socket)) {
    const body = errorResponse('null', rpcError('readError').toJson())
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
