// Methods that return blocks and their transaction counts.
import type { Awaitable } from '../../awaitable.js'
import { quantity } from '../../bytes.js'
import type { Block, BlockSelector } from '../../chain/block.js'
import { blockWithHashesJson, blockWithTransactionsJson, pendingBlockJson } from '../encoding/block.js'
import type { JsonText } from '../json/json-text.js'
import { absentJson, type MethodContext, method } from '../method.js'
import { decodeBlockNumber } from '../parameters/block.js'
import { decodeHash } from '../parameters/hex.js'
import { required } from '../parameters/parameter.js'
import { decodeBoolean } from '../parameters/unmarshal.js'
import { orNull } from '../schemas.js'
import { isPending, selectBlock, selectPending } from './block-selection.js'

const number = required('block', 'BlockNumber', decodeBlockNumber)
const hash = required('hash', 'Hash', decodeHash)
const withTransactions = required('withTransactions', 'Boolean', decodeBoolean)

function blockJson(
  { view }: MethodContext,
  selector: BlockSelector,
  withTransactions: boolean,
): Awaitable<JsonText> {
  const block = view.chain.block(selector)
  if (block === undefined) return absentJson
  if (!withTransactions) return blockWithHashesJson(block)
  const senders = view.senders(block)
  if (senders instanceof Promise) return senders.then((all) => blockWithTransactionsJson(block, all))
  return blockWithTransactionsJson(block, senders)
}

/** The pending block with its state root; without the trie nodes of the head's state that is the root of the head. */
export async function withPendingRoot({ view }: MethodContext, block: Block): Promise<Block> {
  const { stateRoot } = block.header
  return {
    ...block,
    header: { ...block.header, stateRoot: (await view.run('pendingRoot', block.header)) ?? stateRoot },
  }
}

async function pendingJson(context: MethodContext): Promise<string> {
  return pendingBlockJson(await withPendingRoot(context, selectPending(context)))
}

function transactionCountJson(block: Block | undefined): string {
  return block === undefined ? absentJson : `"${quantity(block.transactionCount)}"`
}

/** Block methods by name. */
export const blockMethods = {
  eth_getBlockByNumber: method({
    summary: 'Block by number or name, with hashes of its transactions or with the transactions',
    parameters: [number, withTransactions],
    result: orNull('FilledBlock'),
    isHeavy: (number, withTransactions) => withTransactions || isPending(number),
    run(context, number, withTransactions) {
      if (isPending(number)) return pendingJson(context)
      return blockJson(context, selectBlock(context.view, number), withTransactions)
    },
  }),

  eth_getBlockByHash: method({
    summary: 'Block by hash, with hashes of its transactions or with the transactions',
    parameters: [hash, withTransactions],
    result: orNull('FilledBlock'),
    isHeavy: (_, withTransactions) => withTransactions,
    run: (context, hash, withTransactions) => blockJson(context, { hash }, withTransactions),
  }),

  eth_getBlockTransactionCountByNumber: method({
    summary: 'Number of transactions of a block by number or name',
    parameters: [number],
    result: orNull('Quantity'),
    run: ({ view }, number) =>
      // The pending block is empty.
      isPending(number) ? '"0x0"' : transactionCountJson(view.chain.block(selectBlock(view, number))),
  }),

  eth_getBlockTransactionCountByHash: method({
    summary: 'Number of transactions of a block by hash',
    parameters: [hash],
    result: orNull('Quantity'),
    run: ({ view }, hash) => transactionCountJson(view.chain.block({ hash })),
  }),
}
