// The price that the gas of a transaction cost, from the bytes of its fields.
import { bytesToBigInt } from '../../bytes.js'
import type { U64Builder } from '../integer-builders.js'
import type { LoadedBlock, TransactionFields } from '../loaded-block.js'

/** Appends the effective gas price to columns. Follows effectiveGasPrice of types/derived-receipt.ts. */
export function appendGasPrice(
  columns: readonly (U64Builder | undefined)[],
  block: LoadedBlock,
  transaction: TransactionFields,
): void {
  const { bytes } = block
  if (transaction.has('gasPrice')) {
    for (const column of columns)
      column?.appendBigEndian(bytes, transaction.start('gasPrice'), transaction.end('gasPrice'))
    return
  }
  const field = (name: 'feeCap' | 'tip') =>
    bytesToBigInt(bytes.subarray(transaction.start(name), transaction.end(name)))
  const cap = field('feeCap')
  const { baseFeePerGas } = block.stored.header
  const price = baseFeePerGas === undefined ? cap : baseFeePerGas + field('tip')
  for (const column of columns) column?.appendBigInt(price < cap ? price : cap)
}
