// Transactions, withdrawals and receipts of a block as they are stored: counted, hashed and compared with roots by the kernel,
// without an object for any of them.
import { emptyRoot } from '../constants.js'
import { keccak256 } from '../kernel/keccak.js'
import { kernel } from '../kernel/kernel.js'
import { ScratchMemory } from '../kernel/scratch-memory.js'
import { RlpCursor } from '../rlp/cursor.js'
import { RlpError } from '../rlp/rlp-error.js'
import { enterBody } from '../types/body.js'
import { decodeReceipts } from '../types/receipt.js'

const { layout } = kernel

/** Bytes of a transaction hash. */
export const hashBytes = 32

/** Bytes of the shortest value that sets bits of a bloom: an address with its header. */
const shortestValue = 21

/** A table of items in the memory of the kernel, see kernel/assembly/items.ts. */
export interface LoadedItems {
  readonly tableAt: number
  readonly count: number
}

/** A copy of a list in the memory of the kernel. */
interface LoadedList {
  readonly at: number
  readonly end: number
  readonly count: number
}

/** Loads the list that comes next. Throws RlpError. */
function loadList(memory: ScratchMemory, cursor: RlpCursor): LoadedList {
  const outer = cursor.enterList()
  const { bytes, position, limit } = cursor
  const { at } = memory.allocateCopy(bytes.subarray(position, limit))
  const end = at + limit - position
  const count = memory.functions.countItems(at, end)
  if (count < 0) {
    cursor.countItems()
    throw new RlpError('expected items of a list', position)
  }
  cursor.skipList(outer)
  return { at, end, count }
}

/** Loads the items of the list that comes next. Throws RlpError. */
function loadItems(memory: ScratchMemory, cursor: RlpCursor): LoadedItems {
  const { at, end, count } = loadList(memory, cursor)
  const tableAt = memory.allocate(count * layout.item)
  memory.functions.indexItems(at, end, tableAt)
  return { tableAt, count }
}

/** Loads the transactions of a stored body. Throws RlpError. */
export function loadTransactions(memory: ScratchMemory, body: Uint8Array): LoadedItems {
  return loadItems(memory, enterBody(body))
}

/** Hashes of the transactions of a stored body, in order, also of those of unknown types: 32 bytes each. Throws RlpError. */
export function hashTransactions(body: Uint8Array): Uint8Array {
  const memory = new ScratchMemory()
  const { tableAt, count } = loadTransactions(memory, body)
  const at = memory.allocate(count * hashBytes)
  memory.functions.hashItems(tableAt, count, at)
  return memory.bytes({ at, length: count * hashBytes }).slice()
}

/** Joined hashes one by one, as views. */
export function splitHashes(joined: Uint8Array): Uint8Array[] {
  return Array.from({ length: joined.length / hashBytes }, (_, i) =>
    joined.subarray(i * hashBytes, (i + 1) * hashBytes),
  )
}

/** Index of a hash among joined hashes; -1 if it is none of them. */
export function indexOfHash(hashes: Uint8Array, hash: Uint8Array): number {
  const all = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength)
  let at = all.indexOf(hash)
  while (at >= 0 && at % hashBytes !== 0) at = all.indexOf(hash, at + 1)
  return at < 0 ? -1 : at / hashBytes
}

/** Transactions that are hashed before they are compared with a hash: native code hashes eight in the time of one. */
const hashedAtOnce = 16

/** Index of the transaction with a hash in a stored body; -1 if none has it. Throws RlpError. */
export function findTransaction(body: Uint8Array, hash: Uint8Array): number {
  const memory = new ScratchMemory()
  const { functions } = memory
  const { tableAt, count } = loadTransactions(memory, body)
  const hashesAt = memory.allocate(hashedAtOnce * hashBytes)
  for (let from = 0; from < count; from += hashedAtOnce) {
    const some = Math.min(hashedAtOnce, count - from)
    functions.hashItems(tableAt + from * layout.item, some, hashesAt)
    const found = indexOfHash(memory.bytes({ at: hashesAt, length: some * hashBytes }), hash)
    if (found >= 0) return from + found
  }
  return -1
}

/** Root of the trie that has each loaded item under the RLP of its index. */
function listRoot(memory: ScratchMemory, { tableAt, count }: LoadedItems): Uint8Array {
  if (count === 0) return emptyRoot
  const { functions } = memory
  const table = memory.words({ at: tableAt, length: (count * layout.item) / 4 })
  let leafBytes = count * layout.leafGrowth
  for (let i = 1; i < table.length; i += 2) leafBytes += table[i]!
  const leavesAt = memory.allocate(count * layout.item)
  const hashesAt = memory.allocate(count * hashBytes)
  functions.writeLeaves(tableAt, count, leavesAt, memory.allocate(leafBytes))
  functions.hashItems(leavesAt, count, hashesAt)
  const at = memory.allocate(hashBytes)
  functions.listRoot(leavesAt, count, hashesAt, memory.allocate(layout.listRootScratch), at)
  return memory.bytes({ at, length: hashBytes }).slice()
}

/** Root of the trie that has each item of an RLP list under the RLP of its index. Throws RlpError. */
export function deriveListRoot(list: Uint8Array): Uint8Array {
  const memory = new ScratchMemory()
  return listRoot(memory, loadItems(memory, new RlpCursor(list)))
}

/** What the header has of a body. */
interface BodyRoots {
  readonly transactions: Uint8Array
  /** Hash of the list of uncles. */
  readonly uncles: Uint8Array
  readonly withdrawals: Uint8Array | undefined
}

/** Roots of the lists of a stored body. Throws RlpError. */
export function deriveBodyRoots(body: Uint8Array): BodyRoots {
  const cursor = enterBody(body)
  const transactions = deriveListRoot(cursor.readItem())
  const uncles = keccak256(cursor.readItem())
  const withdrawals = cursor.hasMore() ? deriveListRoot(cursor.readItem()) : undefined
  return { transactions, uncles, withdrawals }
}

/** Loads the stored receipts of a block, of any form: a table of receipts, see kernel/assembly/receipts.ts. Throws RlpError. */
export function loadReceipts(memory: ScratchMemory, receipts: Uint8Array): LoadedItems {
  const cursor = new RlpCursor(receipts)
  const { at, end, count } = loadList(memory, cursor)
  cursor.expectEnd()
  const tableAt = memory.allocate(count * layout.receipt)
  if (!memory.functions.indexReceipts(at, end, tableAt)) throw damagedReceipts(receipts)
  return { tableAt, count }
}

/**
 * Computes the blooms of loaded receipts from `from` up to `to`, exclusive. Returns the address of a table with room for all
 * of them, each at its index. Undefined if a log is damaged.
 */
export function computeBlooms(
  memory: ScratchMemory,
  { tableAt, count }: LoadedItems,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  const { functions } = memory
  const at = memory.allocate(count * layout.bloom)
  if (from === to) return at
  const { top } = memory
  const table = memory.words({ at: tableAt, length: (count * layout.receipt) / 4 })
  const start = table[(from * layout.receipt) / 4]!
  const end = table[((to - 1) * layout.receipt) / 4 + 1]!
  const mostValues = Math.ceil((end - start) / shortestValue)
  const valuesAt = memory.allocate(mostValues * layout.item)
  const bitsAt = memory.allocate(mostValues * layout.bloomBits)
  const hashesAt = memory.allocate(mostValues * hashBytes)
  const values = functions.startBlooms(tableAt, from, to, at, valuesAt, bitsAt)
  if (values < 0) return undefined
  functions.hashItems(valuesAt, values, hashesAt)
  functions.finishBlooms(hashesAt)
  memory.release(top)
  return at
}

/** Root of the receipts of a block in their consensus form; `body` must have as many transactions. Throws RlpError. */
export function deriveReceiptsRoot(receipts: Uint8Array, body: Uint8Array): Uint8Array {
  const memory = new ScratchMemory()
  return listRoot(memory, loadConsensusReceipts(memory, receipts, body))
}

/** Receipts of a block in their consensus form, with bloom and type. As {@link deriveReceiptsRoot}. */
export function encodeConsensusReceipts(receipts: Uint8Array, body: Uint8Array): Uint8Array[] {
  const memory = new ScratchMemory()
  const { tableAt, count } = loadConsensusReceipts(memory, receipts, body)
  const table = memory.words({ at: tableAt, length: (count * layout.item) / 4 })
  return Array.from({ length: count }, (_, i) =>
    memory.bytes({ at: table[2 * i]!, length: table[2 * i + 1]! }).slice(),
  )
}

function loadConsensusReceipts(memory: ScratchMemory, receipts: Uint8Array, body: Uint8Array): LoadedItems {
  const transactions = loadTransactions(memory, body)
  const stored = loadReceipts(memory, receipts)
  const { count } = stored
  const bloomsAt = computeBlooms(memory, stored, { from: 0, to: count })
  if (bloomsAt === undefined) throw damagedReceipts(receipts)
  const encodedAt = memory.allocate(count * layout.item)
  const targetAt = memory.allocate(receipts.length + count * layout.receiptGrowth)
  const { encodeReceipts } = memory.functions
  if (!encodeReceipts(stored.tableAt, transactions.tableAt, count, bloomsAt, encodedAt, targetAt)) {
    throw damagedReceipts(receipts)
  }
  return { tableAt: encodedAt, count }
}

/** The error for receipts that the kernel refused. */
function damagedReceipts(receipts: Uint8Array): RlpError {
  decodeReceipts(receipts)
  return new RlpError('expected receipts as geth stores them', 0)
}
