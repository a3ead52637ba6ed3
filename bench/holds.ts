// How long one body of the largest size holds the main thread: every argument of every method and the envelope, made to
// take long; and calls whose output is as long as their gas allows. A hold is the time between two callbacks of setImmediate.
// Of a body that held the thread for long, the shortest of several runs counts, since the machine does other things too.
// HOLDS_FILTER is a part of the names of the bodies that are measured.
// Run: npm run bench -- holds
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Datadir } from '../src/datadir/datadir.js'
import { unpackFixtureInto } from '../src/demo/unpack-fixture.js'
import { byteLengthOf, bytePieces } from '../src/rpc/json/json-text.js'
import { defaultLimits } from '../src/rpc/limits.js'
import { knownNamespaces } from '../src/rpc/namespaces.js'
import { Service } from '../src/server/service.js'
import { type HostileBody, hostileEnvelopes, hostileSchemas } from '../test/server/hostile-bodies.js'
import { report, round } from './report.js'

const pack = '../../../testdata/fixtures/rich-1.17.5-leveldb-hash-archive.tar.br'
/** Characters of a response that are written at a time, as transport/http-response.ts does. */
const pieceLength = 65_536
/** As much as the gas of a call pays for. */
const outputBytes = 15 << 20
const mostRuns = 5
/** A body that held the thread for less is not run again. */
const enoughMilliseconds = 25
/** Bodies that hold the thread for longer are shown, and the worst twenty in any case. */
const targetMilliseconds = 50
const shown = 20

/** On Linux, time that this thread has had a processor: other programs do not count. */
const schedule = `/proc/self/task/${process.pid}/schedstat`
const hasSchedule = existsSync(schedule)

function now(): number {
  return hasSchedule ? Number(readFileSync(schedule, 'latin1').split(' ')[0]) / 1e6 : performance.now()
}

/** Calls that return, or revert with, all of their memory. */
function* longOutputs(): Generator<HostileBody> {
  const account = `0x${'ab'.repeat(20)}`
  for (const [name, opcode] of Object.entries({ returns: 'f3', reverts: 'fd' })) {
    const code = `0x62${outputBytes.toString(16).padStart(6, '0')}5f${opcode}`
    const params = [{ to: account }, 'latest', { [account]: { code } }]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params })
    yield { name: `eth_call that ${name} ${outputBytes} bytes`, body }
  }
}

/** Longest hold while the work runs, in milliseconds. */
async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = now()
  let isDone = false
  const look = () => {
    const at = now()
    longest = Math.max(longest, at - last)
    last = at
    if (!isDone) setImmediate(look)
  }
  setImmediate(look)
  await work()
  look()
  isDone = true
  return longest
}

const directory = mkdtempSync(join(tmpdir(), 'geth-reader-bench-'))
try {
  const { path } = unpackFixtureInto(fileURLToPath(new URL(pack, import.meta.url)), directory)
  await using datadir = await Datadir.open({ path, workers: 1 })
  const namespaces = { http: knownNamespaces }
  const service = new Service({ backend: datadir, namespaces, answerCacheBytes: 0 })
  const caller = service.keys.find(undefined)!
  const { signal } = new AbortController()
  const hold = async ({ body: text }: HostileBody) => {
    const body = Buffer.from(text, 'latin1')
    const answer = async () => {
      const admission = service.admit(caller, body.length)
      const http = { transport: 'http', timeoutMilliseconds: 0, signal } as const
      const { text } = await service.answer({ admission, body, ...http })
      admission.release()
      byteLengthOf(text ?? '')
      for (const _ of bytePieces(text ?? '', pieceLength)) await nextTurn()
    }
    let shortest = Number.POSITIVE_INFINITY
    for (let run = 0; run < mostRuns && shortest > enoughMilliseconds; run++) {
      shortest = Math.min(shortest, await longestHold(answer))
    }
    return shortest
  }
  const bytes = defaultLimits.bodyBytes
  const rows: { body: string; 'held, ms': number }[] = []
  const filter = process.env['HOLDS_FILTER'] ?? ''
  const measure = async (body: HostileBody) => {
    if (body.name.includes(filter)) rows.push({ body: body.name, 'held, ms': round(await hold(body)) })
  }
  for (const body of hostileEnvelopes(bytes)) await measure(body)
  for (const body of hostileSchemas(bytes)) await measure(body)
  for (const body of longOutputs()) await measure(body)
  service.close()
  rows.sort((a, b) => b['held, ms'] - a['held, ms'])
  const worst = rows.filter((row, i) => i < shown || row['held, ms'] > targetMilliseconds)
  report(`longest holds of the main thread by ${rows.length} bodies of up to ${bytes} bytes`, worst)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
