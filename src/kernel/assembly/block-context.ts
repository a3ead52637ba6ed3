// What the JSON of transactions and receipts takes from the header of their block, and the prices that follow from it. Offsets
// in the context are written here only; ../kernel.ts reads them from the module.
import { end, Field, has, start } from './transaction-fields'

/** u64 both, little-endian. */
export const CONTEXT_NUMBER: usize = 0
export const CONTEXT_TIMESTAMP: usize = 8
/** 32 bytes. */
export const CONTEXT_HASH: usize = 16
/** Whether the block has these prices, u32 each; their 32 bytes, big-endian. */
export const CONTEXT_HAS_BASE_FEE: usize = 48
export const CONTEXT_HAS_BLOB_PRICE: usize = 52
export const CONTEXT_BASE_FEE: usize = 56
export const CONTEXT_BLOB_PRICE: usize = 88
export const CONTEXT: usize = 120

const PRICE = memory.data(48, 16)

/** First byte of the price that {@link readEffectivePrice} found, and its exclusive end. */
export let price: usize = 0
export let priceEnd: usize = 0

/** Finds the price per gas that the transaction read last paid. False if a fee has more than 32 bytes. */
export function readEffectivePrice(context: usize): bool {
  if (has(Field.GasPrice)) {
    price = start(Field.GasPrice)
    priceEnd = end(Field.GasPrice)
    return true
  }
  price = start(Field.FeeCap)
  priceEnd = end(Field.FeeCap)
  if (load<u32>(context, CONTEXT_HAS_BASE_FEE) == 0) return true
  const tip = start(Field.TipCap)
  const tipLength = end(Field.TipCap) - tip
  const capLength = priceEnd - price
  if (tipLength > 32 || capLength > 32) return false
  // The sum of base fee and tip, in 33 bytes.
  let carry: u32 = 0
  for (let i: usize = 0; i < 32; i++) {
    carry += load<u8>(context + CONTEXT_BASE_FEE + 31 - i)
    if (i < tipLength) carry += load<u8>(tip + tipLength - 1 - i)
    store<u8>(PRICE + 32 - i, <u8>carry)
    carry >>= 8
  }
  store<u8>(PRICE, <u8>carry)
  if (isBelow(PRICE, 33, price, capLength)) {
    price = PRICE
    priceEnd = PRICE + 33
  }
  return true
}

/** Compares two big-endian integers, of which the first is not shorter. */
function isBelow(a: usize, length: usize, b: usize, otherLength: usize): bool {
  const more = length - otherLength
  for (let i: usize = 0; i < length; i++) {
    const x = <u32>load<u8>(a + i)
    const y: u32 = i < more ? 0 : <u32>load<u8>(b + i - more)
    if (x != y) return x < y
  }
  return false
}
