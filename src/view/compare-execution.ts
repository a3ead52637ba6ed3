// Compares what the execution of a block gives with its header and with its stored receipts. Each difference is DAMAGED and
// names the block, and the transaction if one differs.
import { bytesToHex, equalBytes } from '../bytes.js'
import type { Block } from '../chain/block.js'
import { deriveReceiptsRoot } from '../chain/block-items.js'
import { missingReceipts } from '../chain/verify-block.js'
import { type ErrorFacts, GethReaderError } from '../errors.js'
import { daoExtraDataFault } from '../evm/block/dao-fork.js'
import type { ProcessedBlock } from '../evm/block/process-block.js'
import { requestsHash } from '../evm/block/requests.js'
import { TransactionError } from '../evm/call-errors.js'
import { type BlockRecord, decodeRecord } from '../rawdb/chain-database.js'
import { gasPerBlob } from '../types/blob-fee.js'
import { logsBloom } from '../types/bloom.js'
import type { ChainConfig } from '../types/chain-config.js'
import type { Header } from '../types/header.js'
import { decodeReceipts, encodeStoredReceipts, type StoredLog, type StoredReceipt } from '../types/receipt.js'

/** DAMAGED for a block. */
export function blockFault(number: number, message: string, facts: ErrorFacts & { cause?: unknown } = {}) {
  return new GethReaderError('DAMAGED', `block ${number}: ${message}`, { block: BigInt(number), ...facts })
}

/** Errors that are about one block, whose number they get. */
export function withPlace<T>(number: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof TransactionError) throw blockFault(number, error.message, { cause: error })
    if (!(error instanceof GethReaderError)) throw error
    const { code, message, facts } = error
    // The state before the block is there, so that what is missing in it was lost.
    const isFault = code === 'STATE_UNAVAILABLE' || (code === 'DAMAGED' && facts.block === undefined)
    throw isFault ? blockFault(number, message, { ...facts, cause: error }) : error
  }
}

/** A block that was executed, with what is stored of it. */
interface ExecutedBlock {
  readonly block: Pick<Block, 'header' | 'hash' | 'body' | 'storedBody'>
  /** Undefined if there are none. */
  readonly receipts: BlockRecord | undefined
  readonly processed: ProcessedBlock
}

/** Throws DAMAGED at the first difference that does not need the state after the block. */
export function compareExecution(executed: ExecutedBlock, config: ChainConfig): void {
  const { header } = executed.block
  const { number } = header
  const expectEqual = (what: string, found: string | number | bigint, expected: string | number | bigint) => {
    if (found === expected) return
    const message = `its execution gives ${what} ${found}, its header has ${expected}`
    throw blockFault(number, message, { expected: String(expected), found: String(found) })
  }
  const extraDataFault = daoExtraDataFault(header, config)
  if (extraDataFault !== undefined) throw blockFault(number, extraDataFault)
  const logs = compareReceipts(executed)
  const { gasUsed, queues } = executed.processed
  expectEqual('the gas used', gasUsed, header.gasUsed)
  expectEqual('the logs bloom', bytesToHex(logsBloom(logs)), bytesToHex(header.logsBloom))
  if (header.blobGasUsed !== undefined) {
    expectEqual('the blob gas used', blobGasOf(executed.block), header.blobGasUsed)
  }
  const requests = queues && requestsOf(logs, queues, { header, config })
  expectEqual('the requests hash', hexOrNone(requests), hexOrNone(header.requestsHash))
}

function blobGasOf({ body }: Pick<Block, 'body'>): bigint {
  const blobs = body.transactions.reduce(
    (sum, { blobVersionedHashes = [] }) => sum + blobVersionedHashes.length,
    0,
  )
  return BigInt(blobs) * gasPerBlob
}

function hexOrNone(hash: Uint8Array | undefined): string {
  return hash === undefined ? 'none' : bytesToHex(hash)
}

function requestsOf(
  logs: readonly StoredLog[],
  queues: NonNullable<ProcessedBlock['queues']>,
  { header, config }: { readonly header: Header; readonly config: ChainConfig },
): Uint8Array {
  try {
    return requestsHash(logs, queues, config)
  } catch (error) {
    if (!(error instanceof GethReaderError)) throw error
    throw blockFault(header.number, error.message, { cause: error })
  }
}

/** Compares the receipts with the stored ones, which explain a difference best, and with the header. Returns all logs. */
function compareReceipts({ block, receipts: stored, processed }: ExecutedBlock): readonly StoredLog[] {
  const { header, storedBody } = block
  const { number, receiptsRoot } = header
  const decodeStored = () => (stored ? decodeRecord(stored.place, stored.rlp, decodeReceipts) : [])
  const receipts = receiptsOf(processed, decodeStored)
  const rlp = encodeStoredReceipts(receipts)
  const root = deriveReceiptsRoot(rlp, storedBody.rlp)
  const facts = { expected: bytesToHex(receiptsRoot), found: bytesToHex(root) }
  const isRight = equalBytes(root, receiptsRoot)
  if (stored === undefined) {
    if (receipts.length > 0)
      throw missingReceipts(stored, block, { transactions: receipts.length, receipts: 0 })
  } else if (!equalBytes(stored.rlp, rlp)) {
    const difference = firstDifference(receipts, decodeStored())
    // Receipts that an old geth stored have other bytes with the same meaning.
    if (difference !== undefined) {
      const who = isRight
        ? 'its stored receipts are not those of its execution'
        : 'its execution differs from its receipts'
      throw blockFault(number, `${who}: ${difference}`, isRight ? {} : facts)
    }
  }
  if (isRight) return receipts.flatMap(({ logs }) => logs)
  const message = `its execution gives the receipts root ${facts.found}, its header has ${facts.expected}`
  throw blockFault(number, message, facts)
}

/**
 * The receipts of an execution. Before Byzantium a receipt has the root of the state after its transaction; without tries it
 * is not computed, and the stored one is taken.
 */
function receiptsOf(
  { transactions, rules }: ProcessedBlock,
  decodeStored: () => readonly StoredReceipt[],
): StoredReceipt[] {
  const lacksRoots = !rules.byzantium && transactions.some(({ root }) => root === undefined)
  const stored = lacksRoots ? decodeStored() : []
  let cumulativeGasUsed = 0n
  return transactions.map(({ gasUsed, error, logs, root: computed }, i) => {
    cumulativeGasUsed += gasUsed
    const root = computed ?? stored[i]?.root
    const sums = { cumulativeGasUsed, logs }
    if (rules.byzantium) return { status: error === undefined ? 1 : 0, ...sums }
    return { ...(root && { root }), ...sums }
  })
}

/** The first difference between the receipts of an execution and those that are stored; undefined if there is none. */
function firstDifference(
  ours: readonly StoredReceipt[],
  theirs: readonly StoredReceipt[],
): string | undefined {
  if (ours.length !== theirs.length) return `${ours.length} transactions have ${theirs.length} receipts`
  let [oursBefore, theirsBefore] = [0n, 0n]
  for (const [i, our] of ours.entries()) {
    const their = theirs[i]!
    const parts = [
      ['gas', our.cumulativeGasUsed - oursBefore, their.cumulativeGasUsed - theirsBefore],
      ['status', our.status ?? 'none', their.status ?? 'none'],
      ['state root', hexOrNone(our.root), hexOrNone(their.root)],
      ['number of logs', our.logs.length, their.logs.length],
    ]
    const part = parts.find(([, found, expected]) => found !== expected)
    if (part !== undefined) return `transaction ${i} has the ${part[0]} ${part[1]}, its receipt ${part[2]}`
    const log = our.logs.findIndex((log, at) => !isSameLog(log, their.logs[at]!))
    if (log >= 0) return `transaction ${i} has another log ${log} than its receipt`
    oursBefore = our.cumulativeGasUsed
    theirsBefore = their.cumulativeGasUsed
  }
  return undefined
}

function isSameLog(a: StoredLog, b: StoredLog): boolean {
  return (
    equalBytes(a.address, b.address) &&
    equalBytes(a.data, b.data) &&
    a.topics.length === b.topics.length &&
    a.topics.every((topic, i) => equalBytes(topic, b.topics[i]!))
  )
}
