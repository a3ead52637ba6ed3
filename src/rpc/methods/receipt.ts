// Methods that return receipts.
import { receiptJson, receiptsJson } from '../encoding/receipt.js'
import { receiptErrorAnswers } from '../error-table.js'
import { answerOtherwise } from '../json-rpc-error.js'
import { absentJson, alwaysHeavy, method } from '../method.js'
import { decodeReceiptsBlock } from '../parameters/block.js'
import { decodeHash } from '../parameters/hex.js'
import { required } from '../parameters/parameter.js'
import { listOrNull, orNull } from '../schemas.js'
import { selectBlock } from './block-selection.js'

/** Receipt methods by name. */
export const receiptMethods = {
  eth_getBlockReceipts: method({
    summary: 'Receipts of a block, in the order of its transactions',
    parameters: [required('block', 'ReceiptsBlock', decodeReceiptsBlock)],
    result: listOrNull('Receipt'),
    isHeavy: alwaysHeavy,
    async run({ view }, block) {
      try {
        const found = await view.storedReceipts(selectBlock(view, block))
        return found === undefined ? absentJson : ['[', ...receiptsJson(found.stored, found), ']']
      } catch (error) {
        throw answerOtherwise(error, receiptErrorAnswers)
      }
    },
  }),

  eth_getTransactionReceipt: method({
    summary: 'Receipt of a transaction',
    parameters: [required('hash', 'Hash', decodeHash)],
    result: orNull('Receipt'),
    async run({ view }, hash) {
      const found = await view.storedReceipt(hash)
      return found === undefined ? absentJson : receiptJson(found, found.sender)
    },
  }),
}
