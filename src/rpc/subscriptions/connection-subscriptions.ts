// The subscriptions of one connection. Notifications of a subscription are held back until its id is sent. Follows Notifier in
// geth's rpc/subscription.go.
import type { Awaitable } from '../../awaitable.js'
import type { ChainView } from '../../datadir/chain-view.js'
import { newId } from './ids.js'
import { giveTo, type NewsQuota } from './news-quota.js'
import { parametersOf, type SubscriptionHub, type Topic } from './subscription-hub.js'

interface ConnectionOptions {
  readonly hub: SubscriptionHub
  readonly quota: NewsQuota
  /** Identifies the caller among those who wait for workers. */
  readonly owner: object
  /**
   * Gets the id of a subscription, the JSON of a notification and the namespace. Resolves when the operating system has the
   * message, or never will.
   */
  notify(id: string, result: string, namespace: string): Awaitable<void>
  /** Ends the connection: what is new is not known. */
  fail(): void
}

/** The message for a notification of a subscription. */
export function notificationMessage(id: string, result: string, namespace: string): string {
  return `{"jsonrpc":"2.0","method":"${namespace}_subscription","params":{"subscription":"${id}","result":${result}}}`
}

/** Results that are made one after the other, each when the one before is sent. */
interface ResultStream {
  /** Namespace of the subscription. */
  readonly namespace: string
  /** How many results there are at most. */
  readonly steps: number
  /** JSON of a result; undefined if there is nothing to say at this step. May be run again on another view. */
  run(view: ChainView, step: number, signal: AbortSignal): Awaitable<string | undefined>
}

interface Subscription {
  readonly end: () => void
  /** Counted by the quota of the caller. */
  readonly parameters?: number
  /** Begins what the subscription does by itself, when its id is sent. */
  readonly begin?: () => void
  /** Results that wait for the id; undefined when it is sent. */
  held: string[] | undefined
}

/** The subscriptions of one connection. */
export class ConnectionSubscriptions {
  readonly #options: ConnectionOptions
  readonly #subscriptions = new Map<string, Subscription>()
  #isOver = false
  /** The last step of a stream: all streams of a connection take turns. */
  #step: Promise<unknown> = Promise.resolve()

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
      stream: (stream) => {
        const id = this.#addStream(stream)
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
    const held = first === undefined ? [] : [first]
    const end = hub.add(view, { topic, notify, fail })
    return this.#store(id, { end, parameters: parametersOf(topic), held })
  }

  #addStream(stream: ResultStream): string {
    const id = newId()
    const gone = new AbortController()
    const begin = () => {
      this.#runStream(id, stream, gone.signal).catch(() => {
        if (!gone.signal.aborted) this.#options.fail()
      })
    }
    return this.#store(id, { begin, end: () => gone.abort(), held: undefined })
  }

  async #runStream(id: string, stream: ResultStream, signal: AbortSignal): Promise<void> {
    const { hub, owner, notify } = this.#options
    for (let step = 0; step < stream.steps && !signal.aborted; step++) {
      const result = this.#step.then(async () => {
        if (signal.aborted) return
        const json = await hub.ask((view) => stream.run(view, step, signal), owner)
        if (json === undefined || signal.aborted) return
        await notify(id, json, stream.namespace)
      })
      this.#step = result.catch(() => {})
      await result
    }
  }

  #store(id: string, subscription: Subscription): string {
    this.#subscriptions.set(id, subscription)
    if (this.#isOver) this.#remove(id)
    return id
  }

  #remove(id: string): boolean {
    const subscription = this.#subscriptions.get(id)
    if (subscription === undefined) return false
    this.#subscriptions.delete(id)
    subscription.end()
    giveTo(this.#options.quota, subscription.parameters)
    return true
  }

  #activate(id: string): void {
    const subscription = this.#subscriptions.get(id)
    const held = subscription?.held ?? []
    if (subscription !== undefined) subscription.held = undefined
    for (const result of held) this.#send(id, result)
    subscription?.begin?.()
  }

  #send(id: string, result: string): void {
    if (this.#subscriptions.has(id)) this.#options.notify(id, result, 'eth')
  }
}

/** What one message may do with the subscriptions of its connection. */
export interface MessageSubscriptions {
  /** Id of a new one, which is counted already. `first` is its first notification, if it has one at once. */
  subscribe(view: ChainView, topic: Topic, first?: string): string
  /** Id of a new one that makes its results by itself, which is counted already. */
  stream(stream: ResultStream): string
  /** Whether there was one. */
  unsubscribe(id: string): boolean
  /** To be called when the answer to the message is sent. */
  answered(): void
}
