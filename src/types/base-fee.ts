// The base fee of the next block, by EIP-1559 (consensus/misc/eip1559/eip1559.go).
import type { Header } from './header.js'

const elasticityMultiplier = 2n
const baseFeeChangeDenominator = 8n
const initialBaseFee = 1_000_000_000n

/** Base fee of the child of a block. `isLondon`: whether the block is of London; one before it may have a fee by an override. */
export function nextBaseFee(parent: Header, isLondon = true): bigint {
  const fee = parent.baseFeePerGas
  if (!isLondon || fee === undefined) return initialBaseFee
  const target = parent.gasLimit / elasticityMultiplier
  const difference = parent.gasUsed - target
  if (difference === 0n) return fee
  const change = (fee * (difference < 0n ? -difference : difference)) / target / baseFeeChangeDenominator
  if (difference < 0n) return fee - change
  return fee + (change === 0n ? 1n : change)
}
