// SHA256, RIPEMD160 and the identity: addresses 2 to 4.
import { createHash } from 'node:crypto'
import { ripemd160 as ripemd160Hash } from '@noble/hashes/legacy.js'
import type { Precompile, PrecompileHost } from './precompile.js'

/** Bytes hashed between two checks of the clock, in less than half a millisecond (2026-11-22). */
const sha256ChunkSize = 1 << 18
const ripemd160ChunkSize = 1 << 14

/** Feeds the input piece by piece: a call can hash many megabytes at once. */
function* chunks(input: Uint8Array, size: number, host: PrecompileHost): Generator<Uint8Array> {
  for (let start = 0; start < input.length; start += size) {
    if (start > 0) host.checkTime()
    yield input.subarray(start, start + size)
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
    for (const chunk of chunks(input, sha256ChunkSize, host)) hash.update(chunk)
    return new Uint8Array(hash.digest())
  },
}

export const ripemd160: Precompile = {
  name: 'RIPEMD160',
  gas: (input) => 600 + 120 * words(input),
  run(input, host) {
    // Not node:crypto: OpenSSL builds without legacy algorithms lack this hash.
    const hash = ripemd160Hash.create()
    for (const chunk of chunks(input, ripemd160ChunkSize, host)) hash.update(chunk)
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
