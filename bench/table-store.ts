// The project's own table reader against classic-level on one LevelDB directory of 1.2 million entries, in one run:
// gets, absent keys, ordered scan, opening; then what classic-level has no match for: threads, memory, refresh, and a
// MANIFEST of 100,000 tables. The directory is made once, in the temporary folder, by classic-level.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { ClassicLevel } from 'classic-level'
import { levelDbEngine } from '../src/ethdb/leveldb/engine.js'
import { Manifest } from '../src/ethdb/table/manifest.js'
import { openTableStore, openTableStoreView, type TableStoreReader } from '../src/ethdb/table-store.js'
import { crc32c, maskCrc32c } from '../src/kernel/crc32c.js'
import { Random } from './chain-writer.js'
import { median, report, round } from './report.js'

type Level = ClassicLevel<Uint8Array, Uint8Array>

const entryCount = 1_200_000
const megabyte = 1 << 20
const rounds = 9
const callsPerRound = 30_000
const folder = join(tmpdir(), `geth-reader-bench-table-store-${entryCount}`)
const directory = join(folder, 'db')
const here = fileURLToPath(import.meta.url)

/** Keys as geth's hash-keyed tables have them: 32 bytes without order. */
function keyOf(i: number): Uint8Array {
  const key = new Uint8Array(32)
  const view = new DataView(key.buffer)
  let state = Math.imul(i + 1, 0x9e3779b1)
  for (let at = 0; at < 32; at += 4) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state = (state + 0x9e3779b9 + i) | 0
    view.setInt32(at, state)
  }
  return key
}

/** Writes the directory unless an earlier run has: values of 100 to 600 bytes, of which 70 % do not compress. */
async function makeDirectory(): Promise<void> {
  if (existsSync(join(folder, 'made'))) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const random = new Random(1)
  const noise = random.bytes(megabyte)
  const level: Level = new ClassicLevel(directory, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    writeBufferSize: 16 * megabyte,
  })
  await level.open()
  for (let i = 0; i < entryCount; i += 1_000) {
    const batch = level.batch()
    for (let j = i; j < i + 1_000; j++) {
      const value = new Uint8Array(100 + random.below(500))
      const start = random.below(noise.length - 600)
      value.set(noise.subarray(start, start + Math.floor(value.length * 0.7)))
      batch.put(keyOf(j), value)
    }
    await batch.write()
  }
  await level.compactRange(new Uint8Array(), new Uint8Array(40).fill(255), { keyEncoding: 'view' })
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

async function openLevel(cacheBytes: number): Promise<Level> {
  const level: Level = new ClassicLevel(linkedDirectory(), {
    keyEncoding: 'view',
    valueEncoding: 'view',
    cacheSize: cacheBytes,
  })
  await level.open()
  return level
}

const random = new Random(7)
const presentKeys = Array.from({ length: 100_000 }, () => keyOf(random.below(entryCount)))
const absentKeys = presentKeys.map((key) => {
  const other = key.slice()
  other[31]! ^= 1
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
function compareGets(name: string, keys: readonly Uint8Array[], own: TableStoreReader, level: Level) {
  const times = { own: [] as number[], level: [] as number[] }
  for (const key of keys) {
    const [a, b] = [own.get(key), level.getSync(key, getOptions)]
    if (a === undefined ? b !== undefined : Buffer.compare(a, b!) !== 0)
      throw new Error('the readers disagree')
  }
  for (let turn = 0; turn < rounds; turn++) {
    times.own.push(timeGets(keys, turn, (key) => own.get(key)))
    times.level.push(timeGets(keys, turn, (key) => level.getSync(key, getOptions)))
  }
  return comparison(name, 'µs', times.own, times.level)
}

function comparison(what: string, unit: string, own: readonly number[], level: readonly number[]) {
  const [ownMedian, levelMedian] = [median(own), median(level)]
  return {
    what,
    unit,
    own: round(ownMedian),
    'classic-level': round(levelMedian),
    times: round(levelMedian / ownMedian),
  }
}

async function compareScans(own: TableStoreReader, level: Level) {
  const times = { own: [] as number[], level: [] as number[] }
  for (let turn = 0; turn < 5; turn++) {
    let start = process.hrtime.bigint()
    let bytes = 0
    for (const { key, value } of own.scan()) bytes += key.length + value.length
    times.own.push(Number(process.hrtime.bigint() - start) / entryCount)
    start = process.hrtime.bigint()
    const iterator = level.iterator({ highWaterMarkBytes: 4 * megabyte })
    for (;;) {
      const entries = await iterator.nextv(1_000)
      if (entries.length === 0) break
      for (const [key, value] of entries) bytes -= key.length + value.length
    }
    await iterator.close()
    times.level.push(Number(process.hrtime.bigint() - start) / entryCount)
    if (bytes !== 0) throw new Error('the readers disagree')
  }
  return comparison('ordered scan, an entry', 'ns', times.own, times.level)
}

async function compareOpens() {
  const times = { own: [] as number[], level: [] as number[] }
  for (let turn = 0; turn < 21; turn++) {
    let start = process.hrtime.bigint()
    const own = openTableStore(directory)
    times.own.push(Number(process.hrtime.bigint() - start) / 1_000)
    await own.close()
    linkedDirectory()
    start = process.hrtime.bigint()
    const level = await openLevel(8 * megabyte)
    times.level.push(Number(process.hrtime.bigint() - start) / 1_000)
    await level.close()
  }
  return comparison('open', 'µs', times.own, times.level)
}

async function compareAll(): Promise<void> {
  const rows = [await compareOpens()]
  for (const [label, cacheBytes] of [
    ['all in the cache', 700 * megabyte],
    ['cache of 64 MiB', 64 * megabyte],
  ] as const) {
    const own = openTableStore(directory, { cacheBytes })
    const level = await openLevel(cacheBytes)
    rows.push(compareGets(`random get, ${label}`, presentKeys, own, level))
    if (cacheBytes > 100 * megabyte) {
      rows.push(compareGets('get of 500 hot keys', presentKeys.slice(0, 500), own, level))
      rows.push(compareGets('absent key', absentKeys, own, level))
    } else rows.push(await compareScans(own, level))
    await own.close()
    await level.close()
  }
  report(`own table reader and classic-level, LevelDB of ${entryCount.toLocaleString('en')} entries`, rows)
}

/** Gets a second that `threads` threads make together, each with a view and a cache of its own. */
async function threadRate(threads: number, own: TableStoreReader): Promise<number> {
  const start = new Int32Array(new SharedArrayBuffer(4))
  const workers = Array.from(
    { length: threads },
    (_, seed) => new Worker(here, { workerData: { descriptor: own.descriptor, start, seed } }),
  )
  const next = (worker: Worker) =>
    new Promise<number>((resolve, reject) => worker.once('message', resolve).once('error', reject))
  await Promise.all(workers.map(next))
  const done = workers.map(next)
  Atomics.store(start, 0, 1)
  Atomics.notify(start, 0)
  const seconds = await Promise.all(done)
  await Promise.all(workers.map((worker) => worker.terminate()))
  return (threads * threadCalls) / Math.max(...seconds)
}

const threadCalls = 200_000

function runThread({
  descriptor,
  start,
  seed,
}: {
  descriptor: TableStoreReader['descriptor']
  start: Int32Array
  seed: number
}) {
  const store = openTableStoreView(descriptor, { cacheBytes: 700 * megabyte })
  const own = new Random(seed + 3)
  const keys = Array.from({ length: threadCalls }, () => keyOf(own.below(entryCount)))
  for (const key of keys) store.get(key)
  parentPort!.postMessage(0)
  Atomics.wait(start, 0, 0)
  const began = process.hrtime.bigint()
  for (const key of keys) store.get(key)
  parentPort!.postMessage(Number(process.hrtime.bigint() - began) / 1e9)
}

async function compareThreads(): Promise<void> {
  const own = openTableStore(directory)
  const rates = { one: [] as number[], two: [] as number[] }
  for (let turn = 0; turn < 5; turn++) {
    rates.one.push(await threadRate(1, own))
    rates.two.push(await threadRate(2, own))
  }
  await own.close()
  const [one, two] = [median(rates.one), median(rates.two)]
  report('random gets of own reader by threads, all in their caches', [
    { threads: 1, 'gets/s': round(one), times: 1 },
    { threads: 2, 'gets/s': round(two), times: round(two / one) },
  ])
}

/** In a process of its own: what a million gets and a scan add to its memory. */
async function measureMemory(cacheBytes: number): Promise<void> {
  const collect = (globalThis as { gc?: () => void }).gc
  collect?.()
  const before = process.memoryUsage.rss()
  const store = openTableStore(directory, { cacheBytes })
  let most = 0
  for (let i = 0; i < 1_000_000; i++) {
    store.get(presentKeys[(i * 7) % presentKeys.length]!)
    if (i % 10_000 === 0) most = Math.max(most, process.memoryUsage.rss())
  }
  for (const { value } of store.scan()) if (value.length === 0) throw new Error('there are no empty values')
  most = Math.max(most, process.memoryUsage.rss())
  console.log(JSON.stringify({ grown: most - before }))
  await store.close()
}

function reportMemory(): void {
  const grown = (budget: number): number => {
    const parameters = ['--expose-gc', here, 'memory', String(budget * megabyte)]
    return JSON.parse(execFileSync(process.execPath, parameters, { encoding: 'utf8' })).grown / megabyte
  }
  // What the work takes in any case: the engine's young generation and the values on their way.
  const least = grown(8)
  const rows = [8, 64, 256, 512].map((budget) => {
    const mebibytes = budget === 8 ? least : grown(budget)
    return {
      'budget MiB': budget,
      'resident set grown by MiB': round(mebibytes),
      'beyond budget 8 MiB, of the difference': budget === 8 ? '' : round((mebibytes - least) / (budget - 8)),
    }
  })
  report('memory of own reader after 1,000,000 random gets and a scan', rows)
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
    { 'median ms': round(median(times)), 'most ms': round(Math.max(...times)) },
  ])
}

/** A MANIFEST as goleveldb begins one, with many tables of 2 MiB in the second level. */
function writeManifest(path: string, tables: number): void {
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
  const text = [...Buffer.from('leveldb.BytewiseComparator')]
  const record: number[] = [
    1,
    text.length,
    ...text,
    2,
    ...varint(3),
    3,
    ...varint(tables + 10),
    4,
    ...varint(1_000_000),
  ]
  const bound = (i: number, last: boolean): number[] => {
    const key = new Uint8Array(32)
    new DataView(key.buffer).setUint32(0, Math.floor((i * 2 ** 32) / tables) + (last ? 1 : 0))
    return [40, ...key, 1, 5, 0, 0, 0, 0, 0, 0]
  }
  const parts: Uint8Array[] = [Uint8Array.from(record)]
  for (let i = 0; i < tables; i++) {
    parts.push(
      Uint8Array.from([7, 2, ...varint(i + 10), ...varint(2_100_000), ...bound(i, false), ...bound(i, true)]),
    )
  }
  const payload = Buffer.concat(parts)
  rmSync(path, { force: true })
  for (let at = 0, room = 32_768; at < payload.length; room = 32_768) {
    const length = Math.min(room - 7, payload.length - at)
    const isLast = at + length === payload.length
    const chunk = Buffer.alloc(7 + length)
    payload.copy(chunk, 7, at, at + length)
    chunk[6] = at === 0 ? 2 : isLast ? 4 : 3
    chunk.writeUInt16LE(length, 4)
    chunk.writeUInt32LE(maskCrc32c(crc32c(new Uint8Array(chunk.subarray(6)))), 0)
    appendFileSync(path, chunk)
    at += length
  }
}

function reportManifest(): void {
  const tables = 120_000
  const path = join(folder, 'MANIFEST-000001')
  writeManifest(path, tables)
  const collect = (globalThis as { gc?: () => void }).gc
  const times: number[] = []
  let manifest: Manifest | undefined
  collect?.()
  const before = process.memoryUsage()
  for (let turn = 0; turn < 7; turn++) {
    manifest?.file.close()
    manifest = undefined
    const start = process.hrtime.bigint()
    manifest = new Manifest('MANIFEST-000001', path, levelDbEngine)
    manifest.read()
    manifest.check()
    times.push(Number(process.hrtime.bigint() - start) / 1e6)
  }
  collect?.()
  const after = process.memoryUsage()
  const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
  const { files } = manifest!.version.sorted[1]!
  const lookups = process.hrtime.bigint()
  for (const key of presentKeys) manifest!.version.sorted[1]!.find(key)
  const lookup = Number(process.hrtime.bigint() - lookups) / presentKeys.length
  manifest!.file.close()
  rmSync(path)
  report(`MANIFEST of ${files.length.toLocaleString('en')} tables`, [
    {
      'read ms': round(median(times)),
      'bytes of memory a table': round(bytes / tables),
      'lookup ns': round(lookup),
    },
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
  reportManifest()
}
