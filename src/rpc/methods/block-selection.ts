// From block arguments to blocks of a view, with geth's texts for what cannot be resolved.
// Follows HeaderByNumber and StateAndHeaderByNumberOrHash in geth's eth/api_backend.go.
import type { Block, BlockSelector, HashedHeader } from '../../chain/block.js'
import { pendingBlock } from '../../chain/pending-block.js'
import type { ChainView } from '../../datadir/chain-view.js'
import { JsonRpcError, serverError } from '../json-rpc-error.js'
import type { MethodContext } from '../method.js'
import type { BlockArgument, BlockNumberArgument, BlockTag } from '../parameters/block.js'

/** A block number as a position; numbers that no chain reaches become the largest safe integer. */
export function blockPosition(number: bigint): number {
  const position = Number(number)
  return Number.isSafeInteger(position) ? position : Number.MAX_SAFE_INTEGER
}

/** Whether an argument asks for the pending block, which a directory does not hold. */
export function isPending(argument: BlockArgument): boolean {
  return 'tag' in argument && argument.tag === 'pending'
}

/** The pending block. `what` names what is asked of it, for the error of a chain that has none. */
export function selectPending(context: MethodContext, what = 'block'): Block {
  const block = pendingBlock(context.view.chain, context.nowSeconds())
  if (block === undefined) throw serverError(`pending ${what} is not available`)
  return block
}

function tagPosition(view: ChainView, tag: BlockTag): number {
  const number = tag === 'pending' ? view.chain.tagNumber('latest') : view.chain.tagNumber(tag)
  if (number === undefined) throw serverError(`${tag} block not found`)
  return number
}

/** Number of the block that a number or tag names, which may be above the head; `pending` stands for the head. */
export function selectNumber(view: ChainView, argument: BlockNumberArgument): number {
  return 'tag' in argument ? tagPosition(view, argument.tag) : blockPosition(argument.number)
}

/** The block an argument names; `pending` stands for the head. */
export function selectBlock(view: ChainView, argument: BlockArgument): BlockSelector {
  if ('tag' in argument) return { number: tagPosition(view, argument.tag) }
  if ('number' in argument) return { number: blockPosition(argument.number) }
  return argument
}

/** The block whose state an argument names; `pending` stands for the head. */
export function selectState(view: ChainView, argument: BlockArgument): HashedHeader {
  const selector = selectBlock(view, argument)
  const block = view.chain.header(selector)
  if (block !== undefined) return block
  throw serverError('hash' in selector ? 'header for hash not found' : 'header not found')
}

/** What is selected; undefined if a name stands for no block. For methods of which geth ignores that error. */
export function orNone<T>(select: () => T): T | undefined {
  try {
    return select()
  } catch (error) {
    if (error instanceof JsonRpcError) return undefined
    throw error
  }
}
