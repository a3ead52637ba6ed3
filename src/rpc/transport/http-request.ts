// HTTP requests before their JSON is looked at: which ones are refused and how, and reading a bounded body.
// Follows validateRequest in geth's rpc/http.go.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { fillIn, type HttpErrorRow, httpErrors } from '../error-table.js'
import { type JsonRpcError, rpcError } from '../json-rpc-error.js'

/** Largest body that is read, as in geth. */
const bodyLimitBytes = 5_242_880

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

/** Why a request is refused unread, if it is. */
export function refusal(method: string, headers: IncomingHttpHeaders): HttpErrorRow | undefined {
  if (method === 'PUT' || method === 'DELETE') return httpErrors.methodNotAllowed
  const length = Number(headers['content-length'] ?? 0)
  if (length > bodyLimitBytes) {
    const { text, ...row } = httpErrors.bodyTooLarge
    return { ...row, text: fillIn(text, { length, limit: bodyLimitBytes }) }
  }
  if (method === 'OPTIONS' || isJson(headers['content-type'])) return undefined
  return httpErrors.invalidContentType
}

/**
 * Reads a body to its end or to the limit, where it is cut: what is left of it is seldom valid JSON. Rejects with
 * -32700 where it does not come, or not in time.
 */
export function readBody(stream: Readable, timeoutMilliseconds: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const timer = setTimeout(() => fail(rpcError('readTimeout')), timeoutMilliseconds)
    const settle = () => {
      clearTimeout(timer)
      stream.off('data', onData).off('end', onEnd).off('error', onError)
    }
    const fail = (error: JsonRpcError) => {
      settle()
      // A stream that breaks while nobody listens would end the process.
      stream.on('error', () => {})
      reject(error)
    }
    const onEnd = () => {
      settle()
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      resolve(bytes.subarray(0, bodyLimitBytes))
    }
    const onError = (cause: Error) => fail(rpcError('readError', {}, { cause }))
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= bodyLimitBytes) return
      stream.pause().on('error', () => {})
      onEnd()
    }
    stream.on('data', onData).on('end', onEnd).on('error', onError)
  })
}
