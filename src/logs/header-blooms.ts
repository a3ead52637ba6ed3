// The header bloom stage of a log scan: which blocks may hold a matching log, by the blooms of their headers. Frozen headers
// are read into the memory of the kernel and tested there as stored, without an object for each. Newer ones are read by key.

import type { ItemBatch } from '../freezer/freezer-table.js'
import { type BlockSpan, firstBlocks } from '../rawdb/block-span.js'
import { readCanonicalHash } from '../rawdb/canonical.js'
import {
  ancientPlace,
  type ChainDatabase,
  damagedRecord,
  decodeRecord,
  frozenHead,
  keyPlace,
} from '../rawdb/chain-database.js'
import { scanHeaders } from '../rawdb/scan.js'
import { headerKey } from '../rawdb/schema.js'
import { headerBloom } from '../types/header.js'
import { type BloomFilter, mayMatch, packBloomFilter } from './filter.js'
import type { ScanContext, ScanStage } from './scan-stage.js'

/**
 * Most frozen headers to test together: about 2 MiB, 0.2 to 2 ms of work. A scan starts with fewer, and continues so while
 * many pass: it may then find enough logs before it needs the others.
 */
const maxBatch = 4096
const minBatch = 256

/** Many headers pass if more than one in this many does. */
const manyPassed = 4

/** Bytes of a batch: more than its headers have on any network. */
const maxBatchBytes = 16 * 1024 * 1024

/** Headers in keys to test together. */
const keyBatch = 256

/**
 * Tests canonical blocks up to the head. Throws DAMAGED if a header is missing or cannot be decoded.
 */
export function headerBloomStage(tools: ScanContext): ScanStage {
  const { db, bloom, stats } = tools
  const frozen = frozenHead(db)
  let packed: Uint8Array | undefined
  let batchBlocks = minBatch
  return {
    next({ from, to }, order) {
      const isFrozen = order === 'ascending' ? from < frozen : to < frozen
      return isFrozen
        ? firstBlocks({ from, to: Math.min(to, frozen - 1) }, batchBlocks, order)
        : firstBlocks({ from: Math.max(from, frozen), to }, keyBatch, order)
    },
    test({ from, to }) {
      const start = performance.now()
      packed ??= packBloomFilter(bloom)
      const passed = testFrozen(tools, { from, to: Math.min(to, frozen - 1) }, packed)
      passed.push(...testKeys(tools, { from: Math.max(from, frozen), to }))
      const tested = to - from + 1
      batchBlocks = manyPassed * passed.length > tested ? minBatch : Math.min(maxBatch, 2 * batchBlocks)
      stats.headersTested += tested
      stats.bloomsPassed += passed.length
      stats.headerMilliseconds += performance.now() - start
      return passed
    },
  }
}

function testFrozen(tools: ScanContext, { from, to }: BlockSpan, packedFilter: Uint8Array): number[] {
  const passed: number[] = []
  if (from > to) return passed
  const { db, memory, stats } = tools
  const table = db.ancient?.table('headers')
  const { top } = memory
  const filterAt = memory.allocateCopy(packedFilter).at
  const base = memory.top
  const allocate = (byteLength: number) => {
    memory.release(base)
    return memory.allocateArray(byteLength)
  }
  for (let first = from; first <= to; ) {
    tools.signal?.throwIfAborted()
    const maxItems = Math.min(maxBatch, to - first + 1)
    const batch = table?.readBatch(first, { maxItems, maxBytes: maxBatchBytes, allocate })
    if (batch === undefined) throw damagedRecord(ancientPlace(db, 'headers', first), 'it is missing', {})
    const { count, offsets } = batch
    const offsetsAt = memory.allocateWords(offsets)
    const passedAt = memory.allocate(4 * count)
    const found = memory.functions.testHeaderBlooms(base, offsetsAt, count, filterAt, passedAt)
    if (found < 0) passed.push(...testOneByOne(db, tools.bloom, batch))
    else for (const i of memory.words({ at: passedAt, length: found })) passed.push(first + i)
    stats.headerBytes += offsets[count]!
    first += count
  }
  memory.release(top)
  return passed
}

/** Decodes every header of a batch that the kernel refused. Throws DAMAGED for the damaged one. */
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

function testKeys({ db, bloom, stats, signal }: ScanContext, span: BlockSpan): number[] {
  const passed: number[] = []
  for (const { number, rlp } of scanHeaders(db, span)) {
    if (number % keyBatch === 0) signal?.throwIfAborted()
    stats.headerBytes += rlp.length
    if (mayMatch(bloom, bloomOf(db, number, rlp))) passed.push(number)
  }
  return passed
}

/** Bloom of a header in a key. The hash of its block is read only for an error. */
function bloomOf(db: ChainDatabase, number: number, rlp: Uint8Array): Uint8Array {
  try {
    return headerBloom(rlp)
  } catch (error) {
    const hash = readCanonicalHash(db, number)
    if (hash === undefined) throw error
    return decodeRecord(keyPlace(db, headerKey(number, hash)), rlp, headerBloom)
  }
}
