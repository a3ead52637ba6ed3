// How a caller hears of news of the chain: by filters that it asks, or by subscriptions of its connection.
import type { MessageSubscriptions } from './connection-subscriptions.js'
import type { FilterStore } from './filter-store.js'
import type { NewsQuota } from './news-quota.js'

/** What a caller may use. */
export interface CallerNews {
  readonly filters: FilterStore
  /** Identifies the caller: its filters are its own. */
  readonly owner: object
  readonly quota: NewsQuota
  /** Undefined if the transport carries no notifications. */
  readonly connection?: MessageSubscriptions | undefined
}
