// Transactions as JSON, written by the kernel (kernel/assembly/transaction-json.ts).
import { decodeLocated, type HashedHeader, type LocatedTransaction } from '../../chain/block.js'
import { loadTransactions } from '../../chain/block-items.js'
import { kernel } from '../../kernel/kernel.js'
import { ScratchMemory } from '../../kernel/scratch-memory.js'
import { type BlockRecord, damagedRecord, decodeRecord } from '../../rawdb/chain-database.js'
import { decodeBody } from '../../types/body.js'
import { allocateContext, allocateHash, allocateSenders, writeTransactions } from './kernel-json.js'

const { layout } = kernel

/** The parts of a block of which its transactions are written. */
interface BlockOfTransactions extends HashedHeader {
  readonly storedBody: BlockRecord
  /** Hashes of the transactions in order, 32 bytes each. */
  readonly joinedHashes: Uint8Array
}

/** The transactions of a block with commas between them; `senders` in their order. Throws DAMAGED and UNSUPPORTED_FORMAT. */
export function transactionsJson(block: BlockOfTransactions, senders: readonly Uint8Array[]): Uint8Array[] {
  const { place, rlp } = block.storedBody
  const memory = new ScratchMemory()
  const transactions = decodeRecord(place, rlp, () => loadTransactions(memory, rlp))
  const { count } = transactions
  const job = {
    context: allocateContext(memory, block),
    transactions,
    hashesAt: memory.allocateCopy(block.joinedHashes).at,
    sendersAt: allocateSenders(memory, senders, { from: 0, count }),
  }
  const parts = writeTransactions(memory, job, { from: 0, to: count })
  if (parts !== undefined) return parts
  decodeRecord(place, rlp, decodeBody)
  throw damagedRecord(place, 'its transactions are not what geth writes', {})
}

/** One transaction. Throws DAMAGED and UNSUPPORTED_FORMAT. */
export function transactionJson(located: LocatedTransaction, from: Uint8Array): Uint8Array[] {
  const { envelope, hash, index, block, place } = located
  const memory = new ScratchMemory()
  const { at, length } = memory.allocateCopy(envelope)
  const tableAt = memory.allocate((index + 1) * layout.item)
  memory.words({ at: tableAt + index * layout.item, length: layout.item / 4 }).set([at, length])
  const count = index + 1
  const transactions = { tableAt, count }
  const job = {
    context: allocateContext(memory, block),
    transactions,
    hashesAt: allocateHash(memory, hash, { index, count }),
    sendersAt: allocateSenders(memory, [from], { from: index, count }),
  }
  const parts = writeTransactions(memory, job, { from: index, to: count })
  if (parts !== undefined) return parts
  decodeLocated(located)
  throw damagedRecord(place, `its transaction ${index} is not what geth writes`, {})
}
