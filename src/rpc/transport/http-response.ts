// What HTTP answers look like: JSON-RPC bodies, compressed where asked for, and plain refusals.
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpErrorRow } from '../error-table.js'
import type { JsonRpcError } from '../json-rpc-error.js'
import { errorResponse } from '../message.js'
import type { ServiceAnswer } from '../service.js'

/** Below about one network packet compression costs more than it saves. */
const compressionThresholdBytes = 1_400

const compress = promisify(gzip)

/** Sends the answer to a body. */
export async function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { text = '', status, retryAfterSeconds, requestId }: ServiceAnswer,
): Promise<FastifyReply> {
  reply.code(status).header('content-type', 'application/json').header('x-request-id', requestId)
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  // Bytes rather than text: to the type of a text fastify would append a charset.
  const body = Buffer.from(text)
  const accepted = request.headers['accept-encoding']
  if (body.length < compressionThresholdBytes || !accepted?.includes('gzip')) return reply.send(body)
  const compressed = await compress(body, { level: constants.Z_BEST_SPEED })
  return reply.header('content-encoding', 'gzip').header('vary', varyAlso(reply)).send(compressed)
}

/** Sends a JSON-RPC error that belongs to no request in particular. */
export function sendError(reply: FastifyReply, error: JsonRpcError): FastifyReply {
  reply.code(error.status).header('content-type', 'application/json')
  // RFC 9110 wants a challenge; browsers show no window for a scheme they do not know.
  if (error.status === 401) reply.header('www-authenticate', 'ApiKey')
  return reply.send(Buffer.from(errorResponse('null', error.toJson())))
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

function varyAlso(reply: FastifyReply): string {
  const vary = reply.getHeader('vary')
  return vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`
}
