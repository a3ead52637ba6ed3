// npm run fuzz:geth -- --url URL --datadir DIR [--runs N] [--seed S] [--method NAME] [--blocks 800:Osaka]: sends random programs as
// state overrides of eth_call, or of eth_estimateGas, eth_createAccessList or debug_traceCall, to a running geth, gives them to the
// library on a copy of the same directory, and compares the answers. With debug_traceCall, one execution gives the results of
// callTracer and prestateTracer. geth needs `--rpc.batch-response-max-size 1000000000`, because some traces take megabytes.
import { parseArgs } from 'node:util'
import { openDatadir, ProviderRpcError } from 'geth-reader'
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
    datadir: { type: 'string' },
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
const isTrace = values.method === 'debug_traceCall'
const runs = Number(values.runs)
const kinds = new Map<string, number>()
let equal = 0
let differing = 0
let timedOut = 0
// geth ends a connection whose batch takes half a minute.
const batchSize = isTrace ? 4 : 50
let next = 0
const chain = await openDatadir(values.datadir!)
// Two batches in flight, because geth executes one on a single thread.
await Promise.all([compareBatches(), compareBatches()])
await chain.close()
for (const [kind, count] of [...kinds].toSorted((a, b) => b[1] - a[1]).slice(0, 25)) console.log(count, kind)
console.log(`against-geth: ${equal} equal, ${differing} different, ${timedOut} out of time`)
process.exitCode = differing > 0 ? 1 : 0

async function compareBatches(): Promise<void> {
  while (next < runs) {
    const first = next
    next = Math.min(runs, first + batchSize)
    const requests = Array.from({ length: next - first }, (_, i) => makeRequest(first + i))
    const ours = Promise.all(requests.map(answer))
    const [expected, found] = await Promise.all([send(requests), ours])
    for (const [i, request] of requests.entries()) compare(request, normalise(expected[i]!), found[i]!)
  }
}

function compare({ id, params }: Request, want: string, got: string): void {
  const kind = isTrace ? (/"error":"[^"]*"/.exec(want)?.[0] ?? 'no error in a call') : withoutNumbers(want)
  kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  if (want === got) {
    equal++
  } else if (/request timed out|execution timeout/.test(want + got)) {
    // On a busy machine.
    timedOut++
  } else if (differing++ < Number(values.show)) {
    console.log(`run ${id} block ${params[1]}`)
    console.log(`  geth ${want.slice(0, 3000)}`)
    console.log(`  ours ${got.slice(0, 3000)}`)
  }
}

function withoutNumbers(text: string): string {
  return text
    .replace(/0x[0-9a-f]{20,}/g, 'H')
    .replace(/\d+/g, 'N')
    .slice(0, 60)
}

interface Request {
  readonly jsonrpc: '2.0'
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

function makeRequest(run: number): Request {
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
    gas: `0x${(100_000 + random.below(mostGas(random))).toString(16)}`,
    input: bytesToHex(direct === undefined ? generateInput(random) : direct.input),
  }
  const at = `0x${block.toString(16)}`
  const last = isTrace ? { ...tracer(run), timeout: '50s', stateOverrides: overrides } : overrides
  return { jsonrpc: '2.0', id: run, method: values.method, params: [call, at, last] }
}

/** Programs that call each other until their gas is used make most of the work, so few have a lot. */
function mostGas(random: Random): number {
  if (!isTrace) return random.pick([1_000_000, 30_000_000])
  return random.oneIn(50) ? 30_000_000 : 400_000
}

/** Both tracers on one execution. */
function tracer(run: number): object {
  const tracerConfig = {
    callTracer: { withLog: run % 2 === 0 },
    prestateTracer: { diffMode: run % 4 < 2 },
  }
  return { tracer: 'muxTracer', tracerConfig }
}

/** The answers of geth, in the order of the requests. */
async function send(requests: readonly Request[]): Promise<readonly Answer[]> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(values.url!, { method: 'POST', headers, body: JSON.stringify(requests) })
  const answers = (await response.json()) as (Answer & { readonly id: number })[]
  return answers.toSorted((a, b) => a.id - b.id)
}

/** Our answer as a text. */
async function answer(request: Request): Promise<string> {
  try {
    return normalise({ result: await chain.provider.request(request) })
  } catch (error) {
    if (!(error instanceof ProviderRpcError)) throw error
    return normalise({ error })
  }
}

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

function normalise({ result, error }: Answer): string {
  if (result !== undefined) return typeof result === 'string' ? result : JSON.stringify(result)
  return `error ${error?.code} ${error?.message} ${error?.data ?? ''}`
}

function hex(address: bigint): string {
  return `0x${address.toString(16).padStart(40, '0')}`
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
