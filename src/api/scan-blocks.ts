// Blocks of a range one after the other, in viem's shapes.
import type { Hex } from '../bytes.js'
import type { Datadir } from '../datadir/datadir.js'
import { GethReaderError } from '../errors.js'
import { oneOf } from './parameters.js'
import { readBlock } from './read-block.js'
import { selectRange } from './select-block.js'
import type { Block, BlockRangeParameters, Transaction, TransactionReceipt } from './types.js'
import { toReceipt } from './viem-format.js'

/** How a range of blocks is scanned. */
export interface ScanBlocksOptions {
  /** `transactions` for objects in place of hashes, `receipts` for the receipts beside the block; default neither. */
  readonly include?: readonly ('transactions' | 'receipts')[]
  /** Default ascending. */
  readonly order?: 'ascending' | 'descending'
  /** Ends the scan; it throws the signal's reason. */
  readonly signal?: AbortSignal
}

/** One block of a scan. */
export interface ScannedBlock {
  /** With transaction objects where `transactions` are included, else with their hashes. */
  readonly block: Block<Hex> | Block<Transaction>
  /** In transaction order; present where `receipts` are included. */
  readonly receipts?: readonly TransactionReceipt[]
}

/** Yields every canonical block of the range from one view, however long the loop takes. */
export async function* scanBlocks(
  datadir: Datadir,
  range: BlockRangeParameters,
  { include = [], order = 'ascending', signal }: ScanBlocksOptions,
): AsyncGenerator<ScannedBlock, void, undefined> {
  for (const part of include) oneOf('include', part, ['transactions', 'receipts'])
  const isAscending = oneOf('order', order, ['ascending', 'descending']) === 'ascending'
  using view = datadir.view()
  const { from, to } = selectRange(view, range)
  const withTransactions = include.includes('transactions')
  const withReceipts = include.includes('receipts')
  for (let i = 0; i <= to - from; i++) {
    signal?.throwIfAborted()
    const number = isAscending ? from + i : to - i
    const block = present('body', number, view.block({ number }))
    const receipts = withReceipts && present('receipts', number, await view.receipts({ number }))
    yield {
      block: await readBlock(view, block, withTransactions),
      ...(receipts && { receipts: receipts.map(toReceipt) }),
    }
  }
}

/** Every block up to the head has its data, or is pruned, of which the view tells by itself. */
function present<T>(part: string, number: number, found: T | undefined): T {
  if (found !== undefined) return found
  const message = `block ${number} has no ${part}, though it is not above the head`
  throw new GethReaderError('DAMAGED', message, { block: BigInt(number) })
}
