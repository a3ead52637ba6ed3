// What an attack is, and what it may be answered.
import { errorAnswers, executionErrors, httpErrors, rpcErrors } from '../../../src/rpc/error-table.js'
import type { Random } from '../../random.js'
import type { Response, Target } from './target.js'

/** One kind of misbehaviour. */
export interface Attack {
  readonly name: string
  /** Share among the attacks that are drawn. */
  readonly weight: number
  /** Whether it takes much memory or many connections; two floods never run at once. */
  readonly isFlood?: boolean
  /** Misbehaves once and returns how that ended. Throws {@link Violation} if the service did what it must not. */
  run(target: Target, random: Random): Promise<string>
}

/** The service did not do what it promises. */
export class Violation extends Error {}

const crashed = rpcErrors.crashed.code
const statuses = new Set<number>([
  200,
  ...Object.values(httpErrors).map(({ status }) => status),
  ...Object.values(rpcErrors).map((row) => ('status' in row ? row.status : 200)),
])
const codes = new Set<number>([
  ...Object.values(rpcErrors).map(({ code }) => code),
  ...Object.values(errorAnswers).map(({ code }) => code),
  ...Object.values(executionErrors).map(({ code }) => code),
])

/** How a response is counted. Throws {@link Violation} if it is no documented one, or tells of a fault of the program. */
export function outcomeOf({ status, body }: Response): string {
  if (!statuses.has(status)) throw new Violation(`status ${status}: ${body.slice(0, 200)}`)
  if (status !== 200 && !body.startsWith('{')) return String(status)
  return `${status} ${outcomeOfJson(body)}`
}

/** The same for the text of a JSON-RPC response, or of a batch of them. */
export function outcomeOfJson(text: string): string {
  if (text === '') return 'nothing'
  // To parse a long answer would take the processor away from the service.
  if (text.length > 1_000_000) return 'long answer'
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new Violation(`not JSON: ${text.slice(0, 200)}`)
  }
  const responses = Array.isArray(parsed) ? parsed : [parsed]
  const kinds = new Set(responses.map(outcomeOfOne))
  return Array.isArray(parsed) ? 'batch' : [...kinds].join()
}

function outcomeOfOne(response: unknown): string {
  const { jsonrpc, error, ...rest } = Object(response) as {
    jsonrpc?: unknown
    error?: { code?: unknown; message?: unknown }
  }
  const text = JSON.stringify(response).slice(0, 300)
  if (jsonrpc !== '2.0') throw new Violation(`no JSON-RPC response: ${text}`)
  if (error === undefined) {
    if (!('result' in rest)) throw new Violation(`neither result nor error: ${text}`)
    return 'result'
  }
  if (error.code === crashed || !codes.has(error.code as number)) {
    throw new Violation(`unexpected error: ${text}`)
  }
  return String(error.code)
}
