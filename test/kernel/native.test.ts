// What native code refuses, so that it never reads or writes outside of the arrays that it is given. What it computes is tested with the
// precompiles, the public keys, the hashes and the tables that use it.
import { describe, expect, it } from 'vitest'
import { loadNative, type NativeFunctions } from '../../src/kernel/native/load-native.js'

const native = loadNative()
const isSupported = process.platform === 'linux' && process.arch === 'x64'

describe.runIf(isSupported)('native code', () => {
  const { modExp, verifyP256, sha256, bls12381, bn254 } = native ?? ({} as NativeFunctions)
  const bytes = (length: number) => new Uint8Array(length)

  it('has the functions of OpenSSL that this Node exports', () => {
    expect([typeof modExp, typeof verifyP256, typeof sha256]).toEqual(['function', 'function', 'function'])
  })

  it('refuses powers of long numbers, and another length of the result', () => {
    expect(() => modExp!(bytes(4_097), bytes(1), bytes(1), bytes(1))).toThrow(RangeError)
    expect(() => modExp!(bytes(1), bytes(4_097), bytes(1), bytes(1))).toThrow(RangeError)
    expect(() => modExp!(bytes(1), bytes(1), bytes(4), bytes(3))).toThrow(RangeError)
    const result = bytes(2)
    expect(modExp!(Uint8Array.of(3), Uint8Array.of(4), Uint8Array.of(0, 100), result)).toBe(true)
    expect([...result]).toEqual([0, 81])
  })

  it('refuses numbers of other lengths than the result, and more than eight words', () => {
    const { oddPower } = native!
    expect(() => oddPower(bytes(24), bytes(1), bytes(7))).toThrow(RangeError)
    expect(() => oddPower(bytes(16), bytes(1), bytes(8))).toThrow(RangeError)
    expect(() => oddPower(bytes(3 * 72), bytes(1), bytes(72))).toThrow(RangeError)
    expect(() => oddPower(bytes(24), bytes(4_097), bytes(8))).toThrow(RangeError)
  })

  it('refuses too few words of a signature, and a short digest', () => {
    expect(() => verifyP256!(bytes(159))).toThrow(RangeError)
    expect(verifyP256!(bytes(160))).toBe(false)
    expect(() => sha256!(bytes(3), bytes(31))).toThrow(RangeError)
  })

  it('refuses a memory that is too short for a value, on both curves', () => {
    for (const curve of [bls12381, bn254]) {
      for (const [name, run] of Object.entries(curve)) {
        expect(() => run(bytes(0), 0, 0, 8, 8), name).toThrow(RangeError)
        expect(() => run(bytes(64), 64, 64, 64, 64), name).toThrow(RangeError)
      }
    }
  })

  it.each([
    ['_mclBnG1_add', [0, 144, 288]],
    ['_mclBnG2_neg', [0, 288]],
    ['_mclBnG1_mulVec', [0, 144, 432, 2]],
    ['_mclBnFp_setBigEndianMod', [0, 48, 8]],
    ['_mclBnFp_serialize', [0, 48, 48]],
    ['_mclBn_millerLoop', [0, 576, 720]],
  ])('%s takes values in the memory alone, at multiples of eight', (name, values) => {
    const run = bls12381[name]!
    const memory = bytes(8_192)
    expect(() => run(memory, ...values)).not.toThrow()
    for (const [i, value] of values.entries()) {
      const isAddress = !(name.endsWith('mulVec') && i === 3) && !(name.includes('Big') && i === 2)
      if (!isAddress || (name.endsWith('serialize') && i === 1)) continue
      for (const outside of [8_192, 8_184 + 7, 2 ** 32 - 8]) {
        expect(() => run(memory, ...values.with(i, outside)), `${i}: ${outside}`).toThrow(RangeError)
      }
      const takesBytes = (name.includes('Big') && i === 1) || (name.endsWith('serialize') && i === 0)
      if (!takesBytes) expect(() => run(memory, ...values.with(i, value + 4))).toThrow(RangeError)
    }
    expect(() => run(memory, ...values.slice(1))).toThrow(RangeError)
    expect(() => run(bytes(0), ...values)).toThrow(RangeError)
  })

  it('refuses more points than the memory has', () => {
    expect(() => bls12381['_mclBnG1_mulVec']!(bytes(8_192), 0, 144, 432, 2 ** 32 - 1)).toThrow(RangeError)
    expect(() => bls12381['_mclBnFp_setBigEndianMod']!(bytes(8_192), 0, 48, 2 ** 32 - 1)).toThrow(RangeError)
  })
})
