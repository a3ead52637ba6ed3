// npm run fuzz:geth -- --url URL --other URL [--runs N] [--seed S] [--method NAME] [--blocks 800:Osaka]: sends random programs as
// state overrides of eth_call, or of eth_estimateGas, eth_createAccessList or debug_traceCall, to a running geth and to another
// server on the same directory, and compares the answers. With debug_traceCall, callTracer and prestateTracer take turns.
import { parseArgs } from 'node:util'
import { bytesToHex } from '../../../src/bytes.js'
import { opcodeTable } from '../../../src/evm/opcodes.js'
import { Random } from '../../random.js'
import {
  contractAddresses,
  generateInput,
  generateProgram,
  mutatedPrecompileInput,
  plainAddress,
} from '../program-generator.js'
import { testRules } from '../test-forks.js'

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    other: { type: 'string' },
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    method: { type: 'string', default: 'eth_call' },
    blocks: { type: 'string', default: '0:Frontier' },
    show: { type: 'string', default: '10' },
  },
})
// Numbers of blocks, each with the name of its fork in the state tests: 800:Osaka.
const blocks = values.blocks.split(',').map((item) => {
  const [number, fork] = item.split(':')
  const { entries } = opcodeTable(testRules(fork!))
  const invalid = entries[0xfe * 4 + 3]
  return [Number(number), (opcode: number) => entries[opcode * 4 + 3] !== invalid] as const
})
const caller = '0x000000000000000000000000000000000000c0de'
let differing = 0
let timedOut = 0
const kinds = new Map<string, number>()
const runs = Number(values.runs)
// geth ends a connection whose batch takes half a minute.
const batchSize = values.method === 'debug_traceCall' ? 10 : 50
for (let first = 0; first < runs; first += batchSize) {
  const requests = Array.from({ length: Math.min(batchSize, runs - first) }, (_, i) => makeRequest(first + i))
  const [expected, found] = await Promise.all([send(values.url!, requests), send(values.other!, requests)])
  for (const [i, request] of requests.entries()) {
    const want = normalise(expected[i])
    const got = normalise(found[i])
    const kind = want
      .replace(/0x[0-9a-f]{20,}/g, 'H')
      .replace(/\d+/g, 'N')
      .slice(0, 60)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    if (want === got) continue
    // On a busy machine.
    if (/request timed out|execution timeout/.test(want + got)) {
      timedOut++
      continue
    }
    if (differing++ < Number(values.show)) {
      console.log(`run ${first + i} block ${(request as { params: unknown[] }).params[1]}`)
      console.log(`  geth  ${want.slice(0, 3000)}`)
      console.log(`  other ${got.slice(0, 3000)}`)
    }
  }
}
for (const [kind, count] of [...kinds].toSorted((a, b) => b[1] - a[1]).slice(0, 25)) console.log(count, kind)
const equal = runs - differing - timedOut
console.log(`against-geth: ${equal} equal, ${differing} different, ${timedOut} out of time`)
process.exitCode = differing > 0 ? 1 : 0

function makeRequest(run: number): unknown {
  const random = new Random(Number(values.seed) * 1_000_003 + run)
  const [block, isDefined] = random.pick(blocks)
  const overrides: Record<string, unknown> = {}
  for (const address of contractAddresses) {
    overrides[hex(address)] = {
      code: bytesToHex(generateProgram(random, 3 + random.below(12), isDefined)),
      balance: '0x64',
      stateDiff: { [word(1n)]: word(5n), [word(2n)]: word(2n ** 255n) },
    }
  }
  overrides[hex(plainAddress)] = { balance: '0x3e8' }
  // Access lists are made for callers who pay.
  if (values.method === 'eth_createAccessList') overrides[caller] = { balance: `0x${'f'.repeat(24)}` }
  const direct = random.oneIn(8) ? mutatedPrecompileInput(random) : undefined
  const call = {
    from: caller,
    to: hex(direct === undefined ? contractAddresses[0] : BigInt(direct.address)),
    gas: `0x${(100_000 + random.below(random.pick([1_000_000, 30_000_000]))).toString(16)}`,
    input: bytesToHex(direct === undefined ? generateInput(random) : direct.input),
  }
  const at = `0x${block.toString(16)}`
  const last =
    values.method === 'debug_traceCall'
      ? { ...tracer(run), timeout: '50s', stateOverrides: overrides }
      : overrides
  return { jsonrpc: '2.0', id: run, method: values.method, params: [call, at, last] }
}

function tracer(run: number): object {
  const tracers = [
    { tracer: 'callTracer', tracerConfig: { withLog: true } },
    { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
    { tracer: 'callTracer' },
    { tracer: 'prestateTracer' },
  ]
  return tracers[run % tracers.length]!
}

async function send(url: string, requests: unknown[]): Promise<unknown[]> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(requests) })
  const answers = (await response.json()) as { id: number }[]
  return answers.toSorted((a, b) => a.id - b.id)
}

function normalise(answer: unknown): string {
  const { result, error } = answer as {
    result?: unknown
    error?: { code: number; message: string; data?: string }
  }
  if (result !== undefined) return typeof result === 'string' ? result : JSON.stringify(result)
  return `error ${error?.code} ${error?.message} ${error?.data ?? ''}`
}

function hex(address: bigint): string {
  return `0x${address.toString(16).padStart(40, '0')}`
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
