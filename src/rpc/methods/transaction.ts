// Methods that return single transactions.
import type { BlockSelector } from '../../chain/block.js'
import type { ChainView, MinedTransaction } from '../../datadir/chain-view.js'
import { transactionJson } from '../encoding/transaction.js'
import type { JsonText } from '../json/json-text.js'
import { absentJson, method } from '../method.js'
import { decodeBlockNumber } from '../parameters/block.js'
import { decodeHash, decodeUint } from '../parameters/hex.js'
import { required } from '../parameters/parameter.js'
import { orNull } from '../schemas.js'
import { blockPosition, isPending, selectBlock } from './block-selection.js'

function minedJson(mined: MinedTransaction | undefined): JsonText {
  return mined === undefined ? absentJson : transactionJson(mined, mined.from)
}

async function transactionAtJson(view: ChainView, selector: BlockSelector, index: bigint): Promise<JsonText> {
  return minedJson(await view.transactionAt(selector, blockPosition(index)))
}

const index = required('index', 'Quantity', decodeUint)

/** Transaction methods by name. */
export const transactionMethods = {
  eth_getTransactionByBlockHashAndIndex: method({
    summary: 'Transaction by the hash of its block and its place in it',
    parameters: [required('blockHash', 'Hash', decodeHash), index],
    result: orNull('Transaction'),
    run: ({ view }, hash, index) => transactionAtJson(view, { hash }, index),
  }),

  eth_getTransactionByBlockNumberAndIndex: method({
    summary: 'Transaction by the number or name of its block and its place in it',
    parameters: [required('block', 'BlockNumber', decodeBlockNumber), index],
    result: orNull('Transaction'),
    run: ({ view }, number, index) =>
      // The pending block is empty.
      isPending(number) ? absentJson : transactionAtJson(view, selectBlock(view, number), index),
  }),

  eth_getTransactionByHash: method({
    summary: 'Transaction by hash',
    parameters: [required('hash', 'Hash', decodeHash)],
    result: orNull('Transaction'),
    run: async ({ view }, hash) => minedJson(await view.transaction(hash)),
  }),
}
