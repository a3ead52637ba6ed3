// What precompiles of elliptic curves cost on mcl's WebAssembly, which they use, and in JavaScript (@noble/curves).
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import { bigIntToBytes, concatBytes } from '../src/bytes.js'
import { Machine } from '../src/evm/core/machine.js'
import { blsG1MultiScalar, blsMapToG1, blsPairing } from '../src/evm/precompiles/bls12381.js'
import {
  bn254AddIstanbul,
  bn254MultiplyIstanbul,
  bn254PairingIstanbul,
} from '../src/evm/precompiles/bn254.js'
import { p256Verify } from '../src/evm/precompiles/p256.js'
import type { Precompile } from '../src/evm/precompiles/precompile.js'
import { loadCurves } from '../test/evm/load-curves.js'
import { median, type Row, report, round } from './report.js'

const word = (value: bigint) => bigIntToBytes(value, 32)
const field = (value: bigint) => bigIntToBytes(value, 64)
const factor = bn254.fields.Fr.ORDER - 2n

const p = bn254.G1.Point.BASE.multiplyUnsafe(12_345n)
const q = bn254.G2.Point.BASE.multiplyUnsafe(67_890n)
const pBytes = concatBytes(word(p.toAffine().x), word(p.toAffine().y))
const qBytes = concatBytes(...[q.toAffine().x, q.toAffine().y].flatMap(({ c0, c1 }) => [word(c1), word(c0)]))

const blsP = bls12_381.G1.Point.BASE.multiplyUnsafe(12_345n)
const blsQ = bls12_381.G2.Point.BASE.multiplyUnsafe(67_890n)
const blsPBytes = concatBytes(field(blsP.toAffine().x), field(blsP.toAffine().y))
const blsQBytes = concatBytes(
  ...[blsQ.toAffine().x, blsQ.toAffine().y].flatMap(({ c0, c1 }) => [field(c0), field(c1)]),
)
const mapToG1 = bls12_381.G1.mapToCurve as unknown as (element: bigint) => typeof blsP

const secret = word(12_345n)
const hash = word(67_890n)
const key = p256.getPublicKey(secret, false)
const signature = p256.sign(hash, secret, { prehash: false })

interface Case {
  readonly name: string
  readonly precompile: Precompile
  readonly input: Uint8Array
  readonly inJavaScript: () => unknown
}

const cases: readonly Case[] = [
  {
    name: 'bn254 addition',
    precompile: bn254AddIstanbul,
    input: concatBytes(pBytes, pBytes),
    inJavaScript: () => p.add(p).toAffine(),
  },
  {
    name: 'bn254 multiplication',
    precompile: bn254MultiplyIstanbul,
    input: concatBytes(pBytes, word(factor)),
    inJavaScript: () => p.multiplyUnsafe(factor).toAffine(),
  },
  {
    name: 'bn254 pairing',
    precompile: bn254PairingIstanbul,
    input: concatBytes(pBytes, qBytes),
    inJavaScript: () => q.isTorsionFree() && bn254.pairing(p, q),
  },
  {
    name: 'BLS12-381 multiplication',
    precompile: blsG1MultiScalar,
    input: concatBytes(blsPBytes, word(factor)),
    inJavaScript: () => blsP.isTorsionFree() && blsP.multiplyUnsafe(factor).toAffine(),
  },
  {
    name: 'BLS12-381 pairing',
    precompile: blsPairing,
    input: concatBytes(blsPBytes, blsQBytes),
    inJavaScript: () => blsP.isTorsionFree() && blsQ.isTorsionFree() && bls12_381.pairing(blsP, blsQ),
  },
  {
    name: 'BLS12-381 map to G1',
    precompile: blsMapToG1,
    input: field(12_345n),
    inJavaScript: () => mapToG1(12_345n).toAffine(),
  },
  {
    name: 'P-256 verification',
    precompile: p256Verify,
    input: concatBytes(hash, signature, key.subarray(1)),
    inJavaScript: () => p256.verify(signature, hash, key, { prehash: false, lowS: false }),
  },
]

const host = { machine: new Machine(), checkTime() {} }
const start = performance.now()
await loadCurves()
console.log(`loaded in ${Math.round(performance.now() - start)} ms`)

const rows: Row[] = []
for (const { name, precompile, input, inJavaScript } of cases) {
  const wasm: number[] = []
  const javaScript: number[] = []
  for (let turn = 0; turn < 100; turn++) {
    let began = performance.now()
    precompile.run(input, host)
    wasm.push(performance.now() - began)
    began = performance.now()
    inJavaScript()
    javaScript.push(performance.now() - began)
  }
  const [wasmMs, javaScriptMs] = [median(wasm.slice(50)), median(javaScript.slice(50))]
  rows.push({
    precompile: name,
    'mcl µs': round(wasmMs * 1000),
    'noble µs': round(javaScriptMs * 1000),
    ratio: round(javaScriptMs / wasmMs),
    'Mgas/s': round(precompile.gas(input) / wasmMs / 1000),
  })
}
report('Precompiles', rows)
