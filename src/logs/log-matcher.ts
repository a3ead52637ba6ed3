// Finds the matching logs in the raw receipts of a block, in the scratch memory, and appends them to a collector. Reads no
// files and no keys.
import { kernel } from '../kernel/kernel.js'
import type { Extent, ScratchMemory } from '../kernel/scratch-memory.js'
import type { ScanOrder } from '../rawdb/block-span.js'
import { type LogFilter, maxTopics } from './filter.js'
import { type LogBlock, type LogCollector, matchBytes } from './log-stage.js'

/** Bytes of the shortest log: a list of an address, no topics and no data. */
const shortestLog = 24
const { filterGroup: groupBytes, item: itemBytes } = kernel.layout

/** Finds the logs that match one filter. Has the matches of one block at a time. */
export class LogMatcher {
  readonly #memory: ScratchMemory
  readonly #filterAt: number
  #matchesAt = 0
  #hashesAt = 0
  #count = 0

  /** Allocates the filter in the memory. */
  constructor(memory: ScratchMemory, filter: LogFilter) {
    this.#memory = memory
    this.#filterAt = writeFilter(memory, filter)
  }

  /** Number of matches in the stored receipts of a block; undefined if they are damaged. Allocates the matches. */
  match(receipts: Extent): number | undefined {
    const memory = this.#memory
    this.#matchesAt = memory.allocate(Math.ceil(receipts.length / shortestLog) * matchBytes)
    const { matchLogs } = memory.functions
    const count = matchLogs(receipts.at, receipts.length, this.#filterAt, this.#matchesAt)
    if (count < 0) return undefined
    this.#count = count
    memory.release(this.#matchesAt)
    memory.allocate(count * matchBytes)
    return count
  }

  /** Address of the matches, as the kernel's matchLogs writes them. */
  get matchesAt(): number {
    return this.#matchesAt
  }

  /** Hashes the transactions of the matches. False if the body is damaged or does not have them. */
  hashTransactions(body: Extent): boolean {
    const memory = this.#memory
    const { functions } = memory
    this.#hashesAt = memory.allocate(32 * this.#count)
    const tableAt = memory.allocate(itemBytes * this.#count)
    const { at, length } = body
    const found = functions.indexMatchedTransactions(at, length, this.#matchesAt, this.#count, tableAt)
    if (found < 0) return false
    functions.hashItems(tableAt, found, this.#hashesAt)
    functions.spreadHashes(this.#matchesAt, this.#count, this.#hashesAt, found)
    return true
  }

  /** Appends the matches to a collector, in order of their log indexes or in reverse. */
  appendTo(collector: Pick<LogCollector<unknown>, 'append'>, block: LogBlock, order: ScanOrder): void {
    const first = order === 'ascending' ? 0 : this.#count - 1
    collector.append(block, {
      matchAt: this.#matchesAt + matchBytes * first,
      hashAt: this.#hashesAt + 32 * first,
      count: this.#count,
      step: order === 'ascending' ? 1 : -1,
    })
  }
}

/** Writes a filter in the form of the kernel (assembly/log-match.ts); returns its address. */
function writeFilter(memory: ScratchMemory, filter: LogFilter): number {
  const groups = [filter.addresses, ...filter.topics.slice(0, maxTopics)]
  const headWords = ((1 + maxTopics) * groupBytes) / 4 + 1
  const at = memory.allocate(4 * headWords)
  const placed = groups.map((values) => {
    const valuesAt = memory.allocate(values.length * (values[0]?.length ?? 0))
    for (const [i, value] of values.entries()) memory.whole.set(value, valuesAt + i * value.length)
    const slots = 2 ** Math.ceil(Math.log2(2 * values.length + 1))
    const slotsAt = memory.allocate(4 * slots)
    memory.words({ at: slotsAt, length: slots }).fill(0)
    return [values.length, valuesAt, slotsAt, slots - 1]
  })
  const head = memory.words({ at, length: headWords }).fill(0)
  for (const [i, words] of placed.entries()) head.set(words, (i * groupBytes) / 4)
  head[headWords - 1] = filter.topics.length
  memory.functions.indexLogFilter(at)
  return at
}
