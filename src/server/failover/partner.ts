// One request to the partner, and what may come back. No error leaves this file: messages of Node's HTTP client name
// the URL, and with it the key.
import { setImmediate } from 'node:timers/promises'
import type { Awaitable } from '../../awaitable.js'
import { byteTextOf } from '../../byte-text.js'
import { eachMember, jsonKind } from '../../rpc/json/cut.js'
import { JsonScanner } from '../../rpc/json/scanner.js'
import { unquote } from '../../rpc/json/strings.js'

/** Longest answer that is read. */
const maxAnswerBytes = 128 * 1024 * 1024
/** Part of it that is checked before others get their turn. */
const pieceBytes = 1024 * 1024

/** A request for the partner, with the id of its own. */
interface PartnerRequest {
  readonly method: string
  /** JSON text of the arguments. */
  readonly params: string | undefined
  readonly timeoutMilliseconds: number
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal
  /** Counts bytes that arrive; false if there is no memory for them. */
  readonly fits: (bytes: number) => Awaitable<boolean>
}

/**
 * What came back: a result as JSON text, one character for each byte; an error of JSON-RPC; or, in `failure`, why there
 * is nothing to use. `gone` says that the signal ended it, `noMemory` that the answer did not fit.
 */
export type PartnerAnswer =
  | { readonly kind: 'result'; readonly result: string }
  | { readonly kind: 'error' }
  | { readonly kind: 'failure'; readonly reason: 'timeout' | 'unreachable' | 'status' | 'invalid' }
  | { readonly kind: 'noMemory' }
  | { readonly kind: 'gone' }

let ids = 0

/** Asks a partner once. Never rejects. */
export async function askPartner(url: URL, request: PartnerRequest): Promise<PartnerAnswer> {
  const { method, params = '[]', timeoutMilliseconds, signal, fits } = request
  const id = String(++ids)
  const timeout = AbortSignal.timeout(timeoutMilliseconds)
  try {
    const response = await fetch(withoutUserInfo(url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization(url) },
      body: Buffer.from(
        `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`,
        'latin1',
      ),
      redirect: 'error',
      signal: AbortSignal.any([timeout, signal]),
    })
    if (!response.ok) {
      await response.body?.cancel()
      return { kind: 'failure', reason: 'status' }
    }
    const body = await readBounded(response, fits)
    return typeof body === 'string' ? await parseAnswer(body, id) : body
  } catch {
    if (signal.aborted) return { kind: 'gone' }
    return { kind: 'failure', reason: timeout.aborted ? 'timeout' : 'unreachable' }
  }
}

/** The text of a body, or why it was not read to its end. */
async function readBounded(
  response: Response,
  fits: (bytes: number) => Awaitable<boolean>,
): Promise<string | PartnerAnswer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) return { kind: 'failure', reason: 'invalid' }
    if (!(await fits(chunk.length))) return { kind: 'noMemory' }
    chunks.push(chunk)
  }
  return byteTextOf(Buffer.concat(chunks, bytes))
}

/** Reads a response of JSON-RPC 2.0 to a request with this id; everything else is invalid. */
async function parseAnswer(text: string, expectedId: string): Promise<PartnerAnswer> {
  const invalid = { kind: 'failure', reason: 'invalid' } as const
  const scanner = new JsonScanner(text)
  while (!scanner.scan(pieceBytes)) await setImmediate()
  if (scanner.end < 0 || /[^ \t\r\n]/.test(text.slice(scanner.end))) return invalid
  const object = text.trimStart()
  if (jsonKind(object) !== 'object') return invalid
  const found = new Map<string, string>()
  eachMember(object, (name, value) => {
    found.set(unquote(name), value)
  })
  const result = found.get('result')
  const error = found.get('error')
  if (found.get('jsonrpc') !== '"2.0"' || found.get('id') !== expectedId) return invalid
  // Some servers send the member that does not apply as null.
  if (error !== undefined && error !== 'null')
    return jsonKind(error) === 'object' ? { kind: 'error' } : invalid
  return result === undefined ? invalid : { kind: 'result', result }
}

/** fetch refuses URLs with a name and a password in them. */
function withoutUserInfo(url: URL): URL {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  return bare
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}
