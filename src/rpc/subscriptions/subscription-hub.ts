// Notifies all subscriptions of what is new in the chain, as geth does: logs of dropped blocks, then for each new block its
// header, its logs and its receipts. Each of them is read and written once. Follows geth's eth/filters/filter_system.go.
import { setImmediate } from 'node:timers/promises'
import type { Awaitable } from '../../awaitable.js'
import { bytesToHex } from '../../bytes.js'
import type { ChainPoint } from '../../datadir/branch.js'
import type { ChainView } from '../../datadir/chain-view.js'
import type { HeadChange, HeadChanges, HeadSource } from '../../datadir/head-changes.js'
import { headJson } from '../encoding/head.js'
import { receiptsJson } from '../encoding/receipt.js'
import { stringOfText } from '../json/json-text.js'
import { Turns } from '../turns.js'
import { type NewLog, readBlockLogs } from './block-logs.js'
import type { LogCriteria } from './log-criteria.js'
import { LogSubscribers } from './log-subscribers.js'
import { markRemoved } from './removed-logs.js'

/** What a subscription is about. `silent` is for what a directory never has. */
export type Topic =
  | { readonly type: 'newHeads' }
  | { readonly type: 'silent' }
  | { readonly type: 'logs'; readonly criteria: LogCriteria }
  /** Hashes in hex; undefined for all transactions. */
  | { readonly type: 'transactionReceipts'; readonly hashes: ReadonlySet<string> | undefined }

/** Addresses, topics and hashes of a topic. */
export function parametersOf(topic: Topic): number {
  if (topic.type === 'transactionReceipts') return topic.hashes?.size ?? 0
  if (topic.type !== 'logs') return 0
  const { addresses, topics } = topic.criteria
  return [addresses, ...topics].reduce((sum, values) => sum + (values?.size ?? 0), 0)
}

/** A subscription. */
interface Subscriber<T extends Topic = Topic> {
  readonly topic: T
  /** Gets the JSON of one notification. */
  readonly notify: (result: string) => void
  /** What is new cannot be read: the subscription would have a gap. */
  fail(): void
}

/** A time in which the hub listens to changes of the head. */
interface Session {
  /** Ends the listening. */
  stop(): void
}

/** Bytes of logs of recent blocks that stay in memory: geth may delete a block that it drops. */
const rememberedBytes = 16 * 1024 * 1024

/** All subscriptions of a service. */
export class SubscriptionHub {
  readonly #changes: HeadChanges
  readonly #source: HeadSource
  readonly #onError: (error: unknown) => void
  readonly #subscribers = new Set<Subscriber>()
  readonly #logSubscribers = new LogSubscribers()
  /** Logs by block hash, oldest first. */
  readonly #logs = new Map<string, readonly NewLog[]>()
  #logBytes = 0
  /** From the first subscription to the last one; what is under way for an earlier time is nothing for later subscriptions. */
  #session: Session | undefined
  #work: Promise<void> = Promise.resolve()
  #lag = 0

  constructor(changes: HeadChanges, source: HeadSource, onError: (error: unknown) => void) {
    this.#changes = changes
    this.#source = source
    this.#onError = onError
  }

  /** Subscriptions. */
  get size(): number {
    return this.#subscribers.size
  }

  /** New blocks that were seen and of which subscriptions are not notified yet. */
  get lag(): number {
    return this.#lag
  }

  /** An answer from the newest view, for what subscriptions make by themselves. `caller` is who asks. */
  ask<T>(work: (view: ChainView) => Awaitable<T>, caller: object): Promise<T> {
    return this.#source.ask(work, caller)
  }

  /** Adds a subscription to what happens after a view. Returns a function that ends it. */
  add(view: ChainView, subscriber: Subscriber): () => void {
    this.#session ??= this.#listen(view)
    this.#subscribers.add(subscriber)
    const { topic } = subscriber
    const notify = (json: string) => this.#notify(subscriber, json)
    const ofLogs = topic.type === 'logs' ? { criteria: topic.criteria, notify } : undefined
    if (ofLogs !== undefined) this.#logSubscribers.add(ofLogs)
    return () => {
      this.#subscribers.delete(subscriber)
      if (ofLogs !== undefined) this.#logSubscribers.delete(ofLogs)
      if (this.#subscribers.size === 0) this.close()
    }
  }

  #listen(view: ChainView): Session {
    const stop = this.#changes.listen(view, {
      onChange: (change) => {
        this.#lag += change.added.length
        this.#work = this.#work.then(() => this.#publish(change, session))
      },
      onGap: () => this.#fail(),
    })
    const session = { stop }
    return session
  }

  /** Ends all subscriptions without a word. */
  close(): void {
    this.#session?.stop()
    this.#session = undefined
    this.#subscribers.clear()
    this.#logSubscribers.clear()
    this.#logs.clear()
    this.#logBytes = 0
  }

  async #publish({ dropped, added, head }: HeadChange, session: Session): Promise<void> {
    const attempt = async (work: () => Promise<void>) => {
      if (this.#session === session) await this.#attempt(work)
    }
    // geth sends dropped logs in ascending order, too.
    for (const block of dropped.toReversed())
      await attempt(() => this.#publishLogs(block, ({ json }) => markRemoved(json)))
    if (added.length === 0) await attempt(() => this.#publishHead(head))
    for (const block of added) {
      await attempt(() => this.#publishHead(block))
      await attempt(() => this.#publishLogs(block, ({ json }) => json))
      await attempt(() => this.#publishReceipts(block))
      this.#lag--
      if (added.length > 1) await setImmediate()
    }
  }

  /** What cannot be read leaves a gap in all subscriptions: they end. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#onError(error)
      this.#fail()
    }
  }

  #fail(): void {
    for (const subscriber of [...this.#subscribers]) subscriber.fail()
  }

  /** Notifies a subscriber unless it has ended while others were notified. */
  #notify(subscriber: Subscriber, json: string): void {
    if (this.#subscribers.has(subscriber)) subscriber.notify(json)
  }

  #of<T extends Topic['type']>(type: T): Subscriber<Extract<Topic, { type: T }>>[] {
    return [...this.#subscribers].filter(({ topic }) => topic.type === type) as never
  }

  async #publishHead({ hash }: ChainPoint): Promise<void> {
    const subscribers = this.#of('newHeads')
    if (subscribers.length === 0) return
    const json = await this.#source.ask((view) => headJson(view.chain.header({ hash })!))
    const turns = new Turns()
    for (const subscriber of subscribers) {
      this.#notify(subscriber, json)
      if (turns.isOver) await turns.next()
    }
  }

  async #publishLogs(block: ChainPoint, textOf: (log: NewLog) => string): Promise<void> {
    if (this.#logSubscribers.isEmpty) return
    const logs = await this.#logsOf(block)
    const turns = new Turns()
    for (const log of logs) {
      const text = textOf(log)
      // Subscriptions that begin meanwhile come too late for this log.
      for (const { notify } of [...this.#logSubscribers.of(log)]) {
        notify(text)
        if (turns.isOver) await turns.next()
      }
    }
  }

  async #publishReceipts({ hash }: ChainPoint): Promise<void> {
    const subscribers = this.#of('transactionReceipts')
    if (subscribers.length === 0) return
    const all = await this.#source.ask(async (view) => {
      const found = await view.storedReceipts({ hash })
      return stringOfText(found === undefined ? '[]' : ['[', ...receiptsJson(found.stored, found), ']'])
    })
    if (all === '[]') return
    let receipts: readonly { readonly hash: string; readonly json: string }[] | undefined
    const turns = new Turns()
    for (const subscriber of subscribers) {
      const { hashes } = subscriber.topic
      if (hashes === undefined) this.#notify(subscriber, all)
      else {
        receipts ??= separateReceipts(all)
        const matching = receipts.filter(({ hash }) => hashes.has(hash))
        if (matching.length > 0) this.#notify(subscriber, `[${matching.map(({ json }) => json).join()}]`)
      }
      if (turns.isOver) await turns.next()
    }
  }

  async #logsOf(block: ChainPoint): Promise<readonly NewLog[]> {
    const key = bytesToHex(block.hash)
    const known = this.#logs.get(key)
    if (known !== undefined) return known
    const logs = await this.#source.ask((view) => readBlockLogs(view, block))
    this.#logs.set(key, logs)
    this.#logBytes += bytesOf(logs)
    for (const [oldest, others] of this.#logs) {
      if (this.#logBytes <= rememberedBytes) break
      this.#logBytes -= bytesOf(others)
      this.#logs.delete(oldest)
    }
    return logs
  }
}

/** The receipts of a list, each as JSON. They hold strings and lists alone, so they are the same when they are written again. */
function separateReceipts(all: string): { readonly hash: string; readonly json: string }[] {
  const receipts = JSON.parse(all) as { readonly transactionHash: string }[]
  return receipts.map((receipt) => ({ hash: receipt.transactionHash, json: JSON.stringify(receipt) }))
}

function bytesOf(logs: readonly NewLog[]): number {
  return logs.reduce((sum, { json }) => sum + json.length, 256)
}
