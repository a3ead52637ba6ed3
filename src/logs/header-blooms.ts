// The bloom stage of a log scan: which blocks of a range may hold a matching log. Headers stream from the freezer into
// the kernel's memory and are tested there as stored; the newest come from the keys. Makes nothing for a block that
// does not pass.
import type { ItemBatch } from '../freezer/freezer-table.js'
import { createKernel } from '../kernel/kernel.js'
import { ancientPlace, type ChainDatabase, decodeRecord, frozenHead } from '../rawdb/chain-database.js'
import { type ScanOrder, scanHeaders } from '../rawdb/scan.js'
import { headerBloom } from '../types/header.js'
import { type BloomFilter, mayMatch, packBloomFilter } from './bloom-filter.js'
import { readBatches } from './record-batches.js'

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

const kernel = createKernel()
const slack = kernel.functions.snappySlack()

/**
 * Tests canonical blocks `from` to `to`, both ends included and at most the head, batch by batch in the order of the scan.
 * Not to be run twice at once in a thread. Throws DAMAGED where a header is missing or none.
 */
export function* testHeaderBlooms(
  db: ChainDatabase,
  filter: BloomFilter,
  { from, to, order }: { readonly from: number; readonly to: number; readonly order: ScanOrder },
): Generator<TestedBlocks> {
  const frozenTo = Math.min(to, frozenHead(db) - 1)
  const keyFrom = Math.max(from, frozenHead(db))
  if (order === 'ascending') {
    yield* testFrozen(db, filter, from, frozenTo, order)
    yield* testKeys(db, filter, keyFrom, to, order)
  } else {
    yield* testKeys(db, filter, keyFrom, to, order)
    yield* testFrozen(db, filter, from, frozenTo, order)
  }
}

function* testFrozen(
  db: ChainDatabase,
  filter: BloomFilter,
  from: number,
  to: number,
  order: ScanOrder,
): Generator<TestedBlocks> {
  if (from > to) return
  const table = db.ancient?.table('headers')
  const packed = packBloomFilter(filter)
  const layout = layOut(packed.length)
  const allocate = (byteLength: number) => {
    const memory = kernel.reserve(layout.items + byteLength + slack - kernel.arena)
    memory.set(packed, layout.filter)
    return memory.subarray(layout.items, layout.items + byteLength)
  }
  const limits = { maxItems: batchItems, maxBytes: batchBytes, allocate }
  let tested = 0
  for (const batch of table ? readBatches(table, from, to, order, limits) : []) {
    const last = batch.first + batch.count - 1
    const passed = testBatch(db, filter, batch, layout)
    if (order === 'descending') passed.reverse()
    yield { from: batch.first, to: last, passed, bytes: batch.bytes.length }
    tested += batch.count
  }
  if (tested === to - from + 1) return
  // Throws for the header that is missing.
  for (const _ of scanHeaders(db, from, to, order));
}

/** Addresses in the kernel's memory. */
interface Layout {
  readonly filter: number
  readonly offsets: number
  readonly passed: number
  readonly items: number
}

function layOut(filterBytes: number): Layout {
  const filter = kernel.arena
  const offsets = filter + Math.ceil(filterBytes / 8) * 8
  const passed = offsets + 4 * (batchItems + 2)
  return { filter, offsets, passed, items: passed + 4 * batchItems }
}

/** Numbers of the blocks of a batch that pass, ascending. */
function testBatch(
  db: ChainDatabase,
  filter: BloomFilter,
  { first, count, bytes, offsets }: ItemBatch,
  layout: Layout,
): number[] {
  const words = new Uint32Array(bytes.buffer)
  words.set(offsets, layout.offsets / 4)
  const result = kernel.functions.testHeaderBlooms(
    layout.items,
    layout.offsets,
    count,
    layout.filter,
    layout.passed,
  )
  if (result < 0) return testOneByOne(db, filter, { first, count, bytes, offsets })
  const at = layout.passed / 4
  return Array.from(words.subarray(at, at + result), (index) => first + index)
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
  db: ChainDatabase,
  filter: BloomFilter,
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
