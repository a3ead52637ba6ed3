// npm run fuzz:evm -- --runs N --seed S [--from RUN] [--fork NAME]: runs random programs on both engines and compares
// output, error, gas, logs and final state. A difference is written to a file that --case runs again; --from leaves out
// the first programs of the seed.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { bytesToHex, hexToBytes } from '../../../src/bytes.js'
import { type FuzzCase, generateCase, runCase } from '../fuzz-case.js'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    fork: { type: 'string' },
    case: { type: 'string' },
  },
})

if (values.case !== undefined) {
  const { builtin, ethereumjs } = await runCase(readCase(values.case))
  console.log('builtin   ', builtin)
  console.log('ethereumjs', ethereumjs)
  process.exit(builtin === ethereumjs ? 0 : 1)
}

const runs = Number(values.runs)
const first = Number(values.from)
let different = 0
const start = performance.now()
for (let run = first; run < first + runs; run++) {
  const fuzzCase = generateCase(Number(values.seed), run, values.fork)
  const { builtin, ethereumjs } = await runCase(fuzzCase)
  if (builtin !== ethereumjs) {
    different++
    const path = `fuzz-evm-${values.seed}-${run}.json`
    writeCase(path, fuzzCase)
    console.log(
      `run ${run} (${fuzzCase.fork}) differs, written to ${path}\n  builtin    ${builtin}\n  ethereumjs ${ethereumjs}`,
    )
  }
  const done = run + 1 - first
  if (done % 1000 === 0) {
    const rate = Math.round(done / ((performance.now() - start) / 1000))
    console.log(`${done} runs, ${different} different, ${rate} a second`)
  }
}
console.log(`fuzz:evm: ${runs - different} equal, ${different} different`)
process.exitCode = different > 0 ? 1 : 0

function writeCase(path: string, { fork, gas, input, programs }: FuzzCase): void {
  const text = { fork, gas: gas.toString(), input: bytesToHex(input), programs: programs.map(bytesToHex) }
  writeFileSync(path, `${JSON.stringify(text, undefined, 2)}\n`)
}

function readCase(path: string): FuzzCase {
  const text = JSON.parse(readFileSync(path, 'utf8')) as {
    fork: string
    gas: string
    input: string
    programs: string[]
  }
  return {
    fork: text.fork,
    gas: BigInt(text.gas),
    input: hexToBytes(text.input),
    programs: text.programs.map(hexToBytes),
  }
}
