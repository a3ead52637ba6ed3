// A fee history as JSON, keys in declaration order. Follows feeHistoryResult in geth's internal/ethapi/api.go.
import { quantity } from '../../bytes.js'
import type { BlockFees } from '../../chain/fee-history.js'
import { arrayOf, listOf, object, orNothing, schemaOf } from '../schemas.js'

export const feeHistorySchema = object(
  'Fees by block, those of the block after the last one included',
  { oldestBlock: schemaOf('Quantity'), gasUsedRatio: orNothing(arrayOf({ type: 'number' })) },
  {
    reward: arrayOf(listOf('Quantity')),
    baseFeePerGas: listOf('Quantity'),
    baseFeePerBlobGas: listOf('Quantity'),
    blobGasUsedRatio: arrayOf({ type: 'number' }),
  },
)

/** The history of no blocks. */
export const emptyFeeHistoryJson = '{"oldestBlock":"0x0","gasUsedRatio":null}'

/** The history of at least one block. Lists of fees have one entry more, for the block after the last. */
export function feeHistoryJson(oldest: number, fees: readonly BlockFees[]): string {
  const last = fees.at(-1)!
  const rewards = fees.map(({ tips }) => tips.map(quantity))
  return JSON.stringify({
    oldestBlock: quantity(oldest),
    ...(last.tips.length > 0 && { reward: rewards }),
    baseFeePerGas: [...fees.map(({ baseFee }) => baseFee), last.nextBaseFee].map(quantity),
    gasUsedRatio: fees.map(({ gasUsedRatio }) => gasUsedRatio),
    baseFeePerBlobGas: [...fees.map(({ blobBaseFee }) => blobBaseFee), last.nextBlobBaseFee].map(quantity),
    blobGasUsedRatio: fees.map(({ blobGasUsedRatio }) => blobGasUsedRatio),
  })
}
