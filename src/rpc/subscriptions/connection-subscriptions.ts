// The subscriptions of one connection. Notifications of a subscription are held back until its id is sent. Follows Notifier in
// geth's rpc/subscription.go.
import type { ChainView } from '../../datadir/chain-view.js'
import { newId } from './ids.js'
import type { NewsQuota } from './news-quota.js'
import type { SubscriptionHub, Topic } from './subscription-hub.js'

interface ConnectionOptions {
  readonly hub: SubscriptionHub
  readonly quota: NewsQuota
  /** Gets the id of a subscription and the JSON of a notification. */
  notify(id: string, result: string): void
  /** Ends the connection: what is new is not known. */
  fail(): void
}

/** The message for a notification of a subscription. */
export function notificationMessage(id: string, result: string): string {
  return `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`
}

interface Subscription {
  readonly end: () => void
  /** Results that wait for the id; undefined when it is sent. */
  held: string[] | undefined
}

/** The subscriptions of one connection. */
export class ConnectionSubscriptions {
  readonly #options: ConnectionOptions
  readonly #subscriptions = new Map<string, Subscription>()
  #isOver = false

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** For one message of the connection. */
  forMessage(): MessageSubscriptions {
    const made: string[] = []
    return {
      subscribe: (view, topic, first) => {
        const id = this.#add(view, topic, first)
        made.push(id)
        return id
      },
      unsubscribe: (id) => this.#remove(id),
      answered: () => {
        for (const id of made) this.#activate(id)
      },
    }
  }

  /** Ends all of them, because the connection has ended. */
  close(): void {
    this.#isOver = true
    for (const id of [...this.#subscriptions.keys()]) this.#remove(id)
  }

  #add(view: ChainView, topic: Topic, first: string | undefined): string {
    const { hub, fail } = this.#options
    const id = newId()
    const notify = (result: string) => {
      const held = this.#subscriptions.get(id)?.held
      if (held === undefined) this.#send(id, result)
      else held.push(result)
    }
    const subscription = {
      end: hub.add(view, { topic, notify, fail }),
      held: first === undefined ? [] : [first],
    }
    this.#subscriptions.set(id, subscription)
    if (this.#isOver) this.#remove(id)
    return id
  }

  #remove(id: string): boolean {
    const subscription = this.#subscriptions.get(id)
    if (subscription === undefined) return false
    this.#subscriptions.delete(id)
    subscription.end()
    this.#options.quota.give()
    return true
  }

  #activate(id: string): void {
    const subscription = this.#subscriptions.get(id)
    const held = subscription?.held ?? []
    if (subscription !== undefined) subscription.held = undefined
    for (const result of held) this.#send(id, result)
  }

  #send(id: string, result: string): void {
    if (this.#subscriptions.has(id)) this.#options.notify(id, result)
  }
}

/** What one message may do with the subscriptions of its connection. */
export interface MessageSubscriptions {
  /** Id of a new one, which is counted already. `first` is its first notification, if it has one at once. */
  subscribe(view: ChainView, topic: Topic, first?: string): string
  /** Whether there was one. */
  unsubscribe(id: string): boolean
  /** To be called when the answer to the message is sent. */
  answered(): void
}
