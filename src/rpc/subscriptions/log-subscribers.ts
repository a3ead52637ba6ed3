// Finds the subscriptions that a new log may match by its address and its topics, without a look at each of them.
import type { NewLog } from './block-logs.js'
import { type LogCriteria, matchesTopics } from './log-criteria.js'

/** A subscription to logs. */
interface LogSubscriber {
  readonly criteria: LogCriteria
  readonly notify: (result: string) => void
}

/** Subscriptions to logs by what all of their logs have. */
export class LogSubscribers {
  readonly #byKey = new Map<string, Set<LogSubscriber>>()

  get isEmpty(): boolean {
    return this.#byKey.size === 0
  }

  add(subscriber: LogSubscriber): void {
    for (const key of keysOf(subscriber.criteria)) {
      const others = this.#byKey.get(key)
      if (others === undefined) this.#byKey.set(key, new Set([subscriber]))
      else others.add(subscriber)
    }
  }

  delete(subscriber: LogSubscriber): void {
    for (const key of keysOf(subscriber.criteria)) {
      const others = this.#byKey.get(key)
      others?.delete(subscriber)
      if (others?.size === 0) this.#byKey.delete(key)
    }
  }

  clear(): void {
    this.#byKey.clear()
  }

  /** The subscriptions that a log is for, each once. */
  *of(log: NewLog): Generator<LogSubscriber, void, undefined> {
    for (const key of [log.address, ...log.topics.map(topicKey), anyLog]) {
      for (const subscriber of this.#byKey.get(key) ?? []) {
        if (matchesTopics(subscriber.criteria, log)) yield subscriber
      }
    }
  }
}

const anyLog = ''

function topicKey(topic: string, position: number): string {
  return `${position} ${topic}`
}

/** Each log of a subscription has exactly one of these: an address, else a topic at the first position that has any. */
function keysOf({ addresses, topics }: LogCriteria): Iterable<string> {
  if (addresses !== undefined) return addresses
  const position = topics.findIndex((values) => values !== undefined)
  return position < 0 ? [anyLog] : Array.from(topics[position]!, (topic) => topicKey(topic, position))
}
