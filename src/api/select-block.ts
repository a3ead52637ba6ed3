// Finds the block or range that arguments of the typed API select in a view.
import type { BlockSelector, HashedHeader } from '../chain/block.js'
import type { ChainView } from '../datadir/chain-view.js'
import { GethReaderError } from '../errors.js'
import { blockNumber, fixedBytes } from './parameters.js'
import type { BlockParameters, BlockRangeParameters, BlockTag } from './types.js'

const tags: readonly unknown[] = ['latest', 'earliest', 'safe', 'finalized'] satisfies readonly BlockTag[]

/** The selected block; undefined for `safe` and `finalized` if the directory records none. */
export function blockSelector(view: ChainView, parameters: BlockParameters): BlockSelector | undefined {
  const { blockNumber: number, blockHash, blockTag = 'latest' } = parameters
  if (blockHash !== undefined) return { hash: fixedBytes('blockHash', blockHash, 32) }
  if (number !== undefined) return { number: blockNumber('blockNumber', number) }
  const tagged = taggedNumber(view, 'blockTag', blockTag)
  return tagged === undefined ? undefined : { number: tagged }
}

/** Header of the selected block, for reads that need it. Throws BLOCK_NOT_FOUND if there is none. */
export function existingHeader(view: ChainView, parameters: BlockParameters): HashedHeader {
  const selector = blockSelector(view, parameters)
  const found = selector && view.chain.header(selector)
  if (found) return found
  const { blockNumber: number, blockHash, blockTag } = parameters
  throw new GethReaderError(
    'BLOCK_NOT_FOUND',
    `block ${blockHash ?? number ?? blockTag} is not in this directory`,
    {
      ...(number !== undefined && { block: number }),
      ...(blockHash !== undefined && { blockHash }),
      available: `0 to ${view.chain.head().header.number}`,
    },
  )
}

/**
 * A range of blocks, both ends included; `fromBlock` defaults to the first with a body and `toBlock` to the head.
 * Throws INVALID_RANGE if `toBlock` is above the head.
 */
export function selectRange(
  view: ChainView,
  { fromBlock = 'earliest', toBlock = 'latest' }: BlockRangeParameters,
): {
  from: number
  to: number
} {
  const from = rangeEnd(view, 'fromBlock', fromBlock)
  const to = rangeEnd(view, 'toBlock', toBlock)
  const head = view.chain.head().header.number
  if (to > head) {
    throw new GethReaderError('INVALID_RANGE', `toBlock: expected at most the head, ${head}, got ${to}`, {
      block: BigInt(to),
      available: `0 to ${head}`,
    })
  }
  if (from > to) throw new RangeError(`fromBlock: expected at most toBlock, ${to}, got ${from}`)
  return { from, to }
}

/** Number of a block that an argument names; it may be above the head. Throws BLOCK_NOT_FOUND if no block has the tag. */
export function rangeEnd(view: ChainView, name: string, value: bigint | BlockTag): number {
  if (typeof value === 'bigint') return blockNumber(name, value)
  const number = taggedNumber(view, name, value)
  if (number !== undefined) return number
  throw new GethReaderError('BLOCK_NOT_FOUND', `${name}: this directory records no ${value} block`)
}

function taggedNumber(view: ChainView, name: string, tag: BlockTag): number | undefined {
  if (!tags.includes(tag))
    throw new TypeError(`${name}: expected ${tags.join(', ')} or a bigint, got ${String(tag)}`)
  return view.chain.tagNumber(tag)
}
