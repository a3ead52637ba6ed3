// The filters of a service: what they ask for, and the place up to which their owner knows the chain. Blocks are stored once for
// all filters, and logs not at all: they are read when a filter is asked. Follows geth's eth/filters/api.go.
import type { ChainPoint } from '../../datadir/branch.js'
import type { ChainView } from '../../datadir/chain-view.js'
import type { HeadChange, HeadChanges } from '../../datadir/head-changes.js'
import type { LogFilterArgument } from '../parameters/log-filter.js'
import { newId } from './ids.js'

/** Time after its last use in which a filter is not removed. */
const lifeMilliseconds = 300_000

/** How often old filters are looked for. */
const sweepMilliseconds = 30_000

/** Steps that are stored: those of five minutes at 50 blocks a second, six times over. Filters before them are removed. */
const maxSteps = 100_000

/** A block that was dropped or added. */
export interface ChainStep {
  readonly kind: 'dropped' | 'added'
  readonly block: ChainPoint
}

/** What a filter reports. */
export type FilterKind =
  | { readonly type: 'blocks' }
  | { readonly type: 'pending' }
  | { readonly type: 'logs'; readonly criteria: LogFilterArgument }

/** A filter. */
export interface Filter {
  readonly kind: FilterKind
  readonly owner: object
  /** The steps that its owner knows. */
  position: number
  /** Of the clock of this thread. */
  usedAt: number
  /** The last request for its changes: the next one waits for it. */
  busy: Promise<unknown>
  /** Called once, when the filter is removed. */
  readonly onRemoved: () => void
}

/** All filters of one process. */
export class FilterStore {
  readonly #changes: HeadChanges
  /** Of several threads, the one that has these filters. */
  readonly thread: number | undefined
  readonly #filters = new Map<string, Filter>()
  readonly #steps: ChainStep[] = []
  /** Steps that are not stored any more. */
  #forgotten = 0
  #stopListening: (() => void) | undefined
  #sweep: NodeJS.Timeout | undefined

  /** `thread` is put into ids; see ids.ts. */
  constructor(changes: HeadChanges, thread?: number) {
    this.#changes = changes
    this.thread = thread
  }

  /** How many there are. */
  get size(): number {
    return this.#filters.size
  }

  /** Adds a filter for what happens after a view. Returns its id. */
  add(view: ChainView, { kind, owner, onRemoved }: Pick<Filter, 'kind' | 'owner' | 'onRemoved'>): string {
    this.#stopListening ??= this.#changes.listen(view, {
      onChange: (change) => this.#store(change),
      onGap: () => this.close(),
    })
    this.#sweep ??= setInterval(() => this.#removeOld(), sweepMilliseconds).unref()
    const id = newId(this.thread)
    const position = this.#forgotten + this.#steps.length
    const usedAt = performance.now()
    this.#filters.set(id, { kind, owner, position, usedAt, busy: Promise.resolve(), onRemoved })
    return id
  }

  /** Undefined if there is none, or if it is another caller's. */
  find(id: string, owner: object): Filter | undefined {
    const filter = this.#filters.get(id)
    return filter?.owner === owner ? filter : undefined
  }

  /** Whether there was one. */
  remove(id: string, owner: object): boolean {
    const filter = this.find(id, owner)
    if (filter === undefined) return false
    this.#filters.delete(id)
    filter.onRemoved()
    if (this.#filters.size === 0) this.close()
    return true
  }

  /** The newest block that the steps lead to. */
  get last(): ChainPoint | undefined {
    return this.#changes.last
  }

  /** What has happened since the position of a filter. */
  stepsOf({ position }: Filter): readonly ChainStep[] {
    return this.#steps.slice(position - this.#forgotten)
  }

  /** Removes all filters. */
  close(): void {
    clearInterval(this.#sweep)
    this.#sweep = undefined
    this.#stopListening?.()
    this.#stopListening = undefined
    for (const { onRemoved } of this.#filters.values()) onRemoved()
    this.#filters.clear()
    this.#forgotten += this.#steps.length
    this.#steps.length = 0
  }

  #store({ dropped, added }: HeadChange): void {
    // geth reports dropped logs in ascending order, too.
    for (const block of dropped.toReversed()) this.#steps.push({ kind: 'dropped', block })
    for (const block of added) this.#steps.push({ kind: 'added', block })
    if (this.#steps.length > maxSteps) {
      this.#forget(this.#steps.length - maxSteps)
      this.#removeIf(({ position }) => position < this.#forgotten)
    }
  }

  #forget(count: number): void {
    this.#steps.splice(0, count)
    this.#forgotten += count
  }

  #removeOld(): void {
    const oldest = performance.now() - lifeMilliseconds
    this.#removeIf(({ usedAt }) => usedAt < oldest)
    let known = this.#forgotten + this.#steps.length
    for (const { position } of this.#filters.values()) known = Math.min(known, position)
    this.#forget(known - this.#forgotten)
  }

  #removeIf(isOver: (filter: Filter) => boolean): void {
    for (const [id, filter] of this.#filters) if (isOver(filter)) this.remove(id, filter.owner)
  }
}
