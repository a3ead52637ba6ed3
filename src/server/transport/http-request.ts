// HTTP requests before their JSON is looked at: which ones are refused and how, and reading a bounded body.
// Follows validateRequest in geth's rpc/http.go.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { fillIn, type HttpErrorRow, httpErrors } from '../../rpc/error-table.js'
import { type JsonRpcError, rpcError } from '../../rpc/json-rpc-error.js'
import type { ByteCharge } from '../byte-budget.js'

const acceptedTypes = new Set(['application/json', 'application/json-rpc', 'application/jsonrequest'])
/** Longer ones are refused unread: matching takes time that grows with the square of their length. */
const maxTypeLength = 256
const token = "[\\w!#$%&'*+.^`|~-]+"
const mediaType = new RegExp(
  `^\\s*(${token}(?:/${token})?)\\s*((?:;\\s*${token}=(?:${token}|"(?:[^"\\\\]|\\\\.)*")\\s*)*);?\\s*$`,
)
const parameterName = new RegExp(`;\\s*(${token})=`, 'g')

/** Whether a content type is one of JSON and well formed, parameters included, as Go's mime package sees it. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  if (contentType === undefined || contentType.length > maxTypeLength) return false
  const match = mediaType.exec(contentType)
  if (match === null) return false
  const names = Array.from(match[2]!.matchAll(parameterName), ([, name]) => name!.toLowerCase())
  return acceptedTypes.has(match[1]!.toLowerCase()) && new Set(names).size === names.length
}

/** A request that is answered with status 200 and nothing else: what load balancers send. */
export function isHealthProbe(method: string, url: string, headers: IncomingHttpHeaders): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return method === 'GET' && !hasBody && !url.includes('?')
}

/** Why a request is refused unread, if it is; `limitBytes` is for its body. */
export function refusal(
  method: string,
  headers: IncomingHttpHeaders,
  limitBytes: number,
): HttpErrorRow | undefined {
  if (method === 'PUT' || method === 'DELETE') return httpErrors.methodNotAllowed
  const length = Number(headers['content-length'] ?? 0)
  if (length > limitBytes) {
    const { text, ...row } = httpErrors.bodyTooLarge
    return { ...row, text: fillIn(text, { length, limit: limitBytes }) }
  }
  if (method === 'OPTIONS' || isJson(headers['content-type'])) return undefined
  return httpErrors.invalidContentType
}

/** What a body may take before it is counted: as much as Node reads at a time. */
const windowBytes = 65_536

interface BodyLimits {
  readonly limitBytes: number
  readonly timeoutMilliseconds: number
  /** Counts the bytes of the body. Reading waits while they do not fit. */
  readonly charge: ByteCharge
}

/** A listener that does not keep what was read, as one made where that is would. */
const nothing = () => {}

/**
 * Reads a body to its end or to the limit. A longer one is cut there: the first part of a body is seldom valid JSON. Resolves to
 * the error -32700 if it does not arrive, or not in time, and -32005 if there is no memory for it.
 */
export function readBody(
  request: IncomingMessage,
  { limitBytes, timeoutMilliseconds, charge }: BodyLimits,
): Promise<Uint8Array | JsonRpcError> {
  const expected = Math.min(limitBytes, Number(request.headers['content-length'] ?? limitBytes))
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    let counted = 0
    const timer = setTimeout(() => fail(rpcError('readTimeout')), timeoutMilliseconds)
    const settle = () => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('error', onError)
      // A stream that breaks while nobody listens would end the process.
      if (!request.complete) request.on('error', nothing)
    }
    const fail = (error: JsonRpcError) => {
      settle()
      resolve(error)
    }
    const onEnd = () => {
      settle()
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      resolve(bytes.subarray(0, limitBytes))
    }
    const onError = (cause: Error) => fail(rpcError('readError', {}, { cause }))
    /** Counts what may arrive next, or waits until it fits. */
    const makeRoom = () => {
      const next = Math.min(expected, length + windowBytes)
      if (next <= counted) return
      const fits = charge.take(next - counted)
      counted = next
      if (fits === true) return
      request.pause()
      Promise.resolve(fits).then((fit) => {
        if (fit) request.resume()
        else fail(rpcError('memoryExceeded'))
      })
    }
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= limitBytes) return makeRoom()
      request.pause()
      onEnd()
    }
    makeRoom()
    request.on('data', onData).on('end', onEnd).on('error', onError)
  })
}
