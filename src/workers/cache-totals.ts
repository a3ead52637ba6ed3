// Hits and misses of caches, summed over the threads that work on one directory. A cache counts for itself, in its own
// thread; each thread adds what is new to shared memory when it has time.
import { tableBlockReads } from '../ethdb/table-store.js'
import type { View } from '../view/view.js'

const cacheNames = ['blocks', 'nodes', 'accounts', 'slots', 'codes'] as const

/** Key-value blocks, trie nodes, accounts, slots and codes. */
export type CacheName = (typeof cacheNames)[number]

/** How often something was in memory when asked for. */
export interface CacheCount {
  readonly hits: number
  readonly misses: number
}

const none: CacheCount = { hits: 0, misses: 0 }

/** Sums that several threads add to. */
export class CacheTotals {
  /** Hits and misses of each cache, in the order of the names. */
  readonly #sums: BigInt64Array
  /** What was added of the caches of this thread. */
  readonly #added = new WeakMap<CacheCount, CacheCount>()

  constructor(sums: BigInt64Array = new BigInt64Array(new SharedArrayBuffer(cacheNames.length * 16))) {
    this.#sums = sums
  }

  /** The totals that a worker was started with. A worker that was started without any gets its own, which nobody reads. */
  static ofWorker(data: unknown): CacheTotals {
    return new CacheTotals(data instanceof BigInt64Array ? data : undefined)
  }

  /** What a worker is started with. */
  get workerData(): unknown {
    return this.#sums
  }

  /** Adds what the caches of this thread have done since they were added last. */
  add({ stateCache }: Pick<View, 'stateCache'>): void {
    const { nodes, accounts, slots, codeReads } = stateCache
    const counts = { blocks: tableBlockReads(), nodes, accounts, slots, codes: codeReads }
    for (const [index, name] of cacheNames.entries()) {
      const count = counts[name]
      const { hits, misses } = count
      const added = this.#added.get(count) ?? none
      Atomics.add(this.#sums, 2 * index, BigInt(hits - added.hits))
      Atomics.add(this.#sums, 2 * index + 1, BigInt(misses - added.misses))
      this.#added.set(count, { hits, misses })
    }
  }

  read(): Readonly<Record<CacheName, CacheCount>> {
    const at = (index: number) => Number(Atomics.load(this.#sums, index))
    const entries = cacheNames.map((name, index) => [
      name,
      { hits: at(2 * index), misses: at(2 * index + 1) },
    ])
    return Object.fromEntries(entries) as Record<CacheName, CacheCount>
  }
}
