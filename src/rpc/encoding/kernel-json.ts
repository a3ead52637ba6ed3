// Has the kernel write transactions and receipts as JSON, from the bytes that are stored. Of a list that is long, the kernel
// writes one part after the other, so that its memory stays small.
import { bigIntToBytes } from '../../bytes.js'
import type { HashedHeader } from '../../chain/block.js'
import { computeBlooms, hashBytes, type LoadedItems } from '../../chain/block-items.js'
import { kernel } from '../../kernel/kernel.js'
import type { ScratchMemory } from '../../kernel/scratch-memory.js'

const { layout } = kernel

/** Bytes of a part, unless a transaction or a log alone has more. */
const partBytes = 512 * 1024
/** Bytes after a part that the kernel may overwrite. */
const slack = 64

const addressBytes = 20

/** The items of a list that are written: from `from` up to `to`, exclusive. */
interface ItemRange {
  readonly from: number
  readonly to: number
}

/** What the JSON of transactions is written from: addresses in the memory of the kernel. */
interface TransactionJob {
  readonly context: number
  readonly transactions: LoadedItems
  /** Hashes and senders of all transactions, each at its index; others than those to be written are not read. */
  readonly hashesAt: number
  readonly sendersAt: number
}

/** Writes what a block gives to the JSON of its transactions; returns its address. */
export function allocateContext(
  memory: ScratchMemory,
  { header, hash }: HashedHeader,
  blobGasPrice?: bigint,
): number {
  const at = memory.allocate(layout.context)
  const bytes = memory.bytes({ at, length: layout.context }).fill(0)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  view.setBigUint64(layout.contextNumber, BigInt(header.number), true)
  view.setBigUint64(layout.contextTimestamp, header.timestamp, true)
  bytes.set(hash, layout.contextHash)
  if (header.baseFeePerGas !== undefined) {
    view.setUint32(layout.contextHasBaseFee, 1, true)
    bytes.set(bigIntToBytes(header.baseFeePerGas, 32), layout.contextBaseFee)
  }
  if (blobGasPrice !== undefined) {
    view.setUint32(layout.contextHasBlobPrice, 1, true)
    bytes.set(bigIntToBytes(blobGasPrice, 32), layout.contextBlobPrice)
  }
  return at
}

/** Allocates senders, the first of them at the index `from` of `count` transactions. */
export function allocateSenders(
  memory: ScratchMemory,
  senders: readonly Uint8Array[],
  { from, count }: { readonly from: number; readonly count: number },
): number {
  const at = memory.allocate(count * addressBytes)
  const { whole } = memory
  for (const [i, sender] of senders.entries()) whole.set(sender, at + (from + i) * addressBytes)
  return at
}

/** Allocates the hash of the transaction at an index. */
export function allocateHash(
  memory: ScratchMemory,
  hash: Uint8Array,
  { index, count }: { readonly index: number; readonly count: number },
): number {
  const at = memory.allocate(count * hashBytes)
  memory.whole.set(hash, at + index * hashBytes)
  return at
}

/** Transactions as JSON with commas between them; undefined if one of them is damaged, or of an unknown type. */
export function writeTransactions(
  memory: ScratchMemory,
  job: TransactionJob,
  range: ItemRange,
): Uint8Array[] | undefined {
  const at = allocateJob(memory, job, range)
  return writeParts(memory, at, memory.functions.writeTransactionsJson)
}

/** Receipts as JSON with commas between them; undefined if one of them, or its transaction, is damaged. */
export function writeReceipts(
  memory: ScratchMemory,
  { receipts, ...job }: TransactionJob & { readonly receipts: LoadedItems },
  range: ItemRange,
): Uint8Array[] | undefined {
  const bloomsAt = computeBlooms(memory, receipts, range)
  if (bloomsAt === undefined) return undefined
  const at = allocateJob(memory, job, range)
  const words = memory.words({ at, length: layout.job / 4 })
  words[layout.jobReceipts / 4] = receipts.tableAt
  words[layout.jobBlooms / 4] = bloomsAt
  return writeParts(memory, at, memory.functions.writeReceiptsJson)
}

function allocateJob(memory: ScratchMemory, job: TransactionJob, { from, to }: ItemRange): number {
  const at = memory.allocate(layout.job)
  const words = memory.words({ at, length: layout.job / 4 }).fill(0)
  words[layout.jobNext / 4] = from
  words[layout.jobFirst / 4] = from
  words[layout.jobEnd / 4] = to
  words[layout.jobContext / 4] = job.context
  words[layout.jobTransactions / 4] = job.transactions.tableAt
  words[layout.jobHashes / 4] = job.hashesAt
  words[layout.jobSenders / 4] = job.sendersAt
  return at
}

function writeParts(
  memory: ScratchMemory,
  job: number,
  write: (job: number, target: number, limit: number) => number,
): Uint8Array[] | undefined {
  const parts: Uint8Array[] = []
  const { top } = memory
  for (let room = partBytes; ; ) {
    const at = memory.allocate(room + slack)
    const end = write(job, at, at + room)
    if (end === 0) return undefined
    if (end > at) parts.push(memory.bytes({ at, length: end - at }).slice())
    memory.release(top)
    const words = memory.words({ at: job, length: layout.job / 4 })
    if (words[layout.jobNext / 4] === words[layout.jobEnd / 4]) return parts
    room = Math.max(partBytes, words[layout.jobNeeded / 4]!)
  }
}
