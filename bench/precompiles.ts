// What precompiles cost beside those of geth: published vectors, and hashes of many sizes. Geth's figures are recorded, so both
// are least times of many runs; run it on the machine of the record.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { hexToBytes } from '../src/bytes.js'
import { Machine } from '../src/evm/core/machine.js'
import { blake2f } from '../src/evm/precompiles/blake2f.js'
import { ripemd160, sha256 } from '../src/evm/precompiles/hashes.js'
import type { Precompile } from '../src/evm/precompiles/precompile.js'
import { PrecompileSet } from '../src/evm/precompiles/precompile-set.js'
import { loadCurves } from '../test/evm/load-curves.js'
import { testRules } from '../test/evm/test-forks.js'
import { type Row, report, round } from './report.js'

interface GethRecord {
  readonly recorded: string
  readonly version: string
  readonly machine: string
  readonly nanoseconds: Readonly<Record<string, number>>
}

interface Vector {
  readonly name: string
  readonly address: number
  readonly input: string
}

interface Case {
  readonly precompile: Precompile
  readonly input: Uint8Array
}

// The bench runs in bench/.build/bench.
const root = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(fileURLToPath(new URL(path, root)))
const geth = JSON.parse(read('bench/geth-precompiles.json').toString()) as GethRecord
const vectors = JSON.parse(
  gunzipSync(read('testdata/evm/precompiles.json.gz')).toString(),
) as readonly Vector[]
const precompiles = new PrecompileSet(testRules('Osaka'))

function caseOf(name: string): Case {
  const [kind, , size] = name.split(' ')
  if (kind === 'sha256') return { precompile: sha256, input: new Uint8Array(Number(size)) }
  if (kind === 'ripemd160') return { precompile: ripemd160, input: new Uint8Array(Number(size)) }
  if (name.endsWith(' rounds')) {
    const input = new Uint8Array(213)
    new DataView(input.buffer).setUint32(0, Number(size))
    return { precompile: blake2f, input }
  }
  // The only published vector of P256VERIFY that geth times is the first of its kind.
  const vector = vectors.find(
    (each) => each.name === name || (kind === 'p256Verify' && each.name.startsWith(kind)),
  )
  if (vector === undefined) throw new RangeError(`name: no vector ${name}`)
  const address = new Uint8Array(20)
  new DataView(address.buffer).setUint16(18, vector.address)
  return { precompile: precompiles.at(address)!, input: hexToBytes(vector.input) }
}

const host = { machine: new Machine(), checkTime() {} }

/** Least time of a run in nanoseconds, of groups of runs that take half a millisecond. */
function leastTime({ precompile, input }: Case): number {
  const time = (runs: number) => {
    const began = performance.now()
    for (let i = 0; i < runs; i++) precompile.run(input, host)
    return ((performance.now() - began) * 1e6) / runs
  }
  time(20)
  const runs = Math.max(1, Math.ceil(500_000 / time(20)))
  let least = Number.POSITIVE_INFINITY
  for (let group = 0; group < 200; group++) least = Math.min(least, time(runs))
  return least
}

await loadCurves()
const rows = Object.entries(geth.nanoseconds).map(([name, nanoseconds]): Row => {
  const own = leastTime(caseOf(name))
  return {
    precompile: name,
    'geth µs': round(nanoseconds / 1000),
    µs: round(own / 1000),
    'geth : ours': round(nanoseconds / own),
  }
})
report(`Precompiles; ${geth.version} of ${geth.recorded} on ${geth.machine}`, rows)
