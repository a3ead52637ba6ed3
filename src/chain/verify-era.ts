// Checks an era file from its first byte to its last: its records, every checksum, the chain of the headers, the roots of bodies
// and receipts, the sums of the difficulties, the accumulator over the blocks before the merge, and the digits in its name.
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { bigIntToBytes, bytesToHex, equalBytes } from '../bytes.js'
import type { EraFile } from '../era/era-file.js'
import { GethReaderError } from '../errors.js'
import { keccak256 } from '../kernel/keccak.js'
import { decodeRecord, type RecordPlace } from '../rawdb/chain-database.js'
import { decodeHeader, type Header } from '../types/header.js'
import { verifyBody, verifyReceipts } from './verify-block.js'

/** Leaves of the tree of an accumulator: blocks of an epoch. */
const accumulatorLeaves = 8_192

/** A block before the merge. */
interface AccumulatedBlock {
  readonly hash: Uint8Array
  readonly totalDifficulty: bigint
}

/**
 * Checks the blocks of a file in order and yields the number of each; returns the hash of the last one. `canonicalHash` returns
 * the hash of a block where it is known, and `lastHash` is that of the block before the first one, if it is known. Throws
 * DAMAGED at the first fault.
 */
export function* verifyEraFile(
  file: EraFile,
  canonicalHash: (number: number) => Uint8Array | undefined,
  lastHash?: Uint8Array,
): Generator<number, Uint8Array, undefined> {
  file.checkRecords()
  const accumulated: AccumulatedBlock[] = []
  let parent: AccumulatedBlock | undefined
  let parentHash = lastHash ?? (file.first === 0 ? undefined : canonicalHash(file.first - 1))
  for (let number = file.first; number < file.end; number++) {
    const place = (table: string): RecordPlace => ({
      path: file.path,
      table,
      item: number,
      block: BigInt(number),
    })
    const rlp = file.readHeader(number)!
    const header = decodeRecord(place('headers'), rlp, decodeHeader)
    const hash = keccak256(rlp)
    expectSame(place('headers'), 'number', String(number), String(header.number))
    if (parentHash)
      expectSame(place('headers'), 'parent hash', bytesToHex(parentHash), bytesToHex(header.parentHash))
    const known = canonicalHash(number)
    if (known) expectSame(place('headers'), 'hash', bytesToHex(known), bytesToHex(hash))
    const body = { rlp: file.read('bodies', number)!, place: place('bodies') }
    verifyBody(body, header)
    const receipts = file.read('receipts', number)
    if (receipts) verifyReceipts({ rlp: receipts, place: place('receipts') }, body, { header, hash })
    const totalDifficulty = file.readTotalDifficulty(number)
    if (totalDifficulty !== undefined) {
      expectTotalDifficulty(place('totalDifficulty'), header, parent, totalDifficulty)
      parent = { hash, totalDifficulty }
      if (header.difficulty > 0n) accumulated.push(parent)
    }
    parentHash = hash
    yield number
  }
  const accumulator = file.readAccumulator()
  const root = accumulatorRoot(accumulated)
  if (accumulator !== undefined && !equalBytes(accumulator, root)) {
    throw contradiction(file.path, 'accumulator', bytesToHex(accumulator), bytesToHex(root))
  }
  if (accumulator === undefined && file.format === 'era1') {
    throw contradiction(file.path, 'accumulator', 'missing', bytesToHex(root))
  }
  expectName(file.path, file.format === 'era1' ? root : parentHash!)
  return parentHash!
}

/** The name of a file ends in the first digits of its accumulator (era1), or of the hash of its last block (ere). */
function expectName(path: string, named: Uint8Array): void {
  const digits = /-\d{5,}-([0-9a-f]{8})[-.]/.exec(basename(path))?.[1]
  const expected = bytesToHex(named.subarray(0, 4)).slice(2)
  if (digits !== undefined && digits !== expected) throw contradiction(path, 'name', digits, expected)
}

function contradiction(path: string, what: string, found: string, ofBlocks: string): GethReaderError {
  const message = `${path}: its ${what} is ${found}, its blocks have ${ofBlocks}`
  return new GethReaderError('DAMAGED', message, { path, expected: found, found: ofBlocks })
}

function expectTotalDifficulty(
  place: RecordPlace,
  { difficulty, number }: Header,
  parent: AccumulatedBlock | undefined,
  found: bigint,
): void {
  const before = parent?.totalDifficulty ?? (number === 0 ? 0n : found - difficulty)
  expectSame(place, 'total difficulty', String(before + difficulty), String(found))
}

function expectSame(place: RecordPlace, what: string, expected: string, found: string): void {
  if (expected === found) return
  const message = `${place.path}: ${what} of block ${place.block} is ${found}, expected ${expected}`
  throw new GethReaderError('DAMAGED', message, { ...place, expected, found })
}

/** SSZ's hash tree root of a list of at most 8,192 pairs of hash and total difficulty, as geth's era1 has it. */
function accumulatorRoot(blocks: readonly AccumulatedBlock[]): Uint8Array {
  let level = blocks.map(({ hash, totalDifficulty }) => sha256(hash, littleEndian(totalDifficulty)))
  let empty: Uint8Array = new Uint8Array(32)
  for (let width = accumulatorLeaves; width > 1; width /= 2) {
    const next: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) next.push(sha256(level[i]!, level[i + 1] ?? empty))
    level = next
    empty = sha256(empty, empty)
  }
  return sha256(level[0] ?? empty, littleEndian(BigInt(blocks.length)))
}

function sha256(left: Uint8Array, right: Uint8Array): Uint8Array {
  return createHash('sha256').update(left).update(right).digest()
}

/** 32 bytes, the lowest first. */
function littleEndian(value: bigint): Uint8Array {
  return bigIntToBytes(value, 32).reverse()
}
