// Brings the receipts and bodies of single blocks to the matcher, from wherever they are stored, and says what is wrong
// with those that it refuses. Blocks come in runs: neighbours are read together.
import type { GethReaderError } from '../errors.js'
import { type BlockDataTable, readBlockRecord } from '../rawdb/block-data.js'
import {
  ancientPlace,
  type ChainDatabase,
  damagedRecord,
  decodeRecord,
  frozenHead,
} from '../rawdb/chain-database.js'
import type { ScanOrder } from '../rawdb/scan.js'
import { decodeBody } from '../types/body.js'
import { decodeReceipts } from '../types/receipt.js'
import type { LogMatcher } from './log-matcher.js'
import { readBatches } from './record-batches.js'

/** A block whose receipts were matched; the matcher holds its matches until the next step. */
export interface MatchedBlock {
  readonly number: number
  /** How many logs match. */
  readonly matches: number
  /** Stored bytes of the receipts. */
  readonly bytes: number
}

/** Blocks of one read at the most, and bytes after which it ends. */
const runBlocks = 64
const runBytes = 4 * 1024 * 1024

/** Stored records of less bytes hold nothing: the block's history was pruned, or it has no transactions. */
const emptyRecordBytes = 2

/**
 * Matches the receipts of canonical blocks, given in the order of the scan. Throws HISTORY_PRUNED, and DAMAGED where they
 * are missing or not what geth writes.
 */
export function* matchReceipts(
  db: ChainDatabase,
  matcher: LogMatcher,
  numbers: readonly number[],
  order: ScanOrder,
): Generator<MatchedBlock> {
  const frozen = frozenHead(db)
  for (let i = 0; i < numbers.length; ) {
    const number = numbers[i]!
    if (number >= frozen) {
      yield matchOne(db, matcher, number)
      i++
      continue
    }
    const end = endOfRun(numbers, i, frozen)
    const last = numbers[end - 1]!
    yield* matchRun(db, matcher, Math.min(number, last), Math.max(number, last), order)
    i = end
  }
}

/** Matches the receipts of one block, by default the canonical one. Throws as {@link matchReceipts}. */
export function matchOne(
  db: ChainDatabase,
  matcher: LogMatcher,
  number: number,
  hash?: Uint8Array,
): MatchedBlock {
  const { rlp } = requiredRecord(db, 'receipts', number, hash)
  const matches = matcher.matchPlain(rlp)
  if (matches === undefined) throw damage(db, 'receipts', number, hash)
  return { number, matches, bytes: rlp.length }
}

/**
 * Hashes the transactions of the matches that the matcher holds, of the canonical block or the one with that hash. Returns
 * the bytes read. Throws as {@link matchReceipts}.
 */
export function hashTransactions(
  db: ChainDatabase,
  matcher: LogMatcher,
  number: number,
  hash?: Uint8Array,
): number {
  const table = hash === undefined && number < frozenHead(db) ? db.ancient?.table('bodies') : undefined
  let bytes = 0
  let isWhole = false
  if (table && number >= table.tail) {
    isWhole = matcher.hashStored((allocate) => {
      bytes = table.readRaw(number, allocate)?.length ?? 0
    })
  } else {
    const { rlp } = requiredRecord(db, 'bodies', number, hash)
    bytes = rlp.length
    isWhole = matcher.hashPlain(rlp)
  }
  if (!isWhole) throw damage(db, 'bodies', number, hash)
  return bytes
}

/** Position behind the last of the neighbours of `numbers[start]` that are read with it. */
function endOfRun(numbers: readonly number[], start: number, frozen: number): number {
  let end = start + 1
  while (
    end < numbers.length &&
    end - start < runBlocks &&
    Math.abs(numbers[end]! - numbers[end - 1]!) === 1 &&
    numbers[end]! < frozen
  ) {
    end++
  }
  return end
}

function* matchRun(
  db: ChainDatabase,
  matcher: LogMatcher,
  from: number,
  to: number,
  order: ScanOrder,
): Generator<MatchedBlock> {
  const table = db.ancient?.table('receipts')
  const limits = {
    maxItems: runBlocks,
    maxBytes: runBytes,
    allocate: (byteLength: number) => matcher.allocateInput(byteLength),
  }
  let done = 0
  for (const { first, count, offsets } of table ? readBatches(table, from, to, order, limits) : []) {
    for (let step = 0; step < count; step++) {
      const i = order === 'ascending' ? step : count - 1 - step
      const start = offsets[i]!
      const bytes = offsets[i + 1]! - start
      if (bytes < emptyRecordBytes) {
        yield matchOne(db, matcher, first + i)
        continue
      }
      const matches = matcher.matchStored(start, start + bytes)
      if (matches === undefined) throw damage(db, 'receipts', first + i)
      yield { number: first + i, matches, bytes }
    }
    done += count
  }
  // Below the table's tail: genesis, which has keys, or a block whose history is pruned, of which this tells.
  for (; done <= to - from; done++) {
    yield matchOne(db, matcher, order === 'ascending' ? from + done : to - done)
  }
}

function requiredRecord(db: ChainDatabase, table: BlockDataTable, number: number, hash?: Uint8Array) {
  const record = readBlockRecord(db, table, number, hash)
  if (record) return record
  throw damagedRecord(ancientPlace(db, table, number), 'it is missing', { block: BigInt(number) })
}

/** What is wrong with a record that the matcher refused. */
function damage(
  db: ChainDatabase,
  table: BlockDataTable,
  number: number,
  hash?: Uint8Array,
): GethReaderError {
  const { place, rlp } = requiredRecord(db, table, number, hash)
  const decode: (rlp: Uint8Array) => unknown = table === 'bodies' ? decodeBody : decodeReceipts
  decodeRecord(place, rlp, decode)
  const message =
    table === 'bodies'
      ? 'it has fewer transactions than the block has receipts'
      : 'its logs are not what geth writes'
  return damagedRecord(place, message, {})
}
