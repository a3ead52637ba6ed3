// HTTP requests before their JSON is looked at: which ones are refused and how, and reading a bounded body.
// Follows validateRequest in geth's rpc/http.go.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

/** Largest body that is read, as in geth. */
export const bodyLimitBytes = 5_242_880

/** A refusal with a plain text. */
export interface HttpRefusal {
  readonly status: 405 | 413 | 415
  readonly text: string
}

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
export function refusal(method: string, headers: IncomingHttpHeaders): HttpRefusal | undefined {
  if (method === 'PUT' || method === 'DELETE') return { status: 405, text: 'method not allowed' }
  const length = Number(headers['content-length'] ?? 0)
  if (length > bodyLimitBytes) {
    return { status: 413, text: `content length too large (${length}>${bodyLimitBytes})` }
  }
  if (method === 'OPTIONS' || isJson(headers['content-type'])) return undefined
  return { status: 415, text: 'invalid content type, only application/json is supported' }
}

/** Reads a body to its end or to the limit, where it is cut: what is left of it is seldom valid JSON. */
export async function readBody(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  // Leaving the loop must not destroy the stream, and the connection with it, before the answer is sent.
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > bodyLimitBytes) break
  }
  const [only] = chunks
  const bytes = chunks.length === 1 ? only! : Buffer.concat(chunks)
  return bytes.toString('utf8', 0, bodyLimitBytes)
}
