import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bigIntToBytes, bytesToBigInt, bytesToHex, concatBytes } from '../../../src/bytes.js'
import { loadNative } from '../../../src/kernel/native/load-native.js'
import { loadAddon } from '../../../src/kernel/secp256k1/addon.js'
import {
  type KeyRecovery,
  keyBytes as keyLength,
  signatureBytes,
} from '../../../src/kernel/secp256k1/key-recovery.js'
import { recoverPublicKeys, type SignedHash } from '../../../src/kernel/secp256k1/public-key.js'
import { loadWasm } from '../../../src/kernel/secp256k1/wasm.js'

const { Point } = secp256k1
const order = Point.Fn.ORDER
const fieldOrder = Point.Fp.ORDER
const modulo = (value: bigint) => ((value % order) + order) % order
const word = (value: bigint) => bigIntToBytes(value, 32)

function keyBytes(key: InstanceType<typeof Point>): string | undefined {
  return key.is0() ? undefined : bytesToHex(key.toBytes(false).subarray(1))
}

const anyScalar = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => modulo(bytesToBigInt(bytes)))
const anyFactor = anyScalar.filter((value) => value > 0n)

/** A signature whose point R is k * G, such that the key is (u1 + u2 * k) * G. */
function signatureOfSum(k: bigint, u1: bigint, u2: bigint): SignedHash {
  const { x, y } = Point.BASE.multiplyUnsafe(modulo(k)).toAffine()
  const r = modulo(x)
  const signature = concatBytes(word(r), word(modulo(u2 * r)))
  return { hash: word(modulo(-u1 * r)), signature, recoveryBit: (y & 1n) === 0n ? 0 : 1 }
}

// A factor of the endomorphism, by which x of two points can be related.
const lambda = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n

const recoveries = { addon: loadAddon(), WebAssembly: loadWasm() }

it('has an addon for Linux on x64', () => {
  expect(recoveries.addon !== undefined).toBe(process.platform === 'linux' && process.arch === 'x64')
})

it('does without the addon if Node may not load any', () => {
  const program = `
    import { loadAddon } from './dist/kernel/secp256k1/addon.js'
    import { recoverPublicKey } from './dist/kernel/secp256k1/public-key.js'
    const generator = Buffer.from('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex')
    const key = recoverPublicKey(new Uint8Array(32), Buffer.concat([generator, generator]), 0)
    console.log(loadAddon(), Buffer.from(key.subarray(0, 32)).equals(generator))`
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const values = ['--no-addons', '--input-type=module', '--eval', program]
  expect(execFileSync(process.execPath, values, { cwd: root, encoding: 'utf8' })).toBe('undefined true\n')
})

const compiled = process.env['GETH_READER_ADDONS'] // The output of build/native-addon.mjs, which .ci/run starts.

it.runIf(compiled)('has an addon that its sources compile to', () => {
  const committed = fileURLToPath(new URL('../../../src/kernel/native/prebuilt', import.meta.url))
  const files = readdirSync(committed)
  expect(files).toContain('linux-x64.node')
  expect(readdirSync(compiled!)).toEqual(files)
  const differing = files.filter(
    (name) => !readFileSync(join(committed, name)).equals(readFileSync(join(compiled!, name))),
  )
  expect(differing).toEqual([])
})

/** Recovers the key of one signature eight times at once: in lanes where the processor has them, and by libsecp256k1 otherwise. */
function eightTimes({ signatures, keys, recover }: KeyRecovery): KeyRecovery {
  const signature = signatures.subarray(0, signatureBytes)
  const key = keys.subarray(0, keyLength)
  return {
    most: 1,
    lanes: 1,
    signatures: signature,
    keys: key,
    recover() {
      keys.fill(0)
      for (let lane = 1; lane < 8; lane++) signatures.set(signature, lane * signatureBytes)
      recover(8)
      for (let lane = 1; lane < 8; lane++)
        expect(keys.subarray(lane * keyLength, (lane + 1) * keyLength)).toEqual(key)
    },
  }
}

const { addon } = recoveries
const available = [
  ...(addon
    ? [
        { name: 'the addon', recovery: addon },
        { name: 'the addon, eight at once', recovery: eightTimes(addon) },
      ]
    : []),
  { name: 'WebAssembly', recovery: recoveries.WebAssembly },
]

describe.each(available)('recoverPublicKeys by $name', ({ recovery }) => {
  function recoverPublicKey(
    hash: Uint8Array,
    signature: Uint8Array,
    recoveryBit: 0 | 1,
  ): Uint8Array | undefined {
    return recoverPublicKeys([{ hash, signature, recoveryBit }], recovery)[0]
  }

  function recoverSum(k: bigint, u1: bigint, u2: bigint): string | undefined {
    const [key] = recoverPublicKeys([signatureOfSum(k, u1, u2)], recovery)
    return key && bytesToHex(key)
  }

  it('recovers the key of a signature as noble-curves does', () => {
    const property = fc.property(anyFactor, anyScalar, (secret, hash) => {
      const signature = secp256k1.sign(word(hash), word(secret), { prehash: false, format: 'recovered' })
      const key = recoverPublicKey(word(hash), signature.subarray(1), signature[0] as 0 | 1)
      expect(key && bytesToHex(key)).toBe(keyBytes(Point.BASE.multiplyUnsafe(secret)))
    })
    fc.assert(property, { seed: 1, numRuns: 50 })
  })

  it('adds any multiples of the generator and of the point of a signature', () => {
    const property = fc.property(anyFactor, anyScalar, anyFactor, (k, u1, u2) => {
      expect(recoverSum(k, u1, u2)).toBe(keyBytes(Point.BASE.multiplyUnsafe(modulo(u1 + u2 * k))))
    })
    fc.assert(property, { seed: 2, numRuns: 200 })
  })

  it('adds points that are equal or opposite', () => {
    const small = [-16n, -3n, -2n, -1n, 0n, 1n, 2n, 3n, 17n, 2048n]
    const wrong: unknown[] = []
    for (const k of [1n, -1n, 2n, 3n, lambda, -lambda, modulo(lambda * lambda)]) {
      for (const u1 of [...small, lambda, order / 2n]) {
        for (const u2 of [...small, lambda, modulo(-u1)].filter((value) => value !== 0n)) {
          const sum = modulo(u1 + u2 * k)
          const expected = sum === 0n ? undefined : keyBytes(Point.BASE.multiplyUnsafe(sum))
          wrong.push(...(recoverSum(k, u1, u2) === expected ? [] : [{ k, u1, u2 }]))
        }
      }
    }
    expect(wrong).toEqual([])
  })

  it('recovers no key if the sum is the point at infinity', () => {
    expect(recoverSum(5n, -35n, 7n)).toBeUndefined()
  })

  it('recovers no key if r is no coordinate of a point', () => {
    const property = fc.property(anyFactor, anyFactor, anyScalar, (r, s, hash) => {
      const square = (r * r * r + 7n) % fieldOrder
      const isCoordinate = Point.Fp.pow(square, (fieldOrder - 1n) / 2n) === 1n
      const key = recoverPublicKey(word(hash), concatBytes(word(r), word(s)), 0)
      expect(key !== undefined).toBe(isCoordinate)
    })
    fc.assert(property, { seed: 3, numRuns: 100 })
  })

  it('takes scalars at the ends of their range, and any hash', () => {
    const { x } = Point.BASE.toAffine()
    for (const hash of [0n, 1n, order - 1n, order, order + 1n, 2n ** 256n - 1n]) {
      for (const s of [1n, order - 1n]) {
        const inverse = Point.Fn.inv(x)
        const sum = Point.BASE.multiplyUnsafe(modulo((s - hash) * inverse))
        const key = recoverPublicKey(word(hash), concatBytes(word(x), word(s)), 0)
        expect(key && bytesToHex(key)).toBe(keyBytes(sum))
      }
    }
  })

  it('refuses r and s that are zero, or the order and more', () => {
    const { x } = Point.BASE.toAffine()
    for (const wrong of [0n, order, order + 1n, 2n ** 256n - 1n]) {
      expect(recoverPublicKey(word(1n), concatBytes(word(wrong), word(1n)), 0)).toBeUndefined()
      expect(recoverPublicKey(word(1n), concatBytes(word(x), word(wrong)), 0)).toBeUndefined()
    }
  })

  it('recovers keys of any number of signatures at once, also if some of them have none', () => {
    const { x } = Point.BASE.toAffine()
    const signed = Array.from({ length: 100 }, (_, i) => {
      const hash = word(BigInt(i) << 200n)
      const signature = secp256k1.sign(hash, word(BigInt(i + 1)), { prehash: false, format: 'recovered' })
      const parts = { hash, signature: signature.subarray(1), recoveryBit: signature[0] as 0 | 1 }
      // No scalar, no coordinate of a point, and a sum that is infinity.
      if (i % 7 === 1) return { ...parts, signature: concatBytes(word(order), word(1n)) }
      if (i % 7 === 2) return { ...parts, signature: concatBytes(word(5n), word(1n)) }
      if (i % 7 === 3)
        return { hash: word(9n), signature: concatBytes(word(x), word(9n)), recoveryBit: 0 as const }
      return parts
    })
    for (const count of [0, 1, 2, 31, 32, 33, 100]) {
      const keys = recoverPublicKeys(signed.slice(0, count), recovery)
      expect(keys.map((key) => key && bytesToHex(key))).toEqual(
        Array.from({ length: count }, (_, i) =>
          [1, 2, 3].includes(i % 7) ? undefined : keyBytes(Point.BASE.multiplyUnsafe(BigInt(i + 1))),
        ),
      )
    }
  })

  it('refuses other lengths', () => {
    expect(() => recoverPublicKey(new Uint8Array(31), new Uint8Array(64), 0)).toThrow(
      'expected 32 bytes, got 31',
    )
    expect(() => recoverPublicKey(new Uint8Array(32), new Uint8Array(65), 0)).toThrow(
      'expected 64 bytes, got 65',
    )
  })
})

const native = loadNative()

// A signature alone is recovered by libsecp256k1, several may be recovered in lanes.
describe.runIf(native)('recover of the addon', () => {
  function recover(signatures: readonly Uint8Array[]): (string | undefined)[] {
    const keys = new Uint8Array(signatures.length * keyLength)
    native!.recover(concatBytes(...signatures), keys, signatures.length)
    return signatures.map((_, i) => {
      const key = bytesToHex(keys.subarray(i * keyLength, (i + 1) * keyLength))
      return key.startsWith('0x00') ? undefined : key
    })
  }

  function recoverEach(signatures: readonly Uint8Array[]): (string | undefined)[] {
    return signatures.flatMap((signature) => recover([signature]))
  }

  it('gives the keys of any number of signatures as one by one', () => {
    const ends = [0n, 1n, order - 1n, order, order + 1n, fieldOrder, 2n ** 256n - 1n].map(word)
    const anyWord = fc.oneof(
      { weight: 15, arbitrary: fc.uint8Array({ minLength: 32, maxLength: 32 }) },
      { weight: 1, arbitrary: fc.constantFrom(...ends) },
    )
    const anySignature = fc
      .tuple(anyWord, anyWord, anyWord, fc.nat(255))
      .map(([hash, r, s, bit]) => concatBytes(hash, r, s, Uint8Array.of(bit)))
    const property = fc.property(fc.array(anySignature, { minLength: 40, maxLength: 40 }), (signatures) => {
      const keys = recoverEach(signatures)
      for (let count = 0; count <= 40; count++)
        expect(recover(signatures.slice(0, count))).toEqual(keys.slice(0, count))
    })
    fc.assert(property, { seed: 4, numRuns: 10 })
  })

  it('gives sums of multiples that are related as one by one', () => {
    const parts = [
      1n,
      2n,
      3n,
      8n,
      15n,
      16n,
      255n,
      256n,
      2n ** 127n,
      2n ** 128n,
      lambda,
      lambda * lambda,
      order / 2n,
    ]
    const anyPart = fc.constantFrom(...parts)
    const related = fc
      .tuple(anyPart, anyPart, fc.nat(63), fc.integer({ min: -2, max: 2 }), fc.boolean())
      .map(([a, b, digit, rest, isNegative]) =>
        modulo((a * b * 16n ** BigInt(digit) + BigInt(rest)) * (isNegative ? -1n : 1n)),
      )
      .filter((value) => value > 0n)
    const anyFactors = fc.tuple(
      fc.constantFrom(...parts, ...parts.map((part) => -part)),
      related,
      fc.oneof(related, anyFactor),
    )
    const property = fc.property(fc.array(anyFactors, { minLength: 8, maxLength: 8 }), (factors) => {
      const signatures = factors.map(([k, u1, u2]) => {
        const { hash, signature, recoveryBit } = signatureOfSum(k, u1, u2)
        return concatBytes(hash, signature, Uint8Array.of(recoveryBit))
      })
      expect(recover(signatures)).toEqual(recoverEach(signatures))
    })
    fc.assert(property, { seed: 5, numRuns: 40 })
  })

  it('gives keys of others in a group with sums that are the point at infinity', () => {
    const signatures = Array.from({ length: 16 }, (_, i) => {
      const k = BigInt(i + 1)
      const u2 = modulo(k ** 40n)
      const { hash, signature, recoveryBit } = signatureOfSum(k, modulo(-u2 * k + BigInt(i % 3)), u2)
      return concatBytes(hash, signature, Uint8Array.of(recoveryBit))
    })
    const sums = [undefined, Point.BASE, Point.BASE.double()].map(
      (sum) => sum && bytesToHex(sum.toBytes(false)),
    )
    expect(recover(signatures)).toEqual(signatures.map((_, i) => sums[i % 3]))
  })
})
