// Precompiles by published vectors, with native code if there is any, and without it.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { bigIntToBytes, bytesToHex, hexToBytes } from '../../src/bytes.js'
import { FrameError } from '../../src/evm/call-errors.js'
import { Machine } from '../../src/evm/core/machine.js'
import { PrecompileSet } from '../../src/evm/precompiles/precompile-set.js'
import { loadCurves } from './load-curves.js'
import { testRules } from './test-forks.js'

interface Vector {
  readonly name: string
  readonly address: number
  readonly fork: string
  readonly input: string
  readonly expected?: string
  readonly gas?: number
  readonly error?: string
}

const file = new URL('../../testdata/evm/precompiles.json.gz', import.meta.url)
const vectors = JSON.parse(gunzipSync(readFileSync(file)).toString()) as readonly Vector[]
const host = { machine: new Machine(), checkTime() {} }

function precompileAt(fork: string, address: number) {
  return new PrecompileSet(testRules(fork)).at(bigIntToBytes(BigInt(address), 20))
}

beforeAll(loadCurves)

const kinds = new Set(vectors.map(({ name }) => name.split(' ')[0]!))

test.each([...kinds])('%s gives the output, gas and errors of the published vectors', (kind) => {
  const ofKind = vectors.filter(({ name }) => name.startsWith(`${kind} `))
  expect(ofKind.length).toBeGreaterThan(0)
  for (const { name, address, fork, input, expected, gas, error } of ofKind) {
    const precompile = precompileAt(fork, address)!
    const bytes = hexToBytes(input)
    if (error !== undefined) {
      expect(() => precompile.run(bytes, host), name).toThrow(new FrameError(error))
    } else {
      expect(bytesToHex(precompile.run(bytes, host)), name).toBe(`0x${expected}`)
      expect(precompile.gas(bytes), name).toBe(gas)
    }
  }
})

test('the outputs are the same if Node may not load native code', () => {
  const program = `
    import { readFileSync } from 'node:fs'
    import { gunzipSync } from 'node:zlib'
    import { Machine } from './dist/evm/core/machine.js'
    import { sha256 } from './dist/evm/precompiles/hashes.js'
    import { blsG1Add, blsG1MultiScalar, blsG2Add, blsG2MultiScalar, blsMapToG1, blsMapToG2, blsPairing } from './dist/evm/precompiles/bls12381.js'
    import { bn254AddIstanbul, bn254MultiplyIstanbul, bn254PairingIstanbul } from './dist/evm/precompiles/bn254.js'
    import { kzgPointEvaluation } from './dist/evm/precompiles/kzg.js'
    import { bls12381, bn254, p256 } from './dist/evm/precompiles/mcl.js'
    import { NotLoadedError } from './dist/evm/precompiles/precompile.js'
    import { modexpOsaka } from './dist/evm/precompiles/modexp.js'
    import { p256Verify } from './dist/evm/precompiles/p256.js'
    import { loadNative } from './dist/kernel/native/load-native.js'
    const host = { machine: new Machine(), checkTime() {} }
    let isRefused = false
    try {
      bn254AddIstanbul.run(new Uint8Array(128), host)
    } catch (error) {
      isRefused = error instanceof NotLoadedError
    }
    for (const curve of [bls12381, bn254, p256]) await curve.load()
    const curve = [blsG1Add, blsG1MultiScalar, blsG2Add, blsG2MultiScalar, blsPairing, blsMapToG1, blsMapToG2]
    const precompiles = new Map([[5, modexpOsaka], [6, bn254AddIstanbul], [7, bn254MultiplyIstanbul], [8, bn254PairingIstanbul], [10, kzgPointEvaluation], ...curve.map((each, i) => [11 + i, each]), [256, p256Verify]])
    const vectors = JSON.parse(gunzipSync(readFileSync('testdata/evm/precompiles.json.gz')))
    const latest = vectors.filter(({ address, fork }) => precompiles.has(address) && (address !== 5 || fork === 'Osaka'))
    const run = (precompile, input) => {
      try {
        return Buffer.from(precompile.run(Buffer.from(input.replace('0x', ''), 'hex'), host)).toString('hex')
      } catch (error) {
        return error.message
      }
    }
    const wrong = latest.filter(({ address, input, expected, error }) => run(precompiles.get(address), input) !== (expected ?? error))
    console.log(loadNative(), isRefused, latest.length, wrong.length, run(sha256, '616263'))`
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const values = ['--no-addons', '--input-type=module', '--eval', program]
  const latest = vectors.filter(({ address, fork }) => {
    return [6, 7, 8].includes(address) || address >= 10 || (address === 5 && fork === 'Osaka')
  })
  // FIPS 180-2: the text abc.
  const hash = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  expect(execFileSync(process.execPath, values, { cwd: root, encoding: 'utf8' })).toBe(
    `undefined true ${latest.length} 0 ${hash}\n`,
  )
})

// FIPS 180-2, the RIPEMD-160 paper: the text abc.
test('hashes and the identity give what their definitions say', () => {
  const abc = hexToBytes('616263')
  const run = (address: number) => bytesToHex(precompileAt('Osaka', address)!.run(abc, host))
  expect(run(2)).toBe('0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect(run(3)).toBe('0x0000000000000000000000008eb208f7e05d987a9b044a8e98c6b087f15a0bfc')
  expect(run(4)).toBe('0x616263')
  expect([2, 3, 4].map((address) => precompileAt('Osaka', address)!.gas(abc))).toEqual([72, 720, 18])
})

test.each([
  ['Homestead', 4],
  ['Byzantium', 8],
  ['Istanbul', 9],
  ['Cancun', 10],
  ['Prague', 17],
])('the last precompile of %s is at %i', (fork, last) => {
  expect(precompileAt(fork, last)).toBeDefined()
  expect(precompileAt(fork, last + 1)).toBeUndefined()
  expect(precompileAt(fork, 0x100)).toBeUndefined()
})

test('a long computation checks the clock', () => {
  let looks = 0
  const counting = { machine: host.machine, checkTime: () => looks++ }
  const size = 256
  const length = (n: number) => bytesToHex(bigIntToBytes(BigInt(n), 32)).slice(2)
  const operands = ['ab', 'cd', 'ef'].map((byte) => byte.repeat(size)).join('')
  precompileAt('Osaka', 5)!.run(hexToBytes(`${length(size).repeat(3)}${operands}`), counting)
  expect(looks).toBeGreaterThan(10)
  looks = 0
  const blake = new Uint8Array(213)
  blake.set([0x00, 0x10, 0x00, 0x00])
  precompileAt('Osaka', 9)!.run(blake, counting)
  expect(looks).toBeGreaterThan(5)
  looks = 0
  precompileAt('Osaka', 2)!.run(new Uint8Array(4 << 20), counting)
  expect(looks).toBeGreaterThan(5)
})
