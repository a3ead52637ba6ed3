// How many filters and subscriptions a caller may have.
import type { Awaitable } from '../../awaitable.js'
import { type JsonRpcError, rpcError } from '../json-rpc-error.js'

/** How many filters and subscriptions a caller may have. */
export interface NewsQuota {
  readonly limit: number
  take(): Awaitable<boolean>
  give(): void
}

/** Counts one more. Throws JsonRpcError if there are too many. */
export async function takeFrom(quota: NewsQuota): Promise<void> {
  if (!(await quota.take())) throw tooMany(quota)
}

function tooMany({ limit }: NewsQuota): JsonRpcError {
  return rpcError('tooManySubscriptions', { limit })
}
