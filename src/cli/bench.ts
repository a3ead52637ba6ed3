// geth-reader bench: sends the same requests to a running geth and to geth-reader on the same chain. Responses are compared
// before and during the measurement.
import { Command, InvalidArgumentError, Option } from 'commander'
import type { GethChain } from '../api/geth-chain.js'
import { openDatadir } from '../api/open-datadir.js'
import { quantity } from '../bytes.js'
import { answerDifference, compareWaiting, parseAnswer, WaitingAnswers } from './bench/compare-answers.js'
import { createJsonRpcClient, type JsonRpcClient, requestBody } from './bench/json-rpc-client.js'
import { measure, type Side } from './bench/measure.js'
import { startOwnServer } from './bench/own-server.js'
import { findListener, processorSeconds } from './bench/processor-time.js'
import { chooseQueries, type Query, type QueryRequest } from './bench/queries.js'
import { type BenchResult, type BenchRow, formatTable } from './bench/report.js'
import { addDatadirOptions, type DatadirFlags, datadirOptions, integerFrom } from './datadir-options.js'
import { CommandFailure } from './exit.js'
import { interruptible } from './interruption.js'
import { createProgressBar, type ProgressBar } from './progress-bar.js'

interface BenchFlags extends DatadirFlags {
  readonly against: string
  readonly clients: readonly number[]
  readonly seconds: number
  readonly only?: string
  readonly json?: boolean
}

export function benchCommand(): Command {
  const command = addDatadirOptions(
    new Command('bench').description('Compare speed with a running geth on the same chain'),
  )
  const options = [
    new Option('--against <url>', 'HTTP address of the geth').makeOptionMandatory(),
    new Option('--clients <counts>', 'requests in flight, comma separated')
      .argParser(parseCounts)
      .default([1, 8], '1,8'),
    new Option(
      '--seconds <n>',
      'time for all measurements, after a warm-up of a fifth of it; slow responses may take longer',
    )
      .argParser(integerFrom(1))
      .default(120),
    new Option('--only <texts>', 'only the queries with one of these texts in their name, comma separated'),
    new Option('--json', 'print JSON instead of a table'),
  ]
  for (const option of options) command.addOption(option)
  return command
    .addHelpText('after', '\nIf responses differ, the exit code is 1 and the message shows where.')
    .action((flags: BenchFlags) => interruptible((signal) => bench(flags, signal)))
}

async function bench(flags: BenchFlags, signal: AbortSignal): Promise<void> {
  using geth = createJsonRpcClient(flags.against, signal)
  await using chain = await openDatadir({ ...datadirOptions(flags), signal })
  const head = await commonHead(geth, chain)
  await using own = await startOwnServer(flags, signal)
  using server = createJsonRpcClient(own.url, signal)
  const only = flags.only?.split(',') ?? ['']
  const queries = (await chooseQueries(chain, head, signal)).filter(({ id, title }) =>
    only.some((text) => id.includes(text) || title.includes(text)),
  )
  const sides: Sides = {
    ...{ geth, server, chain, signal },
    gethPid: findListener(Number(new URL(geth.url).port || 80)),
    serverPid: own.pid,
  }
  const progress = createProgressBar()
  try {
    const answered: Query[] = []
    progress.start('comparing answers', queries.length, String)
    for (const [i, query] of queries.entries()) {
      if (await isAnswered(query, sides)) answered.push(query)
      progress.update(i + 1)
    }
    await warmUp(answered, flags, { ...sides, progress })
    const { rows, unmeasured } = await timeInTurn(answered, flags, { ...sides, progress })
    const result: BenchResult = {
      against: String(await geth.request('web3_clientVersion', [])),
      chainId: Number((await chain.getInfo()).chainId),
      head: Number(head),
      date: new Date().toISOString(),
      rows,
      skipped: queries.filter((query) => !answered.includes(query)).map(({ title }) => title),
      unmeasured,
    }
    progress.stop()
    console.log(flags.json ? JSON.stringify(result, null, 2) : formatTable(result))
  } finally {
    progress.stop()
  }
}

/** The newest block that both sides have. Throws CommandFailure if the block differs. */
async function commonHead(geth: JsonRpcClient, chain: GethChain): Promise<bigint> {
  const theirs = BigInt(String(await geth.request('eth_blockNumber', [])))
  const ours = await chain.getBlockNumber()
  const head = theirs < ours ? theirs : ours
  const block = (await geth.request('eth_getBlockByNumber', [quantity(head), false])) as { hash: string }
  const { hash } = (await chain.getBlock({ blockNumber: head }))!
  if (block.hash === hash) return head
  throw new CommandFailure(
    `block ${head} is ${block.hash} at ${geth.url} and ${hash} in the directory: not the same chain`,
  )
}

interface Sides {
  readonly geth: JsonRpcClient
  /** Undefined if its process cannot be seen. */
  readonly gethPid: number | undefined
  readonly server: JsonRpcClient
  readonly serverPid: number
  readonly chain: GethChain
  readonly signal: AbortSignal
}

/** Requests of each query that are compared before the measurement. */
const firstRequests = 3

/** Whether geth answers the first requests, for example has the states. Throws CommandFailure if our response differs. */
async function isAnswered(query: Query, { geth, server }: Sides): Promise<boolean> {
  for (let i = 0; i < Math.min(firstRequests, query.requests); i++) {
    const body = bodyOf(query, i)
    const [theirs, ours] = await Promise.all([geth.post(body), server.post(body)])
    if ('error' in parseAnswer(theirs)) return false
    const difference = answerDifference(theirs, ours)
    if (difference !== undefined) throw differenceFailure(query, i, difference)
  }
  return true
}

function differenceFailure(query: Query, i: number, difference: string): CommandFailure {
  return new CommandFailure(`${query.method} ${JSON.stringify(requestOf(query, i).params)}: ${difference}`)
}

function requestOf(query: Query, i: number): QueryRequest {
  return query.request(i % query.requests)
}

function bodyOf(query: Query, i: number): string {
  return requestBody(query.method, requestOf(query, i).params)
}

/** Time of the warm-up for each second of measurements. */
const warmUpShare = 0.2

/** Asks both servers for a while before they are measured: until V8 has compiled a server's code, a response takes three times as long. */
async function warmUp(
  queries: readonly Query[],
  { clients, seconds }: BenchFlags,
  { geth, server, signal, progress }: Sides & { readonly progress: ProgressBar },
): Promise<void> {
  const end = performance.now() + 1_000 * warmUpShare * seconds
  progress.start('warming up', queries.length, String)
  for (const [i, query] of queries.entries()) {
    const left = (end - performance.now()) / 1_000 / (queries.length - i)
    if (left <= 0) break
    const ask = (client: JsonRpcClient) => ({ ask: (turn: number) => client.post(bodyOf(query, turn)) })
    // Far from the requests that are measured.
    const first = Math.floor(query.requests / 2)
    await measure(
      { geth: ask(geth), server: ask(server) },
      { clients: Math.max(...clients), seconds: left, signal, first },
    )
    progress.update(i + 1)
  }
}

/** Rows of the queries, and the queries for which no time was left. */
async function timeInTurn(
  queries: readonly Query[],
  flags: BenchFlags,
  { progress, ...sides }: Sides & { readonly progress: ProgressBar },
): Promise<Pick<BenchResult, 'rows' | 'unmeasured'>> {
  const end = performance.now() + 1_000 * flags.seconds
  const rows: BenchRow[] = []
  const unmeasured: BenchResult['unmeasured'][number][] = []
  let left = queries.length * flags.clients.length
  progress.start('measuring', left, String)
  for (const query of queries) {
    let first = Math.min(firstRequests, query.requests)
    for (const clients of flags.clients) {
      const seconds = (end - performance.now()) / 1_000 / left--
      if (seconds > 0) {
        const { row, next } = await time(query, { clients, seconds, first }, sides)
        rows.push(row)
        first = next
      } else unmeasured.push({ id: query.id, title: query.title, clients })
      progress.update(rows.length + unmeasured.length)
    }
  }
  return { rows, unmeasured }
}

/** Measures the requests from `first` on. Returns the request to go on with, too. */
async function time(
  query: Query,
  { clients, seconds, first }: { readonly clients: number; readonly seconds: number; readonly first: number },
  { geth, gethPid, server, serverPid, chain, signal }: Sides,
): Promise<{ readonly row: BenchRow; readonly next: number }> {
  const theirs = new WaitingAnswers()
  const ours = new WaitingAnswers()
  let [asked, repeated, compared] = [0, 0, 0]
  const side = (client: JsonRpcClient, answers: WaitingAnswers, pid: number | undefined): Side => ({
    async ask(i) {
      const answer = await client.post(bodyOf(query, i))
      asked++
      if (i >= query.requests) repeated++
      answers.add(i, answer)
    },
    processorSeconds: () => (pid === undefined ? undefined : processorSeconds(pid)),
  })
  const onRound = () => {
    compared += compareWaiting(theirs, ours, (i, difference) => {
      throw differenceFailure(query, i, difference)
    })
  }
  const { timings, next } = await measure(
    {
      geth: side(geth, theirs, gethPid),
      server: side(server, ours, serverPid),
      library: { ask: (i: number) => requestOf(query, i).run(chain) },
    },
    { clients, seconds, signal, first, onRound },
  )
  const { id, title } = query
  return { row: { id, title, clients, ...timings, repeatedShare: repeated / asked, compared }, next }
}

function parseCounts(text: string): number[] {
  const counts = text.split(',').map(Number)
  if (counts.every((count) => Number.isInteger(count) && count >= 1 && count <= 1_000)) return counts
  throw new InvalidArgumentError('expected whole numbers from 1 to 1000, comma separated')
}
