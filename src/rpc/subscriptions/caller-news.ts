// How a caller hears of news of the chain: by filters that it asks, or by subscriptions of its connection.
import type { Awaitable } from '../../awaitable.js'
import { type JsonRpcError, rpcError } from '../json-rpc-error.js'
import type { FilterStore } from './filter-store.js'

/** How many filters and subscriptions a caller may have. */
interface NewsQuota {
  readonly limit: number
  take(): Awaitable<boolean>
  give(): void
}

/** What a caller may use. */
export interface CallerNews {
  readonly filters: FilterStore
  /** Identifies the caller: its filters are its own. */
  readonly owner: object
  readonly quota: NewsQuota
}

/** Counts one more. Throws JsonRpcError if there are too many. */
export async function takeFrom(quota: NewsQuota): Promise<void> {
  if (!(await quota.take())) throw tooMany(quota)
}

function tooMany({ limit }: NewsQuota): JsonRpcError {
  return rpcError('tooManySubscriptions', { limit })
}
