// Makes the rows of several datasets in one pass over a range of canonical blocks. Runs in a worker.
import { bytesToHex, type Hex } from '../bytes.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import type { TaskSignal } from '../stop.js'
import type { View } from '../view/view.js'
import type { LoadedBlock } from './loaded-block.js'
import { RowMaker, type RowTables } from './row-maker.js'
import type { BlockNeeds, StoredBlock } from './stored-blocks.js'

/** Rows of canonical blocks, both ends included. */
export interface RowRequest extends BlockSpan, RowTables {
  /** The scan ends after the block with which the rows have so many bytes; default never. */
  readonly maxBytes?: number
}

/** The blocks whose rows were made. */
export interface BlocksRead {
  /** The last block. */
  readonly to: number
  /** Of the first and the last block. */
  readonly parentHash: Hex
  readonly lastHash: Hex
  /** Sums over the blocks. */
  readonly sums: BlockSums
  /** Roots that were derived from the records, or by execution, and compared with the headers. */
  readonly rootsChecked: readonly ('transactions' | 'receipts' | 'withdrawals' | 'state')[]
  /** By dataset: logs of none of the events whose arguments are columns. */
  readonly notDecoded: ReadonlyMap<string, number>
}

/** Sums by which ranges are compared with other sources, as a manifest has them. */
interface BlockSums {
  /** Null if no bodies were read. */
  readonly transactions: number | null
  /** Null if no receipts were read. */
  readonly logs: number | null
  /** Digits from 2^53 on. */
  readonly gas_used: number | string
}

/** Makes all rows of a scan. Throws ABORTED and what reading throws. */
export async function makeRows(view: View, scan: RowRequest, signal: TaskSignal): Promise<BlocksRead> {
  const { senders: folder } = scan.options
  const senders =
    folder === undefined ? undefined : await (await import('./sender-files.js')).readSenders(folder, scan)
  const rows = new RowMaker(view, { ...scan, senders }, signal)
  const sums = new Sums()
  let [first, last]: StoredBlock[] = []
  for (let number = scan.from; number <= scan.to; number++) {
    const block = await rows.add(number)
    first ??= block.stored
    last = block.stored
    sums.add(block)
    if (scan.maxBytes !== undefined && rows.byteLength >= scan.maxBytes) break
  }
  rows.finish()
  const { needs } = rows
  const isChecked = {
    transactions: needs.body,
    receipts: needs.receipts,
    withdrawals: needs.body,
    state: rows.hasComparedStates,
  }
  return {
    to: last!.number,
    parentHash: bytesToHex(first!.header.parentHash),
    lastHash: bytesToHex(last!.hash),
    sums: sums.total(needs),
    rootsChecked: (['transactions', 'receipts', 'withdrawals', 'state'] as const).filter(
      (root) => isChecked[root],
    ),
    notDecoded: rows.notDecoded,
  }
}

class Sums {
  #transactions = 0
  #logs = 0
  #gasUsed = 0n

  add(block: LoadedBlock): void {
    const { header, body, receipts } = block.stored
    this.#gasUsed += header.gasUsed
    if (body) this.#transactions += block.transactionCount
    if (receipts) this.#logs += block.logCount
  }

  total({ body, receipts }: BlockNeeds): BlockSums {
    return {
      transactions: body ? this.#transactions : null,
      logs: receipts ? this.#logs : null,
      gas_used: this.#gasUsed <= Number.MAX_SAFE_INTEGER ? Number(this.#gasUsed) : this.#gasUsed.toString(),
    }
  }
}
