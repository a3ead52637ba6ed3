// SHA256, RIPEMD160 and the identity: addresses 2 to 4.
import { createHash } from 'node:crypto'
import { ripemd160 as ripemd160Hash } from '@noble/hashes/legacy.js'
import type { Precompile, PrecompileHost } from './precompile.js'

/** Bytes hashed between two looks at the clock. */
const chunkSize = 1 << 18

/** Feeds the input piece by piece: a call can hash many megabytes at once. */
function update(hash: { update(chunk: Uint8Array): unknown }, input: Uint8Array, host: PrecompileHost): void {
  for (let start = 0; start < input.length; start += chunkSize) {
    if (start > 0) host.checkTime()
    hash.update(input.subarray(start, start + chunkSize))
  }
}

function words(input: Uint8Array): number {
  return Math.ceil(input.length / 32)
}

export const sha256: Precompile = {
  name: 'SHA256',
  gas: (input) => 60 + 12 * words(input),
  run(input, host) {
    const hash = createHash('sha256')
    update(hash, input, host)
    return new Uint8Array(hash.digest())
  },
}

export const ripemd160: Precompile = {
  name: 'RIPEMD160',
  gas: (input) => 600 + 120 * words(input),
  run(input, host) {
    // OpenSSL builds without legacy algorithms lack this hash, so it is not node:crypto's.
    const hash = ripemd160Hash.create()
    update(hash, input, host)
    const output = new Uint8Array(32)
    output.set(hash.digest(), 12)
    return output
  },
}

export const identity: Precompile = {
  name: 'ID',
  gas: (input) => 15 + 3 * words(input),
  run: (input) => input,
}
