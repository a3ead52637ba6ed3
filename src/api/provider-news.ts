// Filters and subscriptions of a provider: the same as those of the server, with one caller and no limit of their number.
import { HeadChanges, type HeadSource } from '../datadir/head-changes.js'
import type { CallerNews } from '../rpc/subscriptions/caller-news.js'
import {
  ConnectionSubscriptions,
  type MessageSubscriptions,
} from '../rpc/subscriptions/connection-subscriptions.js'
import { FilterStore } from '../rpc/subscriptions/filter-store.js'
import type { NewsQuota } from '../rpc/subscriptions/news-quota.js'
import { SubscriptionHub } from '../rpc/subscriptions/subscription-hub.js'

interface NewsListener {
  /** Called with the JSON of a notification. */
  onNotification(subscription: string, result: string): void
  /** What is new cannot be known: all subscriptions have ended. */
  onGap(cause: unknown): void
}

const noLimit = { limit: Number.POSITIVE_INFINITY, take: () => true, give: () => {} }
const noQuota: NewsQuota = { subscriptions: noLimit, parameters: noLimit }

/** What a provider knows of news. The directory is watched only while there is a filter or a subscription. */
export class ProviderNews {
  readonly #listener: NewsListener
  readonly #changes: HeadChanges
  readonly #filters: FilterStore
  readonly #hub: SubscriptionHub
  #subscriptions: ConnectionSubscriptions
  #failure: unknown

  constructor(head: HeadSource, listener: NewsListener) {
    const onError = (error: unknown) => {
      this.#failure = error
    }
    this.#listener = listener
    this.#changes = new HeadChanges(head, onError)
    this.#filters = new FilterStore(this.#changes)
    this.#hub = new SubscriptionHub(this.#changes, head, onError)
    this.#subscriptions = this.#open()
  }

  /** For one request. `answered` of its connection is to be called after the caller has the result. */
  forRequest(): CallerNews & { readonly connection: MessageSubscriptions } {
    const connection = this.#subscriptions.forMessage()
    return { filters: this.#filters, owner: this, quota: noQuota, connection }
  }

  /** Ends all filters and subscriptions. */
  close(): void {
    this.#subscriptions.close()
    this.#filters.close()
    this.#hub.close()
    this.#changes.close()
  }

  #open(): ConnectionSubscriptions {
    const subscriptions = new ConnectionSubscriptions({
      hub: this.#hub,
      quota: noQuota,
      owner: this,
      notify: (id, result) => this.#listener.onNotification(id, result),
      fail: () => {
        // Each of the subscriptions fails.
        if (subscriptions !== this.#subscriptions) return
        this.#subscriptions = this.#open()
        subscriptions.close()
        this.#listener.onGap(this.#failure)
      },
    })
    return subscriptions
  }
}
