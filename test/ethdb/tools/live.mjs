// npm run live [-- --geth PATH --engine leveldb|pebble --scheme hash|path --reads N --seconds N --untraced]: reads beside a
// geth that writes. geth runs in developer mode with a block a second and a stream of transactions, once per engine and
// state scheme. Meanwhile the library reads and refreshes and `geth-reader serve` follows the head, both under strace. Every
// answer must be geth's, but for states that the path scheme has not on disk yet; every block must be served within two
// seconds of reaching the log, and nothing below the directory opened for writing. Then geth is killed with SIGKILL and the
// directory must still read as geth answered before. Each run ends by itself; the first that fails ends all, with 1.
//
// --follow [--chain developer|branches] compares what clients hear of new blocks from our service and from geth instead, for
// --seconds; --follow --rate N follows N blocks a second and watches memory and descriptors (see live-follow.mjs).
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ask, findGeth, postText, startGeth } from './geth-node.mjs'
import { headsInLogs, watchHeads } from './head-times.mjs'
import { followLive, followLong } from './live-follow.mjs'
import { ChainCatalog, toBatch } from './requests.mjs'
import { auditTrace, canTrace, endNode, startNode, urlOf } from './trace.mjs'
import { startTransactions } from './transactions.mjs'

const { values } = parseArgs({
  options: {
    geth: { type: 'string' },
    engine: { type: 'string', multiple: true, default: ['leveldb', 'pebble'] },
    scheme: { type: 'string', multiple: true, default: ['hash', 'path'] },
    reads: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '900' },
    untraced: { type: 'boolean', default: false },
    follow: { type: 'boolean', default: false },
    chain: { type: 'string', multiple: true, default: ['developer', 'branches'] },
    rate: { type: 'string' },
  },
})
const mostMilliseconds = 2_000
const answersAfterKill = 3_000
const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const cli = here('../../../dist/cli.js')

function check(isRight, message) {
  if (!isRight) throw new Error(message)
}

async function run(engine, scheme, geth) {
  const name = `${engine}, ${scheme}`
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'geth-reader-live-')))
  const datadir = join(folder, 'datadir')
  const chaindata = join(datadir, 'geth', 'chaindata')
  const record = (name) => (values.untraced ? undefined : join(folder, `${name}.strace`))
  const running = []
  let node
  const cleanUp = async () => {
    for (const child of running) await endNode(child)
    await node?.kill()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  const onSignal = () => cleanUp().finally(() => process.exit(130))
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  try {
    node = await startGeth(geth.path, { engine, scheme, datadir })
    const transactions = await startTransactions(node.url)
    const server = startNode([cli, 'serve', '--datadir', datadir, '--http.port', '0'], record('serve'))
    running.push(server)
    const serverUrl = await urlOf(server)
    const heads = watchHeads(chaindata, serverUrl)
    const parameters = [node.url, serverUrl, datadir, values.reads, values.seconds]
    const reads = await result(startNode([here('mixed-reads.mjs'), ...parameters], record('reads')), running)
    check(reads.reads >= Number(values.reads), `${values.seconds} s sufficed for ${reads.reads} reads only`)
    checkStates(scheme, reads)
    console.log(
      `${name}: ${reads.reads} answers are geth's (${reads.byServer} by the server, byte for byte), over ` +
        `${reads.refreshes} views of ${reads.blocks} blocks with ${reads.transactions} transactions; ${states(reads)}`,
    )

    const delays = await heads.stop(async (hash) => {
      const block = await ask(node.url, 'eth_getBlockByHash', hash, false)
      return block ? Number(block.number) : undefined
    })
    check(delays.length > reads.blocks / 3, `only ${delays.length} blocks were seen in the log`)
    check(
      delays.at(-1) <= mostMilliseconds,
      `a block was served ${delays.at(-1)} ms after it reached the log`,
    )
    console.log(
      `${name}: ${delays.length} blocks were served ${delays[delays.length >> 1].toFixed(0)} ms (median), at most ` +
        `${delays.at(-1).toFixed(0)} ms after they reached the log`,
    )

    const sent = await transactions.stop()
    const answers = join(folder, 'answers.json')
    const ofGeth = await recordAnswers(node.url)
    writeFileSync(answers, JSON.stringify(ofGeth.answers))
    const servedHead = Number(await ask(serverUrl, 'eth_blockNumber'))
    await node.kill()
    await endNode(server)

    const before = stateOf(datadir)
    const written = new Set(headsInLogs(chaindata))
    const after = await result(
      startNode([here('same-answers.mjs'), datadir, answers], record('after')),
      running,
    )
    check(after.head >= servedHead, `the head fell from ${servedHead} to ${after.head}`)
    check(written.size === 0 || written.has(after.hash), `the head ${after.hash} is not in the log`)
    const newest = ofGeth.hashes.findLastIndex((hash) => written.has(hash))
    check(after.head >= newest, `block ${newest} is in the log, the head is ${after.head}`)
    const { tables } = await result(
      startNode([cli, 'verify', '--tables', '--json', '--datadir', datadir], record('verify')),
      running,
    )
    check(stateOf(datadir) === before, 'reading changed the directory')
    checkStates(scheme, after)
    console.log(
      `${name}: after SIGKILL, with ${sent} transactions sent, the files hold block ${after.head}: ` +
        `${after.same + after.state} answers are those that geth gave before (${after.later} more are about later ` +
        `blocks); ${states(after)}; ` +
        `${tables.tables} tables with ${tables.entries} entries are sound`,
    )
    if (!values.untraced) reportTraces(name, datadir, ['serve', 'reads', 'after', 'verify'].map(record))
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
    await cleanUp()
  }
}

/** The hash scheme as an archive has every state on disk; the path scheme none of the newest 128 blocks. */
function checkStates(scheme, { state, unavailable, refused }) {
  check(state > 0, 'no state was compared')
  const missing = unavailable + refused
  check(scheme === 'path' || missing === 0, `${unavailable} states were not found, geth refused ${refused}`)
}

function states({ state, unavailable, refused }) {
  return `of states, ${state} are the same, ${unavailable} not on disk yet, ${refused} refused by geth`
}

function reportTraces(name, datadir, records) {
  let opens = 0
  let looks = 0
  for (const record of records) {
    const audit = auditTrace(record, datadir)
    check(
      audit.changes.length === 0,
      `not only reads in ${datadir}:\n${audit.changes.slice(0, 20).join('\n')}`,
    )
    check(audit.opens > 0, `${record} has no trace of reading ${datadir}`)
    opens += audit.opens
    looks += audit.looks
  }
  console.log(
    `${name}: our processes opened files ${opens} times, always O_RDONLY, and asked for names and sizes ${looks} ` +
      'times; no other call named the directory (strace)',
  )
}

/** The JSON that a process prints; throws where it fails. */
async function result(child, running) {
  running.push(child)
  child.stderr.pipe(process.stderr, { end: false })
  let output = ''
  child.stdout.on('data', (data) => {
    output += data
  })
  const [code, signal] = await once(child, 'close')
  check(code === 0, `${child.spawnargs.slice(-8).join(' ')} ended with ${code ?? signal}`)
  return JSON.parse(output)
}

/** Hashes of all blocks, and answers to random requests about them. */
async function recordAnswers(url) {
  const catalog = new ChainCatalog()
  const head = Number(await ask(url, 'eth_blockNumber'))
  for (let number = 0; number <= head; number++) {
    const block = await ask(url, 'eth_getBlockByNumber', `0x${number.toString(16)}`, true)
    catalog.add(block, await ask(url, 'eth_getBlockReceipts', block.number))
  }
  const requests = Array.from({ length: answersAfterKill }, () => catalog.random())
  const answers = []
  for (let at = 0; at < requests.length; at += 100) {
    const batch = requests.slice(at, at + 100)
    const results = JSON.parse(await postText(url, toBatch(batch)))
    for (const [i, request] of batch.entries()) answers.push({ request, answer: results[i] })
  }
  return { hashes: catalog.blocks.map(({ hash }) => hash), answers }
}

/** A digest of every name, size, time and byte below a directory. */
function stateOf(directory) {
  const hash = createHash('sha256')
  for (const name of readdirSync(directory, { recursive: true }).sort()) {
    const path = join(directory, name)
    const { size, mtimeMs, mode } = statSync(path)
    hash.update(`${name} ${size} ${mtimeMs} ${mode}\n`)
    if (statSync(path).isFile()) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}

try {
  const geth = findGeth(values.geth)
  check(
    values.untraced || values.rate !== undefined || canTrace(),
    'strace cannot trace here (Linux only); --untraced leaves out the proof that nothing is written',
  )
  const seconds = Number(values.seconds)
  for (const engine of values.follow ? values.engine : []) {
    if (values.rate !== undefined) await followLong(geth.path, { engine, rate: Number(values.rate), seconds })
    for (const kind of values.rate === undefined ? values.chain : []) {
      await followLive(geth.path, { engine, kind, seconds, isTraced: !values.untraced })
    }
  }
  for (const scheme of values.follow ? [] : values.scheme) {
    for (const engine of values.engine) {
      console.log(
        `${engine}, ${scheme}: geth ${geth.version}, ${values.reads} reads, at most ${values.seconds} s`,
      )
      await run(engine, scheme, geth)
    }
  }
} catch (error) {
  console.error(`live: ${error.message}`)
  process.exitCode = 1
}
