// `npm run live -- --follow`: what clients hear of a chain from our service and from the geth that writes it, and what the
// iterators of the library yield. The chain is that of a geth in developer mode, or one that is driven by the engine API and
// switches between branches. Service and library run under strace and must only read. With a rate, blocks come fast instead, and
// memory and descriptors of service and library must stay flat.
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startBranches, startDeveloperChain } from './follow/chains.mjs'
import { availableClients, scriptClient, startClient } from './follow/clients.mjs'
import { checkLibrary, compareClient, delaysOf, readTruth } from './follow/compare.mjs'
import { ask, sleep } from './geth-node.mjs'
import { auditTrace, endNode, startNode, urlOf } from './trace.mjs'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const cli = here('../../../dist/cli.js')
/** Between two steps of a chain whose events are compared with geth's. */
const stepMilliseconds = 500
/** For the files to show a block. Pebble writes its log late. */
const mostShownMilliseconds = 120_000
/** For clients that poll. */
const lastPollMilliseconds = 2_000
const samples = 40
/** Of which memory and descriptors are read. */
const oneProcess = ['--threads', '1']
/** Growth of memory from the second to the last quarter of the time. */
const mostGrowth = 1.25
const moreDescriptors = 16

/** Compares events for so many seconds. `kind` is `developer` or `branches`. Throws what is wrong. */
export async function followLive(geth, { engine, kind, seconds, isTraced }) {
  const start = kind === 'developer' ? startDeveloperChain : startBranches
  const options = { engine, isTraced, milliseconds: stepMilliseconds, serve: [] }
  await withFollowers(geth, start, options, async ({ chain, serve, library, records, keep }) => {
    const pairs = []
    for (const { name, command } of availableClients()) {
      const startOne = async (service, url) => keep(await startClient(`${name} of ${service}`, command(url)))
      pairs.push({
        name,
        ours: await startOne('geth-reader', serve.url),
        ofGeth: await startOne('geth', chain.url),
      })
    }
    const before = await chain.head()
    await chain.begin()
    await sleep(seconds * 1_000)
    const last = await finish(chain, serve.url)
    const clients = [library, ...pairs.flatMap(({ ours, ofGeth }) => [ours, ofGeth])]
    for (const client of clients) await client.end()
    const truth = await readTruth(chain, { start: before.number, end: last.number, clients })
    const results = [
      checkLibrary(library, truth),
      ...pairs.map(({ name, ours, ofGeth }) =>
        compareClient({ name, ours: ours.events, ofGeth: ofGeth.events }, truth),
      ),
    ]
    const { ours, ofGeth } = pairs.find(({ name }) => name === 'raw')
    const delays = delaysOf(ours.events, ofGeth.events)
    const name = `${engine}, ${kind}`
    console.log(`${name}: blocks ${before.number + 1} to ${last.number}; ${chain.describe()}`)
    for (const { line } of results) console.log(`${name}: ${line}`)
    console.log(
      `${name}: newHeads ${delays[delays.length >> 1]} ms (median), at most ${delays.at(-1)} ms after geth's`,
    )
    throwFaults(name, results)
    await endNode(serve.child)
    if (isTraced) reportTraces(name, chain.datadir, records)
  })
}

/** Follows a chain of so many blocks a second, with a switch of branches now and then. Throws what is wrong. */
export async function followLong(geth, { engine, rate, seconds }) {
  let steps = 0
  const step = (driver) => (++steps % (10 * rate) === 0 ? driver.switchBranch(5) : driver.extend())
  const start = (path, options) => startBranches(path, { ...options, milliseconds: 1_000 / rate, step })
  await withFollowers(
    geth,
    start,
    { engine, isTraced: false, serve: oneProcess },
    async ({ chain, serve, library, keep }) => {
      const client = keep(await startClient('raw', scriptClient('raw').command(serve.url)))
      const before = await chain.head()
      const followers = { service: serve.child, library: library.child }
      const sampled = { service: [], library: [] }
      await chain.begin()
      for (let i = 0; i < samples; i++) {
        await sleep((seconds * 1_000) / samples)
        for (const [name, { pid }] of Object.entries(followers)) sampled[name].push(sampleOf(pid))
      }
      const last = await finish(chain, serve.url)
      for (const each of [library, client]) await each.end()
      const truth = await readTruth(chain, {
        start: before.number,
        end: last.number,
        clients: [library, client],
      })
      const results = [
        checkLibrary(library, truth),
        compareClient({ name: 'raw', ours: client.events, ofGeth: client.events }, truth),
      ]
      const name = `${engine}, ${rate} blocks a second`
      console.log(
        `${name}: blocks ${before.number + 1} to ${last.number} in ${seconds} s; ${chain.describe()}`,
      )
      console.log(`${name}: ${results[0].line}`)
      throwFaults(name, results)
      for (const [follower, all] of Object.entries(sampled)) reportGrowth(`${name}: ${follower}`, all)
    },
  )
}

/** Starts a chain, our service and the library on it; ends them and removes the directory, whatever happens. */
async function withFollowers(geth, startChain, options, follow) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'geth-reader-follow-')))
  const records = []
  const record = (name) => {
    if (!options.isTraced) return undefined
    records.push(join(folder, `${name}.strace`))
    return records.at(-1)
  }
  const running = []
  let chain
  let child
  const cleanUp = async () => {
    for (const client of running) if (client.child.exitCode === null) await endNode(client.child)
    if (child) await endNode(child)
    await chain?.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  const onSignal = () => cleanUp().finally(() => process.exit(130))
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  try {
    chain = await startChain(geth, { ...options, folder })
    await untilWritten(chain)
    const serve = [cli, 'serve', '--datadir', chain.datadir, '--http.port', '0', ...options.serve]
    child = startNode(serve, record('serve'))
    const url = await urlOf(child)
    await untilShown(chain, url, await chain.head())
    const keep = (client) => {
      running.push(client)
      return client
    }
    const follower = [here('follow/library-client.mjs'), chain.datadir]
    const library = keep(
      await startClient('library', follower, (args) => startNode(args, record('library'), 'pipe')),
    )
    await follow({ chain, serve: { url, child }, library, records, keep })
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
    await cleanUp()
  }
}

/** Pebble writes the first blocks to its log some time after geth answers. */
async function untilWritten(chain) {
  const { openDatadir } = await import('../../../dist/index.js')
  for (;;) {
    try {
      return await (await openDatadir({ path: chain.datadir, workers: 1 })).close()
    } catch (error) {
      if (error.code !== 'NOT_A_DATADIR') throw error
      await chain.extend()
    }
  }
}

/** Ends a chain and waits until clients of our service know its last block. */
async function finish(chain, url) {
  const last = await chain.stop()
  await untilShown(chain, url, last)
  await sleep(lastPollMilliseconds)
  return last
}

/** Waits until the files show a block, which other blocks after it bring about. */
async function untilShown(chain, url, { number, hash }) {
  const end = performance.now() + mostShownMilliseconds
  const isShown = async () =>
    (await ask(url, 'eth_getBlockByNumber', `0x${number.toString(16)}`, false))?.hash === hash
  await sleep(lastPollMilliseconds)
  while (!(await isShown())) {
    if (performance.now() > end) throw new Error(`block ${number} ${hash} is not shown`)
    await chain.extend()
  }
}

function throwFaults(name, results) {
  const faults = results.flatMap((result) => result.faults)
  if (faults.length > 0) throw new Error(`${name}:\n${faults.slice(0, 20).join('\n')}`)
}

function reportTraces(name, datadir, records) {
  for (const record of records) {
    const { changes, opens, looks } = auditTrace(record, datadir)
    if (changes.length > 0) throw new Error(`not only reads:\n${changes.slice(0, 20).join('\n')}`)
    if (opens === 0) throw new Error(`${record} has no trace of reading`)
    console.log(`${name}: opened files ${opens} times, always O_RDONLY, looked ${looks} times (strace)`)
  }
}

/** Memory in MiB and descriptors of a process. */
function sampleOf(pid) {
  const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1])
  return { memory: kilobytes / 1_024, descriptors: readdirSync(`/proc/${pid}/fd`).length }
}

/** Prints the second and the last quarter of the samples; throws if the last is higher. */
function reportGrowth(name, all) {
  const quarter = Math.floor(all.length / 4)
  const most = (list, value) => Math.max(...list.map((sample) => sample[value]))
  const [early, late] = [all.slice(quarter, 2 * quarter), all.slice(-quarter)]
  const [memory, descriptors] = ['memory', 'descriptors'].map((value) => [
    most(early, value),
    most(late, value),
  ])
  console.log(
    `${name}: at most ${memory[0].toFixed(0)} MiB and ${descriptors[0]} descriptors in the second quarter, ` +
      `${memory[1].toFixed(0)} MiB and ${descriptors[1]} in the last`,
  )
  if (memory[1] > memory[0] * mostGrowth || descriptors[1] > descriptors[0] + moreDescriptors)
    throw new Error(`${name} grows`)
}
