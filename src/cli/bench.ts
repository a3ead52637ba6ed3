// geth-reader bench: sends the same queries to a running geth and to geth-reader on the same chain. Responses are compared
// first; only equal ones are measured.
import { Command, InvalidArgumentError, Option } from 'commander'
import type { GethChain } from '../api/geth-chain.js'
import { openDatadir } from '../api/open-datadir.js'
import { quantity } from '../bytes.js'
import { firstDifference } from './bench/first-difference.js'
import { createJsonRpcClient, type JsonRpcClient, requestBody } from './bench/json-rpc-client.js'
import { measure } from './bench/measure.js'
import { startOwnServer } from './bench/own-server.js'
import { chooseQueries, type Query } from './bench/queries.js'
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
    new Option('--seconds <n>', 'time for all measurements; slow responses may take longer')
      .argParser(integerFrom(1))
      .default(120),
    new Option('--only <text>', 'only the queries with this text in their name, such as logs'),
    new Option('--json', 'print JSON instead of a table'),
  ]
  for (const option of options) command.addOption(option)
  return command
    .addHelpText('after', '\nIf responses differ, the exit code is 1 and the message shows where.')
    .action((flags: BenchFlags) => interruptible((signal) => bench(flags, signal)))
}

async function bench(flags: BenchFlags, signal: AbortSignal): Promise<void> {
  using geth = createJsonRpcClient(flags.against)
  await using chain = await openDatadir({ ...datadirOptions(flags), signal })
  const head = await commonHead(geth, chain, signal)
  await using own = await startOwnServer(flags, signal)
  using server = createJsonRpcClient(own.url)
  const { only = '' } = flags
  const queries = (await chooseQueries(chain, head, signal)).filter(
    ({ id, title }) => id.includes(only) || title.includes(only),
  )
  const progress = createProgressBar()
  try {
    const compared: Query[] = []
    progress.start('comparing answers', queries.length, String)
    for (const query of queries) {
      compared.push(await sameAnswers(query, { geth, server, chain, signal }))
      progress.update(compared.length)
    }
    const answered = compared.filter(({ requests }) => requests.length > 0)
    const steps = answered.flatMap((query) => flags.clients.map((clients) => ({ query, clients })))
    const { rows, unmeasured } = await timeInTurn(steps, {
      geth,
      server,
      chain,
      signal,
      progress,
      seconds: flags.seconds,
    })
    const result: BenchResult = {
      against: String(await geth.request('web3_clientVersion', [], signal)),
      chainId: Number((await chain.getInfo()).chainId),
      head: Number(head),
      date: new Date().toISOString(),
      rows,
      skipped: compared.filter(({ requests }) => requests.length === 0).map(({ title }) => title),
      unmeasured,
    }
    progress.stop()
    console.log(flags.json ? JSON.stringify(result, null, 2) : formatTable(result))
  } finally {
    progress.stop()
  }
}

/** The newest block that both sides have. Throws CommandFailure if the block differs. */
async function commonHead(geth: JsonRpcClient, chain: GethChain, signal: AbortSignal): Promise<bigint> {
  const theirs = BigInt(String(await geth.request('eth_blockNumber', [], signal)))
  const ours = await chain.getBlockNumber()
  const head = theirs < ours ? theirs : ours
  const block = (await geth.request('eth_getBlockByNumber', [quantity(head), false], signal)) as {
    hash: string
  }
  const { hash } = (await chain.getBlock({ blockNumber: head }))!
  if (block.hash === hash) return head
  throw new CommandFailure(
    `block ${head} is ${block.hash} at ${geth.url} and ${hash} in the directory: not the same chain`,
  )
}

interface Sides {
  readonly geth: JsonRpcClient
  readonly server: JsonRpcClient
  readonly chain: GethChain
  readonly signal: AbortSignal
}

/** The query with the requests that geth answers. Throws CommandFailure if our response differs. */
async function sameAnswers(query: Query, { geth, server, chain, signal }: Sides): Promise<Query> {
  const { method } = query
  const requests = []
  for (const request of query.requests) {
    const body = requestBody(method, request.params)
    const [theirs, ours] = (await Promise.all([geth.post(body, signal), server.post(body, signal)])).map(
      (answer) => JSON.parse(answer.toString('utf8')) as Answer,
    )
    // For example a state that this geth does not have.
    if ('error' in theirs!) continue
    const difference = firstDifference(theirs, comparable(ours!, theirs!))
    if (difference) {
      const { path, theirs, ours } = difference
      throw new CommandFailure(
        `${method} ${JSON.stringify(request.params)}: ${path} is ${JSON.stringify(theirs)} at geth and ${JSON.stringify(ours)} here`,
      )
    }
    // So that the caches of the library are as warm as those of the servers.
    await request.run(chain)
    requests.push(request)
  }
  return { ...query, requests }
}

type Answer = Readonly<Record<string, unknown>>

/** Our response without the one member that newer geths do not have (docs/differences.md). */
function comparable(ours: Answer, theirs: Answer): Answer {
  const [block, other] = [ours['result'], theirs['result']] as (Answer | null)[]
  if (typeof block !== 'object' || block === null || other === null) return ours
  if (!('totalDifficulty' in block) || 'totalDifficulty' in other!) return ours
  const { totalDifficulty: _, ...result } = block
  return { ...ours, result }
}

interface Timed extends Sides {
  readonly seconds: number
}

/** Rows of the queries, and the queries for which no time was left. */
async function timeInTurn(
  steps: readonly { readonly query: Query; readonly clients: number }[],
  { progress, ...sides }: Timed & { readonly progress: ProgressBar },
): Promise<Pick<BenchResult, 'rows' | 'unmeasured'>> {
  const end = performance.now() + 1_000 * sides.seconds
  const rows: BenchRow[] = []
  const unmeasured: BenchResult['unmeasured'][number][] = []
  progress.start('measuring', steps.length, String)
  for (const [i, { query, clients }] of steps.entries()) {
    const seconds = (end - performance.now()) / 1_000 / (steps.length - i)
    if (seconds > 0) rows.push(await time(query, clients, { ...sides, seconds }))
    else unmeasured.push({ id: query.id, title: query.title, clients })
    progress.update(i + 1)
  }
  return { rows, unmeasured }
}

async function time(
  { id, title, method, requests }: Query,
  clients: number,
  { geth, server, chain, seconds, signal }: Timed,
): Promise<BenchRow> {
  const bodies = requests.map(({ params }) => requestBody(method, params))
  const sides = {
    geth: (i: number) => geth.post(bodies[i % bodies.length]!, signal),
    server: (i: number) => server.post(bodies[i % bodies.length]!, signal),
    library: (i: number) => requests[i % requests.length]!.run(chain),
  }
  return { id, title, clients, ...(await measure(sides, { clients, seconds, signal })) }
}

function parseCounts(text: string): number[] {
  const counts = text.split(',').map(Number)
  if (counts.every((count) => Number.isInteger(count) && count >= 1 && count <= 1_000)) return counts
  throw new InvalidArgumentError('expected whole numbers from 1 to 1000, comma separated')
}
