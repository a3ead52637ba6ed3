// The blocks of test/types/geth-records.json by number, in the forms that geth stored.
import { type Hex, hexToBytes } from '../../src/bytes.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { gethRecords } from '../types/geth-records.js'

export interface RecordedBlock {
  readonly number: number
  readonly hash: Uint8Array
  readonly header: Uint8Array
  readonly body: Uint8Array
  readonly receipts: Uint8Array
  /** geth's answer of eth_getBlockByNumber with full transactions. */
  readonly answer: Record<string, unknown>
  /** geth's answer of eth_getBlockReceipts. */
  readonly receiptsAnswer: readonly Record<string, unknown>[]
}

export const recordedBlocks: readonly RecordedBlock[] = gethRecords.blocks.map((recorded) => ({
  number: Number(recorded.block['number']),
  hash: hexToBytes(recorded.block['hash'] as Hex),
  header: hexToBytes(recorded.header),
  body: hexToBytes(recorded.body),
  receipts: hexToBytes(recorded.receipts),
  answer: recorded.block,
  receiptsAnswer: recorded.blockReceipts,
}))

/** The recorded block of that number. */
export function recordedBlock(number: number): RecordedBlock {
  const block = recordedBlocks.find((candidate) => candidate.number === number)
  if (block === undefined) throw new Error(`no recorded block ${number}`)
  return block
}

/** The bytes with one bit of one byte turned over. */
export function flipped(bytes: Uint8Array, position: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[position]! ^= 1
  return copy
}

/** A hash that no block has. */
export const unknownHash = keccak256(Uint8Array.of(1))
