// What bn254 costs on mcl's WebAssembly, which the precompiles use, and in JavaScript (@noble/curves).
import { bn254 } from '@noble/curves/bn254.js'
import { bigIntToBytes, concatBytes } from '../src/bytes.js'
import { Machine } from '../src/evm/core/machine.js'
import {
  bn254AddIstanbul,
  bn254MultiplyIstanbul,
  bn254PairingIstanbul,
  loadBn254,
} from '../src/evm/precompiles/bn254.js'
import type { Precompile } from '../src/evm/precompiles/precompile.js'
import { median, type Row, report, round } from './report.js'

const { Fp12, Fr } = bn254.fields
const p = bn254.G1.Point.BASE.multiplyUnsafe(12_345n)
const q = bn254.G2.Point.BASE.multiplyUnsafe(67_890n)
const factor = Fr.ORDER - 2n
const word = (value: bigint) => bigIntToBytes(value, 32)

function g1(): Uint8Array {
  const { x, y } = p.toAffine()
  return concatBytes(word(x), word(y))
}

function pair(): Uint8Array {
  const { x, y } = q.toAffine()
  return concatBytes(g1(), ...[x.c1, x.c0, y.c1, y.c0].map(word))
}

function pairInJavaScript(): bigint {
  if (!q.isTorsionFree()) throw new Error('the point is in the group')
  return Fp12.eql(bn254.pairing(p, q), Fp12.ONE) ? 1n : 0n
}

interface Case {
  readonly name: string
  readonly precompile: Precompile
  readonly input: Uint8Array
  readonly inJavaScript: () => unknown
}

const cases: readonly Case[] = [
  {
    name: 'addition',
    precompile: bn254AddIstanbul,
    input: concatBytes(g1(), g1()),
    inJavaScript: () => p.add(p).toAffine(),
  },
  {
    name: 'multiplication',
    precompile: bn254MultiplyIstanbul,
    input: concatBytes(g1(), word(factor)),
    inJavaScript: () => p.multiplyUnsafe(factor).toAffine(),
  },
  { name: 'one pair', precompile: bn254PairingIstanbul, input: pair(), inJavaScript: pairInJavaScript },
]

const host = { machine: new Machine(), checkTime() {} }
const start = performance.now()
await loadBn254()
console.log(`loaded in ${Math.round(performance.now() - start)} ms`)

const rows: Row[] = []
for (const { name, precompile, input, inJavaScript } of cases) {
  const wasm: number[] = []
  const javaScript: number[] = []
  for (let turn = 0; turn < 40; turn++) {
    let began = performance.now()
    precompile.run(input, host)
    wasm.push(performance.now() - began)
    began = performance.now()
    inJavaScript()
    javaScript.push(performance.now() - began)
  }
  const [wasmMs, javaScriptMs] = [median(wasm.slice(10)), median(javaScript.slice(10))]
  rows.push({
    bn254: name,
    'mcl µs': round(wasmMs * 1000),
    'noble µs': round(javaScriptMs * 1000),
    ratio: round(javaScriptMs / wasmMs),
    'Mgas/s': round(precompile.gas(input) / wasmMs / 1000),
  })
}
report('Precompiles', rows)
