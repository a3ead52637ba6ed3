// BLAKE2F: address 9 (EIP-152).
import { FrameError } from '../call-errors.js'
import type { Precompile } from './precompile.js'

const inputLength = 213

/** Rounds are the first four bytes, and each costs one gas. */
function rounds(input: Uint8Array): number {
  return ((input[0]! << 24) | (input[1]! << 16) | (input[2]! << 8) | input[3]!) >>> 0
}

export const blake2f: Precompile = {
  name: 'BLAKE2F',
  gas: (input) => (input.length === inputLength ? rounds(input) : 0),
  run(input, host) {
    if (input.length !== inputLength) throw new FrameError('invalid input length')
    const last = input[212]!
    if (last !== 0 && last !== 1) throw new FrameError('invalid final flag')
    const options = { rounds: rounds(input), isLast: last === 1 }
    return host.machine.arithmetic.blake2(input.subarray(4, 212), options, () => host.checkTime())
  },
}
