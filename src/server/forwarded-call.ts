// A call about a filter that another thread has: the id of a filter names its thread.
import type { Call } from '../rpc/message.js'
import { decodeId } from '../rpc/parameters/subscription-id.js'
import { threadOfId } from '../rpc/subscriptions/ids.js'

/** A call that a thread passes on. It is charged to the caller already. */
export interface ForwardedCall {
  readonly thread: number
  /** `id` of the caller. */
  readonly caller: string
  readonly method: string
  readonly params: string | undefined
}

/** What another thread answers: JSON text of a result, or an error. */
export type ForwardedAnswer =
  | { readonly result: string }
  | { readonly error: { readonly code: number; readonly message: string } }

/** Passes a call on; undefined if there is no such thread. */
export type AskThread = (call: ForwardedCall) => Promise<ForwardedAnswer | undefined>

const methodsOfFilters = new Set(['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter'])

/** Number of the thread that has the filter of a call; 0 if it is not about one. */
export function threadOfCall({ method, args }: Call): number {
  const [id] = args
  const isOfFilter = methodsOfFilters.has(method) && args.length === 1 && id?.startsWith('"')
  return isOfFilter ? threadOfId(decodeId(id!)) : 0
}
