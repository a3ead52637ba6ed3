// Methods that return receipts.
import { receiptJson, receiptsJson } from '../encoding/receipt.js'
import { decodeReceiptsBlock } from '../parameters/block.js'
import { decodeHash } from '../parameters/hex.js'
import { required } from '../parameters/parameter.js'
import { selectBlock } from './block-selection.js'
import { absentJson, alwaysHeavy, method } from './method.js'

/** Receipt methods by name. */
export const receiptMethods = {
  eth_getBlockReceipts: method(
    [required(decodeReceiptsBlock)],
    async ({ view }, block) => {
      const receipts = await view.receipts(selectBlock(view, block))
      return receipts === undefined ? absentJson : receiptsJson(receipts)
    },
    alwaysHeavy,
  ),

  eth_getTransactionReceipt: method([required(decodeHash)], async ({ view }, hash) => {
    const receipt = await view.receipt(hash)
    return receipt === undefined ? absentJson : receiptJson(receipt)
  }),
}
