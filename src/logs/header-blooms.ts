// The bloom stage of a log scan: which blocks of a range may hold a matching log. Headers stream from the freezer into
// the kernel's memory and are tested there as stored; the newest come from the keys. Makes nothing for a block that
// does not pass.
import type { ItemBatch } from '../freezer/freezer-table.js'
import { readCanonicalHash } from '../rawdb/canonical.js'
import {
  ancientPlace,
  type ChainDatabase,
  decodeRecord,
  frozenHead,
  keyPlace,
} from '../rawdb/chain-database.js'
import { scanHeaders } from '../rawdb/scan.js'
import { headerKey } from '../rawdb/schema.js'
import { headerBloom } from '../types/header.js'
import { type BloomFilter, mayMatch, packBloomFilter } from './bloom-filter.js'
import { readBatches } from './record-batches.js'
import type { ScanSpan, ScanTools, TestedBlocks } from './scan-tools.js'

/**
 * Headers of one read at most: about 2 MiB, between 0.2 and 2 ms of work. A scan begins with fewer and goes on so where
 * many pass: it may have enough logs before it comes to the end of them.
 */
const batchItems = 4096
const fewItems = 256
/** One header of so many that pass is many. */
const manyPassed = 4
/** More than that many headers of the longest kind that networks have. */
const batchBytes = 16 * 1024 * 1024

/** Blocks of one step over the keys. */
const keyBlocks = 256

/**
 * Tests canonical blocks, at most up to the head, batch by batch in the order of the scan. What the caller places in the
 * memory between two steps is released. Throws DAMAGED where a header is missing or none.
 */
export function* testHeaderBlooms(tools: ScanTools, span: ScanSpan): Generator<TestedBlocks> {
  const frozen = frozenHead(tools.db)
  const older = { ...span, to: Math.min(span.to, frozen - 1) }
  const newer = { ...span, from: Math.max(span.from, frozen) }
  const isAscending = span.order === 'ascending'
  for (const part of isAscending ? [older, newer] : [newer, older]) {
    for (const tested of part === older ? testFrozen(tools, part) : testKeys(tools, part)) {
      tools.stats.headersTested += tested.to - tested.from + 1
      tools.stats.bloomsPassed += tested.passed.length
      yield tested
    }
  }
}

function* testFrozen(tools: ScanTools, { from, to, order }: ScanSpan): Generator<TestedBlocks> {
  if (from > to) return
  const { db, memory, stats, checkStop } = tools
  const table = db.ancient?.table('headers')
  const { top } = memory
  const filterAt = memory.placeCopy(packBloomFilter(tools.bloom)).at
  const base = memory.top
  const allocate = (byteLength: number) => {
    memory.release(base)
    return memory.placeArray(byteLength)
  }
  const limits = { maxItems: fewItems, maxBytes: batchBytes, allocate }
  const batches = table ? readBatches(table, from, to, order, limits) : [][Symbol.iterator]()
  let tested = 0
  while (true) {
    checkStop()
    const start = performance.now()
    const { value: batch, done } = batches.next()
    if (done || !batch) break
    const { first, count, offsets } = batch
    const offsetsAt = memory.placeWords(offsets)
    const passedAt = memory.place(4 * count)
    const found = memory.functions.testHeaderBlooms(base, offsetsAt, count, filterAt, passedAt)
    const passed =
      found < 0
        ? testOneByOne(db, tools.bloom, batch)
        : Array.from(memory.words({ at: passedAt, length: found }), (i) => first + i)
    if (order === 'descending') passed.reverse()
    const isDense = manyPassed * passed.length > count
    limits.maxItems = isDense ? fewItems : Math.min(batchItems, 2 * limits.maxItems)
    stats.headerBytes += offsets[count]!
    stats.headerMilliseconds += performance.now() - start
    yield { from: first, to: first + count - 1, passed }
    tested += count
  }
  memory.release(top)
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

function* testKeys(tools: ScanTools, { from, to, order }: ScanSpan): Generator<TestedBlocks> {
  const { db, bloom, stats, checkStop } = tools
  for (let done = 0; done <= to - from; done += keyBlocks) {
    checkStop()
    const start = performance.now()
    const isAscending = order === 'ascending'
    const first = isAscending ? from + done : Math.max(from, to - done - keyBlocks + 1)
    const last = isAscending ? Math.min(to, from + done + keyBlocks - 1) : to - done
    const passed: number[] = []
    for (const { number, rlp } of scanHeaders(db, first, last, order)) {
      stats.headerBytes += rlp.length
      if (mayMatch(bloom, bloomOf(db, number, rlp))) passed.push(number)
    }
    stats.headerMilliseconds += performance.now() - start
    yield { from: first, to: last, passed }
  }
}

/** Bloom of a header in a key, whose hash is looked up only where it is to be named. */
function bloomOf(db: ChainDatabase, number: number, rlp: Uint8Array): Uint8Array {
  try {
    return headerBloom(rlp)
  } catch (error) {
    const hash = readCanonicalHash(db, number)
    if (hash === undefined) throw error
    return decodeRecord(keyPlace(db, headerKey(number, hash)), rlp, headerBloom)
  }
}
