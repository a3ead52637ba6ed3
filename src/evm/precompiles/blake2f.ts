// BLAKE2F: address 9 (EIP-152).
import { FrameError } from '../call-errors.js'
import type { Precompile } from './precompile.js'

const inputLength = 213

/** Rounds are the first four bytes, and each costs one gas. */
function rounds(input: Uint8Array): number {
  return new DataView(input.buffer, input.byteOffset).getUint32(0)
}

export const blake2f: Precompile = {
  name: 'BLAKE2F',
  gas: (input) => (input.length === inputLength ? rounds(input) : 0),
  run(input, host) {
    if (input.length !== inputLength) throw new FrameError('invalid input length')
    const last = input[212]!
    if (last !== 0 && last !== 1) throw new FrameError('invalid final flag')
    const fields = {
      hash: input.subarray(4, 68),
      message: input.subarray(68, 196),
      counter: input.subarray(196, 212),
      isLast: last === 1,
    }
    return host.machine.blake2(fields, rounds(input), () => host.checkTime())
  },
}
