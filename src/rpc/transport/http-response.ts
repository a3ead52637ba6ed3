// What HTTP responses look like: JSON-RPC bodies, compressed if the client asks for it, and refusals.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { HttpErrorRow } from '../error-table.js'
import { JsonRpcError } from '../json-rpc-error.js'
import { errorResponse } from '../message.js'
import type { ServiceAnswer } from '../service.js'

/** Why a request is refused: a JSON-RPC error with no id, or plain text. */
export type Refusal = JsonRpcError | HttpErrorRow

/** Below about one network packet compression costs more than it saves. */
const compressionThresholdBytes = 1_400

const compress = promisify(gzip)

/** Writes a whole response. Adds the length to `headers`. */
export function writeResponse(
  response: ServerResponse,
  {
    status,
    headers,
    body,
  }: { readonly status: number; readonly headers: OutgoingHttpHeaders; readonly body?: Buffer },
): void {
  headers['content-length'] = body?.length ?? 0
  response.writeHead(status, headers).end(body)
}

/** Writes the answer to a JSON-RPC body; `headers` are added. */
export async function writeAnswer(
  response: ServerResponse,
  { text = '', status, retryAfterSeconds, requestId }: ServiceAnswer,
  {
    headers: added,
    accepted,
  }: { readonly headers: OutgoingHttpHeaders; readonly accepted: string | undefined },
): Promise<void> {
  const headers: OutgoingHttpHeaders = {
    ...added,
    'content-type': 'application/json',
    'x-request-id': requestId,
  }
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  const body = Buffer.from(text)
  if (body.length < compressionThresholdBytes || !accepted?.includes('gzip')) {
    return writeResponse(response, { status, headers, body })
  }
  const vary = headers['vary']
  headers['vary'] = vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`
  headers['content-encoding'] = 'gzip'
  const compressed = await compress(body, { level: constants.Z_BEST_SPEED })
  writeResponse(response, { status, headers, body: compressed })
}

/** Writes a refusal; `headers` are added. */
export function writeRefusal(
  response: ServerResponse,
  refusal: Refusal,
  headers: OutgoingHttpHeaders = {},
): void {
  const { text, headers: ofRefusal } =
    refusal instanceof JsonRpcError ? jsonOf(refusal) : plainTextOf(refusal)
  const all = { ...headers, ...ofRefusal }
  writeResponse(response, { status: refusal.status, headers: all, body: Buffer.from(text) })
}

interface RefusalContent {
  readonly text: string
  readonly headers: OutgoingHttpHeaders
}

function jsonOf(error: JsonRpcError): RefusalContent {
  // RFC 9110 asks for a challenge. Browsers show no window for a scheme that they do not know.
  const challenge = error.status === 401 ? { 'www-authenticate': 'ApiKey' } : {}
  const text = errorResponse('null', error.toJson())
  return { text, headers: { 'content-type': 'application/json', ...challenge } }
}

/** As Go's http.Error writes it. */
function plainTextOf({ status, text }: HttpErrorRow): RefusalContent {
  if (text === '') return { text, headers: {} }
  // The rest of the body is not read.
  const close = status === 413 ? { connection: 'close' } : {}
  const type = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
  return { text: `${text}\n`, headers: { ...type, ...close } }
}
