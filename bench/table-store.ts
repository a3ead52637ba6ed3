// The project's own table reader against classic-level on one LevelDB directory of 1.2 million entries, in one run:
// gets, absent keys, ordered scan, opening; then what classic-level has no match for: threads, memory, open files,
// refresh. The directory is made once, in the temporary folder, by classic-level. A column `at least` or `at most` is what
// the project wants.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { ClassicLevel } from 'classic-level'
import { openTableStore, openTableStoreView, type TableStoreReader } from '../src/ethdb/table-store.js'
import { Random } from './chain-writer.js'
import { median, report, round } from './report.js'

type Level = ClassicLevel<Uint8Array, Uint8Array>

const entryCount = 1_200_000
const megabyte = 1 << 20
const rounds = 7
const callsPerRound = 20_000
const folder = join(tmpdir(), `geth-reader-bench-table-store-${entryCount}`)
const directory = join(folder, 'db')
const here = fileURLToPath(import.meta.url)

const keyBytes = 33
const prefixes = Buffer.from('lcao')

/** Keys as geth's hash-keyed tables have them: a letter for the table, then 32 bytes without order. */
function keyOf(i: number): Uint8Array {
  const key = new Uint8Array(keyBytes)
  const view = new DataView(key.buffer)
  key[0] = prefixes[i % prefixes.length]!
  let state = Math.imul(i + 1, 0x9e3779b1)
  for (let at = 1; at < keyBytes; at += 4) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state = (state + 0x9e3779b9 + i) | 0
    view.setInt32(at, state)
  }
  return key
}

/**
 * Writes the directory unless an earlier run has: values of 60 to 500 bytes, of which 70 % do not compress; nine tenths
 * in the lowest level, the rest above it, in as many levels as that takes.
 */
async function makeDirectory(): Promise<void> {
  if (existsSync(join(folder, 'made'))) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const random = new Random(1)
  const noise = random.bytes(megabyte)
  const level: Level = new ClassicLevel(directory, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    writeBufferSize: 4 * megabyte,
  })
  await level.open()
  const write = async (from: number, end: number) => {
    for (let i = from; i < end; i += 1_000) {
      const batch = level.batch()
      for (let j = i; j < i + 1_000; j++) {
        const value = new Uint8Array(60 + random.below(440))
        const start = random.below(noise.length - 600)
        value.set(noise.subarray(start, start + Math.floor(value.length * 0.7)))
        batch.put(keyOf(j), value)
      }
      await batch.write()
    }
  }
  await write(0, entryCount * 0.9)
  await level.compactRange(new Uint8Array(), new Uint8Array(40).fill(255), { keyEncoding: 'view' })
  await write(entryCount * 0.9, entryCount)
  for (let before = ''; before !== level.getProperty('leveldb.stats'); ) {
    before = level.getProperty('leveldb.stats')
    await new Promise((resolve) => setTimeout(resolve, 2_000))
  }
  await level.close()
  // A start of LevelDB makes a table of what is still in the log.
  await level.open()
  await level.close()
  writeFileSync(join(folder, 'made'), '')
}

/** classic-level writes when it opens: it gets hard links to the tables and copies of the rest. */
function linkedDirectory(): string {
  const linked = join(folder, 'linked')
  rmSync(linked, { recursive: true, force: true })
  mkdirSync(linked)
  for (const file of readdirSync(directory)) {
    const [from, to] = [join(directory, file), join(linked, file)]
    if (file.endsWith('.ldb')) linkSync(from, to)
    else if (file !== 'LOCK') copyFileSync(from, to)
  }
  return linked
}

async function openLevel(cacheBytes: number, linked = linkedDirectory()): Promise<Level> {
  const level: Level = new ClassicLevel(linked, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    cacheSize: cacheBytes,
  })
  await level.open()
  return level
}

const random = new Random(7)
/** Not in workers: each collection of garbage would mark them, on helper threads that need a processor as well. */
const presentKeys = isMainThread ? Array.from({ length: 100_000 }, () => keyOf(random.below(entryCount))) : []
const absentKeys = presentKeys.map((key) => {
  const other = key.slice()
  other[keyBytes - 1]! ^= 1
  return other
})
const getOptions = { keyEncoding: 'view', valueEncoding: 'view', fillCache: true } as const

/** Microseconds of one call, over a stretch of the keys. */
function timeGets(keys: readonly Uint8Array[], turn: number, get: (key: Uint8Array) => unknown): number {
  const from = (turn * callsPerRound) % keys.length
  const start = process.hrtime.bigint()
  for (let i = 0; i < callsPerRound; i++) get(keys[(from + i) % keys.length]!)
  return Number(process.hrtime.bigint() - start) / callsPerRound / 1_000
}

/** Both readers, turn by turn, so that what disturbs the machine disturbs both. */
function compareGets(
  { name, keys, atLeast }: { name: string; keys: readonly Uint8Array[]; atLeast?: number },
  own: TableStoreReader,
  level: Level,
) {
  const times: Times = { own: [], level: [] }
  for (const key of keys) {
    const [a, b] = [own.get(key), level.getSync(key, getOptions)]
    if (a === undefined ? b !== undefined : Buffer.compare(a, b!) !== 0)
      throw new Error('the readers disagree')
  }
  for (let turn = 0; turn < rounds; turn++) {
    times.own.push(timeGets(keys, turn, (key) => own.get(key)))
    times.level.push(timeGets(keys, turn, (key) => level.getSync(key, getOptions)))
  }
  return comparison(name, 'µs', times, atLeast)
}

interface Times {
  readonly own: number[]
  readonly level: number[]
}

function comparison(what: string, unit: string, times: Times, atLeast: number | '' = '') {
  const [own, level] = [median(times.own), median(times.level)]
  return {
    what,
    unit,
    own: round(own),
    'classic-level': round(level),
    times: round(level / own),
    'at least': atLeast,
  }
}

/** By the loop that everybody writes, and in classic-level's largest steps. */
async function compareScans(own: TableStoreReader, level: Level) {
  const simple: Times = { own: [], level: [] }
  const batches: Times = { own: simple.own, level: [] }
  for (let turn = 0; turn < 3; turn++) {
    const bytes = { own: 0, simple: 0, batches: 0 }
    const timed = async (times: number[], scan: () => Promise<void>) => {
      const start = process.hrtime.bigint()
      await scan()
      times.push(Number(process.hrtime.bigint() - start) / entryCount)
    }
    await timed(simple.own, async () => {
      for (const { key, value } of own.scan()) bytes.own += key.length + value.length
    })
    await timed(simple.level, async () => {
      for await (const [key, value] of level.iterator()) bytes.simple += key.length + value.length
    })
    await timed(batches.level, async () => {
      const iterator = level.iterator({ highWaterMarkBytes: 4 * megabyte })
      for (;;) {
        const entries = await iterator.nextv(1_000)
        if (entries.length === 0) break
        for (const [key, value] of entries) bytes.batches += key.length + value.length
      }
      await iterator.close()
    })
    if (bytes.own !== bytes.simple || bytes.own !== bytes.batches) throw new Error('the readers disagree')
  }
  return [
    comparison('ordered scan, an entry, by for await', 'ns', simple, 5),
    comparison('ordered scan, an entry, by nextv(1,000)', 'ns', batches, 5),
  ]
}

/** classic-level writes where it opens, so that it is given links: their making belongs to its opening, and is told apart. */
async function compareOpens() {
  const whole: Times = { own: [], level: [] }
  const bare: Times = { own: whole.own, level: [] }
  // The first opens run code that the engine has not compiled yet.
  for (let turn = 0; turn < 50; turn++) await openTableStore(directory).close()
  for (let turn = 0; turn < 21; turn++) {
    let start = process.hrtime.bigint()
    const own = openTableStore(directory)
    whole.own.push(Number(process.hrtime.bigint() - start) / 1_000)
    await own.close()
    start = process.hrtime.bigint()
    const linked = linkedDirectory()
    const opened = process.hrtime.bigint()
    const level = await openLevel(8 * megabyte, linked)
    const end = process.hrtime.bigint()
    whole.level.push(Number(end - start) / 1_000)
    bare.level.push(Number(end - opened) / 1_000)
    await level.close()
  }
  return [
    comparison('open, classic-level with the links it needs', 'µs', whole, 10),
    comparison('open, classic-level on links made before', 'µs', bare),
  ]
}

async function compareAll(): Promise<void> {
  const rows = await compareOpens()
  for (const [label, cacheBytes] of [
    ['all in the cache', 700 * megabyte],
    ['cache of 64 MiB', 64 * megabyte],
  ] as const) {
    const own = openTableStore(directory, { cacheBytes })
    const level = await openLevel(cacheBytes)
    const name = `random get, ${label}`
    if (cacheBytes > 100 * megabyte) {
      rows.push(compareGets({ name, keys: presentKeys, atLeast: 1.5 }, own, level))
      rows.push(compareGets({ name: 'get of 500 hot keys', keys: presentKeys.slice(0, 500) }, own, level))
      rows.push(compareGets({ name: 'absent key', keys: absentKeys, atLeast: 1 }, own, level))
    } else {
      rows.push(compareGets({ name, keys: presentKeys }, own, level))
      rows.push(...(await compareScans(own, level)))
    }
    await own.close()
    await level.close()
  }
  report(`own table reader and classic-level, LevelDB of ${entryCount.toLocaleString('en')} entries`, rows)
}

const threadCalls = 150_000
const threadRounds = 9

interface ThreadData {
  readonly descriptor: TableStoreReader['descriptor']
  readonly seed: number
}

/** What a worker does when told to: gets with a view and a cache of its own, or a loop in which no memory takes part. */
type Pass = 'gets' | 'loop'

function runThread({ descriptor, seed }: ThreadData): void {
  const store = openTableStoreView(descriptor, { cacheBytes: 700 * megabyte })
  const own = new Random(seed + 3)
  // In one array and not as objects, for the same reason as above.
  const keys = new Uint8Array(threadCalls * keyBytes)
  for (let at = 0; at < keys.length; at += keyBytes) keys.set(keyOf(own.below(entryCount)), at)
  const key = new Uint8Array(keyBytes)
  const passes: Record<Pass, () => void> = {
    gets() {
      for (let at = 0; at < keys.length; ) {
        for (let i = 0; i < keyBytes; i++) key[i] = keys[at++]!
        store.get(key)
      }
    },
    loop() {
      for (let turn = 0; turn < 300; turn++) for (let i = 0; i < 1_000_000; i++) key[i & 31]! ^= i
    },
  }
  const timed = (pass: Pass): PassTimes => {
    const start = process.hrtime.bigint()
    passes[pass]()
    return [start, process.hrtime.bigint()]
  }
  // The first fills the cache, the others make the engine compile what only full caches run.
  for (let turn = 0; turn < 3; turn++) for (const pass of ['gets', 'loop'] as const) timed(pass)
  parentPort!.on('message', (pass: Pass) => parentPort!.postMessage(timed(pass)))
  parentPort!.postMessage('ready')
}

/** Start and end in nanoseconds, by the clock of all threads. */
type PassTimes = readonly [bigint, bigint]

/** Seconds from the first start to the last end of a pass of each worker at once. */
async function timePass(workers: readonly Worker[], pass: Pass): Promise<number> {
  const passes = await Promise.all(
    workers.map(async (worker) => {
      worker.postMessage(pass)
      const [times] = (await once(worker, 'message')) as [PassTimes]
      return times
    }),
  )
  const [origin] = passes[0]!
  const starts = passes.map(([start]) => Number(start - origin))
  const ends = passes.map(([, end]) => Number(end - origin))
  return (Math.max(...ends) - Math.min(...starts)) / 1e9
}

/** Each of two workers alone, then both at once, in every round: the same threads in the same state. */
async function timeRound(workers: readonly Worker[], pass: Pass): Promise<ThreadTimes> {
  const alone = [await timePass(workers.slice(0, 1), pass), await timePass(workers.slice(1), pass)]
  const one = (alone[0]! + alone[1]!) / 2
  const two = await timePass(workers, pass)
  return { one, two, times: (2 * one) / two }
}

/** Seconds of a pass of one worker and of two at once, and how many times as much the two do. */
type ThreadTimes = Readonly<Record<'one' | 'two' | 'times', number>>

async function compareThreads(): Promise<void> {
  const own = openTableStore(directory)
  const workers = [0, 1].map(
    (seed) => new Worker(here, { workerData: { descriptor: own.descriptor, seed } satisfies ThreadData }),
  )
  await Promise.all(workers.map((worker) => once(worker, 'message')))
  const rounds: Record<Pass, ThreadTimes[]> = { gets: [], loop: [] }
  for (let turn = 0; turn < threadRounds; turn++) {
    for (const pass of ['gets', 'loop'] as const) rounds[pass].push(await timeRound(workers, pass))
  }
  await Promise.all(workers.map((worker) => worker.terminate()))
  await own.close()
  const middle = (pass: Pass, what: keyof ThreadTimes) => median(rounds[pass].map((times) => times[what]))
  report('random gets of own reader by two workers, all in their caches', [
    {
      'gets/s of one': round(threadCalls / middle('gets', 'one')),
      'gets/s of two': round((2 * threadCalls) / middle('gets', 'two')),
      times: round(middle('gets', 'times')),
      'at least': 1.8,
      // Below 2 the machine is busy with other things, or its processors share what they compute with.
      'times of a loop without memory': round(middle('loop', 'times')),
    },
  ])
}

const memoryCalls = 300_000
const memoryOpenFiles = 64

/** In a process of its own: what gets and a scan add to its memory, and how many files they have open. */
async function measureMemory(cacheBytes: number): Promise<void> {
  const collect = (globalThis as { gc?: () => void }).gc
  collect?.()
  const before = process.memoryUsage.rss()
  const files = openFiles()
  const store = openTableStore(directory, { cacheBytes, maxOpenFiles: memoryOpenFiles })
  const most = { grown: 0, files: 0 }
  const look = () => {
    most.grown = Math.max(most.grown, process.memoryUsage.rss() - before)
    most.files = Math.max(most.files, openFiles() - files)
  }
  for (let i = 0; i < memoryCalls; i++) {
    store.get(presentKeys[(i * 7) % presentKeys.length]!)
    if (i % 10_000 === 0) look()
  }
  for (const { value } of store.scan()) if (value.length === 0) throw new Error('there are no empty values')
  look()
  console.log(JSON.stringify(most))
  await store.close()
}

/** Files open in this process; 0 where the system does not tell. */
function openFiles(): number {
  return existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0
}

function reportMemory(): void {
  const measure = (budget: number): { grown: number; files: number } => {
    const parameters = ['--expose-gc', here, 'memory', String(budget * megabyte)]
    return JSON.parse(execFileSync(process.execPath, parameters, { encoding: 'utf8' }))
  }
  // What the work takes in any case: the engine's young generation and the values on their way.
  const least = measure(8)
  const rows = [8, 64, 256].map((budget) => {
    const { grown, files } = budget === 8 ? least : measure(budget)
    const beyond = (grown - least.grown) / megabyte / (budget - 8)
    return {
      'budget MiB': budget,
      'grown by MiB': round(grown / megabyte),
      'of each MiB above 8': budget === 8 ? '' : round(beyond),
      'at most': budget === 8 ? '' : 1.2,
      'files open': files,
      'at most ': memoryOpenFiles + 2,
    }
  })
  report(
    `resident memory and open files after ${memoryCalls.toLocaleString('en')} random gets and a scan`,
    rows,
  )
}

async function reportRefresh(): Promise<void> {
  const growing = join(folder, 'growing')
  rmSync(growing, { recursive: true, force: true })
  const level: Level = new ClassicLevel(growing, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    writeBufferSize: 64 * megabyte,
  })
  await level.open()
  let store = openTableStore(growing)
  const times: number[] = []
  for (let turn = 0; turn < 200; turn++) {
    const batch = level.batch()
    for (let i = 0; i < 200; i++) batch.put(keyOf(turn * 200 + i), new Uint8Array(200))
    await batch.write()
    const start = process.hrtime.bigint()
    const next = store.refresh()
    times.push(Number(process.hrtime.bigint() - start) / 1e6)
    await store.close()
    store = next
  }
  await store.close()
  await level.close()
  report('refresh after a batch of 200 entries, 45 KB', [
    { 'median ms': round(median(times)), 'at most': 5, 'most ms': round(Math.max(...times)) },
  ])
}

if (!isMainThread) runThread(workerData)
else if (process.argv[2] === 'memory') await measureMemory(Number(process.argv[3]))
else {
  await makeDirectory()
  await compareAll()
  await compareThreads()
  reportMemory()
  await reportRefresh()
}
