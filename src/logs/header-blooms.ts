// The bloom stage of a log scan: which blocks of a range may hold a matching log. Headers stream from the freezer into
// the kernel's memory and are tested there as stored; the newest come from the keys. Makes nothing for a block that
// does not pass.
import type { ItemBatch } from '../freezer/freezer-table.js'
import { ancientPlace, type ChainDatabase, decodeRecord, frozenHead } from '../rawdb/chain-database.js'
import { type ScanOrder, scanHeaders } from '../rawdb/scan.js'
import { headerBloom } from '../types/header.js'
import { type BloomFilter, mayMatch, packBloomFilter } from './bloom-filter.js'
import { readBatches } from './record-batches.js'
import type { ScratchMemory } from './scratch-memory.js'

/** Blocks that were looked at together. */
export interface TestedBlocks {
  /** Both ends included. */
  readonly from: number
  readonly to: number
  /** Numbers of the blocks that may hold a matching log, in the order of the scan. */
  readonly passed: readonly number[]
  /** Stored bytes that were read. */
  readonly bytes: number
}

/** Headers of one read: about 2 MiB, between 0.2 and 2 ms of work. */
const batchItems = 4096
/** More than that many headers of the longest kind that networks have. */
const batchBytes = 16 * 1024 * 1024

/** Blocks of one step over the keys. */
const keyBlocks = 256

/**
 * Tests canonical blocks `from` to `to`, both ends included and at most the head, batch by batch in the order of the scan.
 * What the caller places in the memory between two steps is released. Throws DAMAGED where a header is missing or none.
 */
export function* testHeaderBlooms(
  { db, memory, filter }: BloomTools,
  { from, to, order }: { readonly from: number; readonly to: number; readonly order: ScanOrder },
): Generator<TestedBlocks> {
  const frozenTo = Math.min(to, frozenHead(db) - 1)
  const keyFrom = Math.max(from, frozenHead(db))
  const tools = { db, memory, filter }
  if (order === 'ascending') {
    yield* testFrozen(tools, from, frozenTo, order)
    yield* testKeys(tools, keyFrom, to, order)
  } else {
    yield* testKeys(tools, keyFrom, to, order)
    yield* testFrozen(tools, from, frozenTo, order)
  }
}

/** What the stage works with. */
export interface BloomTools {
  readonly db: ChainDatabase
  readonly memory: ScratchMemory
  readonly filter: BloomFilter
}

function* testFrozen(
  { db, memory, filter }: BloomTools,
  from: number,
  to: number,
  order: ScanOrder,
): Generator<TestedBlocks> {
  if (from > to) return
  const table = db.ancient?.table('headers')
  const filterAt = memory.placeCopy(packBloomFilter(filter)).at
  const base = memory.top
  const allocate = (byteLength: number) => {
    memory.release(base)
    return memory.placeArray(byteLength)
  }
  const limits = { maxItems: batchItems, maxBytes: batchBytes, allocate }
  let tested = 0
  for (const batch of table ? readBatches(table, from, to, order, limits) : []) {
    const { first, count, offsets } = batch
    const offsetsAt = memory.placeWords(offsets)
    const passedAt = memory.place(4 * count)
    const found = memory.functions.testHeaderBlooms(base, offsetsAt, count, filterAt, passedAt)
    const passed =
      found < 0
        ? testOneByOne(db, filter, batch)
        : Array.from(memory.words({ at: passedAt, length: found }), (i) => first + i)
    if (order === 'descending') passed.reverse()
    yield { from: first, to: first + count - 1, passed, bytes: offsets[count]! }
    tested += count
  }
  if (tested === to - from + 1) return
  // Throws for the header that is missing.
  for (const _ of scanHeaders(db, from, to, order));
}

/** What the kernel refuses is decoded in full, which tells what is wrong with it. */
function testOneByOne(
  db: ChainDatabase,
  filter: BloomFilter,
  { first, count, bytes, offsets }: ItemBatch,
): number[] {
  const table = db.ancient!.table('headers')!
  const passed: number[] = []
  for (let i = 0; i < count; i++) {
    const rlp = table.decodeItem(first + i, bytes.subarray(offsets[i]!, offsets[i + 1]!))
    const bloom = decodeRecord(ancientPlace(db, 'headers', first + i), rlp, headerBloom)
    if (mayMatch(filter, bloom)) passed.push(first + i)
  }
  return passed
}

function* testKeys(
  { db, filter }: BloomTools,
  from: number,
  to: number,
  order: ScanOrder,
): Generator<TestedBlocks> {
  const isAscending = order === 'ascending'
  for (let done = 0; done <= to - from; done += keyBlocks) {
    const first = isAscending ? from + done : Math.max(from, to - done - keyBlocks + 1)
    const last = isAscending ? Math.min(to, from + done + keyBlocks - 1) : to - done
    const passed: number[] = []
    let bytes = 0
    for (const { number, rlp } of scanHeaders(db, first, last, order)) {
      bytes += rlp.length
      if (mayMatch(filter, headerBloom(rlp))) passed.push(number)
    }
    yield { from: first, to: last, passed, bytes }
  }
}
