// Blocks of a range one after the other, in viem's shapes.
import type { Hex } from '../bytes.js'
import type { Datadir } from '../datadir/datadir.js'
import { readBlock } from './read-block.js'
import { selectRange } from './select-block.js'
import type { Block, BlockRangeParameters, Transaction, TransactionReceipt } from './types.js'
import { toReceipt } from './viem-format.js'

export interface ScanBlocksOptions {
  /** `transactions` for objects in place of hashes, `receipts` for the receipts beside the block; default neither. */
  readonly include?: readonly ('transactions' | 'receipts')[]
  /** Default ascending. */
  readonly order?: 'ascending' | 'descending'
  /** Ends the scan; it throws the signal's reason. */
  readonly signal?: AbortSignal
}

export interface ScannedBlock {
  readonly block: Block<Hex> | Block<Transaction>
  readonly receipts?: readonly TransactionReceipt[]
}

/** Yields every canonical block of the range from one view, however long the loop takes. */
export async function* scanBlocks(
  datadir: Datadir,
  range: BlockRangeParameters,
  { include = [], order = 'ascending', signal }: ScanBlocksOptions,
): AsyncGenerator<ScannedBlock, void, undefined> {
  using view = datadir.view()
  const { from, to } = selectRange(view, range)
  const withTransactions = include.includes('transactions')
  const withReceipts = include.includes('receipts')
  for (let i = 0; i <= to - from; i++) {
    signal?.throwIfAborted()
    const number = order === 'ascending' ? from + i : to - i
    const block = view.block({ number })!
    yield {
      block: await readBlock(view, block, withTransactions),
      ...(withReceipts && { receipts: (await view.receipts({ number }))!.map(toReceipt) }),
    }
  }
}
