// What HTTP responses look like: JSON-RPC bodies, compressed if the client asks for it, and refusals.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { constants, createGzip, gzip } from 'node:zlib'
import type { HttpErrorRow } from '../../rpc/error-table.js'
import { byteLengthOf, bytePieces, bytesOfText, lengthOf } from '../../rpc/json/json-text.js'
import { JsonRpcError } from '../../rpc/json-rpc-error.js'
import { errorWithoutId } from '../../rpc/message.js'
import type { ByteCharge } from '../byte-budget.js'
import type { ServiceAnswer } from '../service.js'

/** Why a request is refused: a JSON-RPC error with no id, or plain text. */
export type Refusal = JsonRpcError | HttpErrorRow

/** Below about one network packet compression costs more than it saves. */
const compressionThresholdBytes = 1_400

/** A text up to this length is sent as one with the headers, which takes one buffer and one write. */
const shortAnswerLength = 8_192

/** Longer answers are encoded and compressed in pieces, as the client reads them. */
const longAnswerLength = 1_048_576
const pieceLength = 65_536

const compress = promisify(gzip)

/** Writes a whole response. Adds the length to `headers`. */
export function writeResponse(
  response: ServerResponse,
  {
    status,
    headers,
    body,
  }: { readonly status: number; readonly headers: OutgoingHttpHeaders; readonly body?: Buffer | string },
): void {
  headers['content-length'] = body === undefined ? 0 : Buffer.byteLength(body)
  response.writeHead(status, headers).end(body)
}

interface AnswerOptions {
  /** Headers that are added. */
  readonly headers: OutgoingHttpHeaders
  /** The client's Accept-Encoding. */
  readonly accepted: string | undefined
  /** Counts what is held until the client has it. */
  readonly charge: ByteCharge
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
}

/** Writes the answer to a JSON-RPC body. A long one is written as the client reads it. */
export async function writeAnswer(
  response: ServerResponse,
  { text = '', status, retryAfterSeconds, requestId }: ServiceAnswer,
  { headers: added, accepted, charge, signal }: AnswerOptions,
): Promise<void> {
  const headers: OutgoingHttpHeaders = {
    ...added,
    'content-type': 'application/json',
    'x-request-id': requestId,
  }
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  const length = lengthOf(text)
  const isCompressed = length >= compressionThresholdBytes && accepted?.includes('gzip') === true
  if (isCompressed) {
    const vary = headers['vary']
    headers['vary'] = vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`
    headers['content-encoding'] = 'gzip'
  }
  if (length > longAnswerLength) {
    const bytes = byteLengthOf(text)
    charge.settle(bytes)
    if (!isCompressed) headers['content-length'] = bytes
    response.writeHead(status, headers)
    const gzipped = isCompressed ? [createGzip({ level: constants.Z_BEST_SPEED })] : []
    // It fails if the client leaves.
    const pieces = Readable.from(bytePieces(text, pieceLength), { objectMode: false })
    await pipeline([pieces, ...gzipped, response], { signal }).catch(() => response.destroy())
    return
  }
  if (isCompressed || typeof text === 'string') {
    const plain = typeof text === 'string' && length <= shortAnswerLength ? text : bytesOfText(text)
    const body = isCompressed ? await compress(plain, { level: constants.Z_BEST_SPEED }) : plain
    charge.settle(Buffer.byteLength(body))
    writeResponse(response, { status, headers, body })
    return
  }
  const bytes = byteLengthOf(text)
  charge.settle(bytes)
  headers['content-length'] = bytes
  response.writeHead(status, headers)
  // To join the pieces would take as much memory again, which the garbage collector would have to free.
  response.cork()
  for (const piece of text) response.write(piece)
  response.end()
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
  const text = errorWithoutId(error.toJson())
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
