// What HTTP answers look like: JSON-RPC bodies, compressed where asked for, and plain refusals.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import type { HttpErrorRow } from '../error-table.js'
import type { JsonRpcError } from '../json-rpc-error.js'
import { errorResponse } from '../message.js'
import type { ServiceAnswer } from '../service.js'

/** Below about one network packet compression costs more than it saves. */
const compressionThresholdBytes = 1_400

const compress = promisify(gzip)

/** Writes the answer to a body, with headers of its own besides. */
export async function writeAnswer(
  response: ServerResponse,
  { text = '', status, retryAfterSeconds, requestId }: ServiceAnswer,
  { headers, accepted }: { readonly headers: OutgoingHttpHeaders; readonly accepted: string | undefined },
): Promise<void> {
  const all: OutgoingHttpHeaders = {
    ...headers,
    'content-type': 'application/json',
    'x-request-id': requestId,
  }
  if (retryAfterSeconds !== undefined) all['retry-after'] = String(retryAfterSeconds)
  const body = Buffer.from(text)
  if (body.length < compressionThresholdBytes || !accepted?.includes('gzip'))
    return write(response, status, all, body)
  const vary = headers['vary']
  all['vary'] = vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`
  all['content-encoding'] = 'gzip'
  write(response, status, all, await compress(body, { level: constants.Z_BEST_SPEED }))
}

/** Writes a JSON-RPC error that belongs to no request in particular. */
export function writeError(
  response: ServerResponse,
  error: JsonRpcError,
  headers: OutgoingHttpHeaders = {},
): void {
  write(response, error.status, { ...headers, ...errorHeaders(error) }, errorBody(error))
}

/** As {@link writeError}, through fastify. */
export function sendError(reply: FastifyReply, error: JsonRpcError): FastifyReply {
  return reply.code(error.status).headers(errorHeaders(error)).send(errorBody(error))
}

function write(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, body: Buffer): void {
  headers['content-length'] = body.length
  response.writeHead(status, headers).end(body)
}

function errorHeaders({ status }: JsonRpcError): Record<string, string> {
  // RFC 9110 wants a challenge; browsers show no window for a scheme they do not know.
  const challenge = status === 401 ? { 'www-authenticate': 'ApiKey' } : {}
  return { 'content-type': 'application/json', ...challenge }
}

/** Bytes rather than text: to the type of a text fastify would append a charset. */
function errorBody(error: JsonRpcError): Buffer {
  return Buffer.from(errorResponse('null', error.toJson()))
}

/** Sends a refusal as Go's http.Error does. */
export function sendRefusal(reply: FastifyReply, { status, text }: HttpErrorRow): FastifyReply {
  if (text === '') return reply.code(status).send()
  // The rest of the body is not read.
  if (status === 413) reply.header('connection', 'close')
  return reply
    .code(status)
    .header('content-type', 'text/plain; charset=utf-8')
    .header('x-content-type-options', 'nosniff')
    .send(`${text}\n`)
}
