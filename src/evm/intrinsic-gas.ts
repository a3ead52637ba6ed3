// What a transaction costs before its first opcode. Follows IntrinsicGas and FloorDataGas of
// core/state_transition.go. Sizes are bounded by what fits in memory, so geth's overflow checks have no counterpart.
import type { ForkRules } from '../types/fork-rules.js'
import type { Message } from './message.js'

/** Gas that must be there before execution starts, and is gone when it does. */
export function intrinsicGas(message: Message, rules: ForkRules): bigint {
  const isCreation = message.to === undefined
  let gas = isCreation && rules.homestead ? 53_000 : 21_000
  gas += (message.authorizations?.length ?? 0) * 25_000
  const zeros = countZeros(message.input)
  gas += zeros * 4 + (message.input.length - zeros) * (rules.istanbul ? 16 : 68)
  if (isCreation && rules.shanghai) gas += Math.ceil(message.input.length / 32) * 2
  for (const { storageKeys } of message.accessList ?? []) gas += 2_400 + storageKeys.length * 1_900
  return BigInt(gas)
}

/** The least that a transaction pays from Prague on, by the size of its data (EIP-7623). */
export function floorDataGas(message: Message): bigint {
  const zeros = countZeros(message.input)
  const tokens = (message.input.length - zeros) * 4 + zeros
  return BigInt(21_000 + tokens * 10)
}

function countZeros(bytes: Uint8Array): number {
  let zeros = 0
  for (const byte of bytes) if (byte === 0) zeros++
  return zeros
}
