// The price that the gas of a transaction cost, from the bytes of its fields.
import { bytesToBigInt } from '../../bytes.js'
import type { U64Builder } from '../integer-builders.js'
import { type LoadedBlock, type TransactionFields, transactionField } from '../loaded-block.js'

const { gasPrice, feeCap, tip } = transactionField

/** Appends the effective gas price to columns. Follows effectiveGasPrice of types/derived-receipt.ts. */
export function appendGasPrice(
  columns: readonly (U64Builder | undefined)[],
  block: LoadedBlock,
  transaction: TransactionFields,
): void {
  const { bytes } = block
  if (transaction.has(gasPrice)) {
    for (const column of columns)
      column?.appendBigEndian(bytes, transaction.start(gasPrice), transaction.end(gasPrice))
    return
  }
  const cap = integerAt(bytes, transaction.start(feeCap), transaction.end(feeCap))
  const { baseFeePerGas } = block.stored.header
  const price =
    baseFeePerGas === undefined
      ? cap
      : baseFeePerGas + integerAt(bytes, transaction.start(tip), transaction.end(tip))
  for (const column of columns) column?.appendBigInt(price < cap ? price : cap)
}

/** A big-endian integer. Prices have up to six bytes, for which this takes a fifth of the time of bytesToBigInt. */
function integerAt(bytes: Uint8Array, start: number, end: number): bigint {
  if (end - start > 6) return bytesToBigInt(bytes.subarray(start, end))
  let value = 0
  for (let i = start; i < end; i++) value = value * 256 + bytes[i]!
  return BigInt(value)
}
