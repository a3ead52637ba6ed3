// Blocks with transfers of a token, for a chain that a test writes: real layouts, random content. Reads of logs do not
// compare roots, so the blocks need no state.
import { RLP } from '@ethereumjs/rlp'
import { bytesToHex, concatBytes, hexToBytes } from '../../src/bytes.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { addToBloom } from '../../src/types/bloom.js'
import type { Random } from '../random.js'
import type { BlockRecords, WrittenBlock } from './head-writer.js'

/** One transfer, which is the only log of its transaction. */
export interface Transfer {
  readonly sender: string
  readonly recipient: string
  readonly amount: bigint
}

/** A block with transfers of a token. */
export interface TransferBlock extends BlockRecords {
  readonly parent: WrittenBlock
  readonly transfers: readonly Transfer[]
}

const transferTopic = keccak256(new TextEncoder().encode('Transfer(address,address,uint256)'))

/** A child of a block, with a hash that depends on `random`. */
export function transferBlock(
  parent: WrittenBlock,
  { token, transfers, random }: { token: string; transfers: readonly Transfer[]; random: Random },
): TransferBlock {
  const number = parent.number + 1
  const bloom = new Uint8Array(256)
  const transactions: Uint8Array[] = []
  const receipts: unknown[] = []
  for (const [i, { sender, recipient, amount }] of transfers.entries()) {
    const address = hexToBytes(token)
    const topics = [transferTopic, word(hexToBytes(sender)), word(hexToBytes(recipient))]
    for (const value of [address, ...topics]) addToBloom(bloom, value)
    const call = [1, i, 1, 20_000_000_000, 90_000, address, 0, new Uint8Array(68), [], 0]
    const signature = [random.bytes(32).fill(1, 0, 1), random.bytes(32).fill(1, 0, 1)]
    transactions.push(concatBytes(Uint8Array.of(2), RLP.encode([...call, ...signature])))
    const data = hexToBytes(`0x${amount.toString(16).padStart(64, '0')}`)
    receipts.push([1, 50_000 * (i + 1), [[address, topics, data]]])
  }
  const root = () => random.bytes(32)
  const header = RLP.encode([
    hexToBytes(parent.hash),
    ...[root(), random.bytes(20), root(), root(), root(), bloom],
    ...[0, number, 30_000_000, 50_000 * transfers.length, 2_000_000_000 + number],
    ...[new Uint8Array(0), root(), new Uint8Array(8), 1_000_000_000],
  ])
  return {
    number,
    hash: bytesToHex(keccak256(header)),
    header,
    body: RLP.encode([transactions, []]),
    receipts: RLP.encode(receipts as never),
    parent,
    transfers,
  }
}

function word(address: Uint8Array): Uint8Array {
  return concatBytes(new Uint8Array(12), address)
}
