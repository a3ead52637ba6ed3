// How many filters and subscriptions a caller may have, and how many values they may look for.
import type { Awaitable } from '../../awaitable.js'
import { rpcError } from '../json-rpc-error.js'

/** Counts what a caller has. */
interface NewsCounter {
  readonly limit: number
  take(count: number): Awaitable<boolean>
  give(count: number): void
}

/** How many filters and subscriptions a caller may have. */
export interface NewsQuota {
  readonly subscriptions: NewsCounter
  /** Addresses, topics and hashes in all of them: each takes up to 400 bytes (2026-11-23). */
  readonly parameters: NewsCounter
}

/** Counts one more with so many parameters. Throws JsonRpcError if there are too many. */
export async function takeFrom({ subscriptions, parameters }: NewsQuota, count = 0): Promise<void> {
  if (!(await subscriptions.take(1))) throw rpcError('tooManySubscriptions', { limit: subscriptions.limit })
  if (count === 0 || (await parameters.take(count))) return
  subscriptions.give(1)
  throw rpcError('tooManyParameters', { limit: parameters.limit })
}

/** Counts one less. */
export function giveTo({ subscriptions, parameters }: NewsQuota, count = 0): void {
  subscriptions.give(1)
  if (count > 0) parameters.give(count)
}
