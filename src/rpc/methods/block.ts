// Methods that return blocks and their transaction counts.
import { quantity } from '../../bytes.js'
import type { Block, BlockSelector } from '../../chain/block.js'
import type { Awaitable } from '../backend.js'
import { blockWithHashesJson, blockWithTransactionsJson, pendingBlockJson } from '../encoding/block.js'
import { decodeBlockNumber } from '../parameters/block.js'
import { decodeHash } from '../parameters/hex.js'
import { required } from '../parameters/parameter.js'
import { decodeBoolean } from '../parameters/unmarshal.js'
import { nowSeconds, pendingBlock } from '../pending-block.js'
import { isPending, selectBlock } from './block-selection.js'
import { absentJson, type MethodContext, method } from './method.js'

function blockJson(
  { view }: MethodContext,
  selector: BlockSelector,
  withTransactions: boolean,
): Awaitable<string> {
  const block = view.block(selector)
  if (block === undefined) return absentJson
  if (!withTransactions) return blockWithHashesJson(block)
  const senders = view.senders(block)
  if (senders instanceof Promise) return senders.then((all) => blockWithTransactionsJson(block, all))
  return blockWithTransactionsJson(block, senders)
}

function transactionCountJson(block: Block | undefined): string {
  return block === undefined ? absentJson : `"${quantity(block.transactionHashes.length)}"`
}

/** Block methods by name. */
export const blockMethods = {
  eth_getBlockByNumber: method(
    [required(decodeBlockNumber), required(decodeBoolean)],
    (context, number, withTransactions) => {
      if (isPending(number)) return pendingBlockJson(pendingBlock(context.view, nowSeconds()))
      return blockJson(context, selectBlock(context.view, number), withTransactions)
    },
    (_, withTransactions) => withTransactions,
  ),

  eth_getBlockByHash: method(
    [required(decodeHash), required(decodeBoolean)],
    (context, hash, withTransactions) => blockJson(context, { hash }, withTransactions),
    (_, withTransactions) => withTransactions,
  ),

  eth_getBlockTransactionCountByNumber: method([required(decodeBlockNumber)], ({ view }, number) =>
    // The pending block is empty.
    isPending(number) ? '"0x0"' : transactionCountJson(view.block(selectBlock(view, number))),
  ),

  eth_getBlockTransactionCountByHash: method([required(decodeHash)], ({ view }, hash) =>
    transactionCountJson(view.block({ hash })),
  ),
}
