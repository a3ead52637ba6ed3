// Scans the blocks of a range one after the other, in viem's shapes.
import type { Hex } from '../bytes.js'
import type { Block as ChainBlock } from '../chain/block.js'
import { list, type Members, oneOf } from '../check.js'
import { type CanonicalBlock, checkCanonical } from '../datadir/canonical-block.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import { GethReaderError } from '../errors.js'
import { throwIfAborted } from '../stop.js'
import { checkArguments, rangeMembers } from './members.js'
import { readBlock } from './read-block.js'
import { selectRange } from './select-block.js'
import type { Block, BlockRangeParameters, Transaction, TransactionReceipt } from './types.js'
import { toReceipt } from './viem-format.js'

/** Options of `scanBlocks`. */
export interface ScanBlocksOptions {
  /** `transactions` for objects instead of hashes, `receipts` for receipts with the block; default neither. */
  readonly include?: readonly ('transactions' | 'receipts')[]
  /** Order of blocks; default ascending. */
  readonly order?: 'ascending' | 'descending'
  /** Cancels the scan, which throws ABORTED with the signal's reason as cause. */
  readonly signal?: AbortSignal
}

const optionMembers: Members<ScanBlocksOptions> = { include: true, order: true, signal: true }

/** One block of a scan. */
export interface ScannedBlock {
  /** With transaction objects if `include` has `transactions`, else with their hashes. */
  readonly block: Block<Hex> | Block<Transaction>
  /** In transaction order; present if `include` has `receipts`. */
  readonly receipts?: readonly TransactionReceipt[]
}

/** Blocks that are still to be read, and the last block of the whole range, which identifies the scanned chain. */
interface RestOfRange {
  from: number
  to: number
  readonly last: CanonicalBlock
}

/** Yields every canonical block of the range. All are of one chain, even if the head changes during the scan. */
export function scanBlocks(
  datadir: Datadir,
  range: BlockRangeParameters,
  options: ScanBlocksOptions,
): AsyncIterableIterator<ScannedBlock> {
  let rest: RestOfRange | undefined
  return datadir.stream(async function* (view, signal) {
    checkArguments([range, rangeMembers], [options, optionMembers])
    const { order = 'ascending' } = options
    const isAscending = oneOf('order', order, ['ascending', 'descending']) === 'ascending'
    const include = list('include', options.include ?? [], (name, part) =>
      oneOf(name, part, ['transactions', 'receipts']),
    )
    if (rest === undefined) {
      const { from, to } = selectRange(view, range)
      rest = { from, to, last: { number: to, hash: view.chain.header({ number: to })!.hash } }
    }
    checkCanonical(view, rest.last)
    while (rest.from <= rest.to) {
      throwIfAborted(signal)
      const scanned = await readScanned(view, isAscending ? rest.from : rest.to, include)
      if (isAscending) rest.from++
      else rest.to--
      yield scanned
    }
  }, options?.signal)
}

async function readScanned(
  view: ChainView,
  number: number,
  include: readonly string[],
): Promise<ScannedBlock> {
  const block = existingBlock(view, number)
  // What becomes a dataset is checked whatever the options say.
  view.chain.verify({ table: 'bodies', hash: block.hash })
  if (include.includes('receipts')) view.chain.verify({ table: 'receipts', hash: block.hash })
  const receipts =
    include.includes('receipts') && present('receipts', number, await view.receipts({ number }))
  return {
    block: await readBlock(view, block, include.includes('transactions')),
    ...(receipts && { receipts: receipts.map(toReceipt) }),
  }
}

/** A block up to the head. Throws DAMAGED and HISTORY_PRUNED. */
export function existingBlock(view: ChainView, number: number): ChainBlock {
  return present('body', number, view.chain.block({ number }))
}

/** Throws DAMAGED for missing data: a block up to the head has its data, or the view has thrown HISTORY_PRUNED. */
function present<T>(part: string, number: number, found: T | undefined): T {
  if (found !== undefined) return found
  const message = `block ${number} has no ${part}, though it is not above the head`
  throw new GethReaderError('DAMAGED', message, { block: BigInt(number) })
}
