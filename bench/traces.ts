// What traces cost beside geth: `debug_traceBlockByNumber` of `geth-reader serve` with two clients, of blocks in random order, and
// `scanTraces` of ranges with two tracers on two workers. geth is asked for the same blocks over HTTP by two clients: one tracer a
// request, and for the scans also for others with both in one request (muxTracer). The sides take turns; no block is traced twice with
// the same request; every answer is compared, of the scans those of the first turn. Processor time is that of the serving processes,
// for scans of this one.
// Run: npm run bench -- traces
// BENCH_DATADIR is a directory with the states of all blocks; without it, the embedded fixture. BENCH_GETH_DATADIR is a copy of it
// that geth may open; without it, or without a geth, only our own rates are printed. BLOCKS is how many blocks a turn has (default
// 100; up to eight times as many for scans, in which a state is carried from block to block), ROUNDS how many turns each side has
// after the first, which warms up and is three times as long (default 5). JOBS are those to measure, with commas between them:
// callTracer, prestateTracer, scan.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GethChain } from '../src/api/geth-chain.js'
import { openDatadir } from '../src/api/open-datadir.js'
import { answerDifference } from '../src/cli/bench/compare-answers.js'
import { firstDifference } from '../src/cli/bench/first-difference.js'
import { createJsonRpcClient, type JsonRpcClient, requestBody } from '../src/cli/bench/json-rpc-client.js'
import { startOwnServer } from '../src/cli/bench/own-server.js'
import { processorSeconds } from '../src/cli/bench/processor-time.js'
import { unpackFixtureInto } from '../src/demo/unpack-fixture.js'
import { Random } from '../test/random.js'
import { findGeth, type GethNode, startGeth } from './geth-node.js'
import { median, type Row, report, round } from './report.js'

const pack = fileURLToPath(
  new URL('../../../testdata/fixtures/rich-1.17.5-leveldb-hash-archive.tar.br', import.meta.url),
)
const rounds = Number(process.env['ROUNDS'] ?? 5)
const mostBlocks = Number(process.env['BLOCKS'] ?? 100)
const jobs = process.env['JOBS']?.split(',') ?? ['callTracer', 'prestateTracer', 'scan']
const clients = 2
const { signal } = new AbortController()

const tracers = { callTracer: {}, prestateTracer: { diffMode: true } } as const
type Tracer = keyof typeof tracers
const names = Object.keys(tracers) as Tracer[]

/** What one side did in a turn. */
interface Turn {
  readonly seconds: number
  readonly processorSeconds: number
}

/** A server that runs. */
interface Server {
  readonly client: JsonRpcClient
  readonly pid: number
}

async function timed(processor: () => number, work: () => Promise<void>): Promise<Turn> {
  const before = processor()
  const started = performance.now()
  await work()
  return { seconds: (performance.now() - started) / 1_000, processorSeconds: processor() - before }
}

function traceBody(block: number, tracer: string, tracerConfig: object): string {
  return requestBody('debug_traceBlockByNumber', [`0x${block.toString(16)}`, { tracer, tracerConfig }])
}

/** Answers to the requests, in their order, which the clients send one after the other. */
async function askAll({ client, pid }: Server, bodies: readonly string[]) {
  const answers: Buffer[] = []
  let next = 0
  const ask = async () => {
    while (next < bodies.length) {
      const i = next++
      answers[i] = await client.post(bodies[i]!)
    }
  }
  const turn = await timed(
    () => processorSeconds(pid) ?? Number.NaN,
    async () => void (await Promise.all(Array.from({ length: clients }, ask))),
  )
  return { answers, turn }
}

/** The figures of the turns after the first. */
function rowOf(title: string, blocks: number, ours: readonly Turn[], theirs: readonly Turn[]): Row {
  const rate = (turns: readonly Turn[]) =>
    round(median(turns.slice(1).map(({ seconds }) => blocks / seconds)))
  const processor = (turns: readonly Turn[]) =>
    round(median(turns.slice(1).map((turn) => (1_000 * turn.processorSeconds) / blocks)))
  const row = { traces: title, 'blocks/s': rate(ours), 'processor ms a block': processor(ours) }
  if (theirs.length === 0) return row
  const ratios = ours.slice(1).map(({ seconds }, i) => theirs[i + 1]!.seconds / seconds)
  return {
    ...row,
    'blocks/s of geth': rate(theirs),
    'processor ms of geth': processor(theirs),
    'blocks/s : geth': round(median(ratios)),
    'lowest to highest': `${round(Math.min(...ratios))} to ${round(Math.max(...ratios))}`,
    'processor time of geth : ours': round(processor(theirs) / processor(ours)),
  }
}

/** Traces single blocks, a turn for each list of numbers. */
async function compareServers(
  tracer: Tracer,
  turns: readonly (readonly number[])[],
  { server, geth }: { readonly server: Server; readonly geth: Server | undefined },
): Promise<Row> {
  const [ours, theirs]: Turn[][] = [[], []]
  for (const blocks of turns) {
    const bodies = blocks.map((block) => traceBody(block, tracer, tracers[tracer]))
    const found = await askAll(server, bodies)
    ours!.push(found.turn)
    if (geth === undefined) continue
    const expected = await askAll(geth, bodies)
    theirs!.push(expected.turn)
    for (const [i, answer] of expected.answers.entries()) {
      const difference = answerDifference(answer, found.answers[i]!)
      if (difference !== undefined) throw new Error(`block ${blocks[i]}, ${tracer}: ${difference}`)
    }
  }
  return rowOf(`${tracer}, one block a request`, turns[1]!.length, ours!, theirs!)
}

/**
 * Scans ranges, a turn for each list of numbers in a row. geth traces the first half with a request for each tracer, and the second
 * with one request for both, because it has the states of what it has traced in memory; of the first turn, the same half.
 */
async function compareScans(
  chain: GethChain,
  turns: readonly (readonly number[])[],
  geth: Server | undefined,
): Promise<Row[]> {
  const [ours, single, both]: Turn[][] = [[], [], []]
  for (const numbers of turns) {
    const isFirst = numbers === turns[0]
    const half = Math.floor(numbers.length / 2)
    const blocks = numbers.slice(0, half)
    const range = { fromBlock: BigInt(blocks[0]!), toBlock: BigInt(blocks.at(-1)!) }
    /** The traces of the first turn: to keep more would cost this process time. */
    const found: unknown[] = []
    const processor = () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    }
    const turn = await timed(processor, async () => {
      for await (const { traces } of chain.scanTraces(range, { tracers })) {
        if (isFirst) found.push(traces)
      }
    })
    ours!.push(turn)
    if (geth === undefined) continue
    const bodies = blocks.flatMap((block) => names.map((name) => traceBody(block, name, tracers[name])))
    single!.push((await askAll(geth, bodies)).turn)
    const blocksOfBoth = isFirst ? blocks : numbers.slice(half, 2 * half)
    const expected = await askAll(
      geth,
      blocksOfBoth.map((block) => traceBody(block, 'muxTracer', tracers)),
    )
    both!.push(expected.turn)
    if (!isFirst) continue
    for (const [i, answer] of expected.answers.entries()) {
      const { result } = JSON.parse(answer.toString()) as { readonly result: unknown }
      const difference = firstDifference(result, found[i])
      if (difference !== undefined) throw new Error(`block ${blocks[i]}: ${JSON.stringify(difference)}`)
    }
  }
  const length = Math.floor(turns[1]!.length / 2)
  const title = 'scan with both tracers'
  if (geth === undefined) return [rowOf(title, length, ours!, [])]
  return [
    rowOf(`${title}; geth a request each`, length, ours!, single!),
    rowOf('the same; geth one request for both', length, ours!, both!),
  ]
}

/** Cuts the first numbers into turns of at most so many, the first of which is three times as long. */
function turnsOf(numbers: readonly number[], most: number): number[][] {
  const length = Math.min(most, Math.floor(numbers.length / (rounds + 3)))
  const first = numbers.slice(0, 3 * length)
  const others = Array.from({ length: rounds }, (_, i) => numbers.slice((i + 3) * length, (i + 4) * length))
  return [first, ...others]
}

function shuffled(numbers: readonly number[]): number[] {
  const random = new Random(1)
  const mixed = [...numbers]
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    ;[mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!]
  }
  return mixed
}

const scratch = mkdtempSync(join(tmpdir(), 'geth-reader-bench-'))
let node: GethNode | undefined
try {
  const path = process.env['BENCH_DATADIR'] ?? unpackFixtureInto(pack, scratch).path
  const gethPath = process.env['BENCH_GETH_DATADIR']
  const binary = findGeth()
  if (gethPath !== undefined && binary !== undefined) {
    node = await startGeth(binary, gethPath, ['--http.api', 'eth,debug'])
  }
  const geth = node && { client: createJsonRpcClient(node.url, signal), pid: node.pid }
  await using chain = await openDatadir({ path, workers: clients })
  const head = Number(await chain.getBlockNumber())
  // Single blocks from the lower half of the chain, scans of the upper half.
  const half = Math.floor(head / 2)
  const numbers = Array.from({ length: head }, (_, i) => i + 1)
  const single = shuffled(numbers.slice(0, half))
  const rows: Row[] = []
  if (names.some((name) => jobs.includes(name))) {
    await using own = await startOwnServer({ datadir: path, 'http.api': 'eth,debug' }, signal)
    const server = { client: createJsonRpcClient(own.url, signal), pid: own.pid }
    const share = Math.floor(half / names.length)
    for (const [i, name] of names.entries()) {
      if (!jobs.includes(name)) continue
      const turns = turnsOf(single.slice(i * share, (i + 1) * share), mostBlocks)
      rows.push(await compareServers(name, turns, { server, geth }))
    }
  }
  if (jobs.includes('scan')) {
    rows.push(...(await compareScans(chain, turnsOf(numbers.slice(half), 16 * mostBlocks), geth)))
  }
  report(`traces, ${process.env['BENCH_DATADIR'] ?? 'embedded fixture'}`, rows)
} finally {
  await node?.stop()
  rmSync(scratch, { recursive: true, force: true })
}
