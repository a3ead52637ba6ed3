import { createHash } from 'node:crypto'
import { ripemd160 as expectedRipemd160 } from '@noble/hashes/legacy.js'
import { expect, test } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { Machine } from '../../src/evm/core/machine.js'
import { ripemd160, sha256 } from '../../src/evm/precompiles/hashes.js'
import { patternBytes } from '../kernel/pattern-bytes.js'

const machine = new Machine()
/** Around the ends of blocks and of pieces. */
const lengths = [
  0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1000, 16_383, 16_384, 16_385, 16_440, 40_000,
  262_144, 262_145,
]

test('SHA-256 is that of node:crypto for every length', () => {
  for (const length of lengths) {
    const input = patternBytes(length)
    const expected = createHash('sha256').update(input).digest('hex')
    expect(bytesToHex(sha256.run(input, { machine, checkTime() {} })), `${length}`).toBe(`0x${expected}`)
  }
})

test('RIPEMD-160 is that of noble-hashes for every length', () => {
  for (const length of lengths) {
    const input = patternBytes(length)
    const output = bytesToHex(ripemd160.run(input, { machine, checkTime() {} }))
    expect(output, `${length}`).toBe(`0x${'00'.repeat(12)}${bytesToHex(expectedRipemd160(input)).slice(2)}`)
  }
})
