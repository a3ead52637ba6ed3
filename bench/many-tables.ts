// What a directory of 100,000 tables costs the project's own reader, as a mainnet LevelDB has them: its MANIFEST, opening,
// refreshing. Only the tables' names are there.
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { levelDbEngine } from '../src/ethdb/leveldb/engine.js'
import { Manifest } from '../src/ethdb/table/manifest.js'
import { openTableStore } from '../src/ethdb/table-store.js'
import { frame, varint } from './manifest-writer.js'
import { median, report, round } from './report.js'

const manyTables = 100_000

/** The field that adds table `i` of 2 MiB to the second level. */
function newTable(i: number): number[] {
  const bound = (last: boolean): number[] => {
    const key = new Uint8Array(32)
    new DataView(key.buffer).setUint32(0, Math.floor((i * 2 ** 32) / (manyTables * 2)) + (last ? 1 : 0))
    return [40, ...key, 1, 5, 0, 0, 0, 0, 0, 0]
  }
  return [7, 2, ...varint(i + 10), ...varint(2_100_000), ...bound(false), ...bound(true)]
}

/** A record that puts one entry into a log. */
function logEntry(sequence: number): number[] {
  const number = new Uint8Array(new BigUint64Array([BigInt(sequence)]).buffer)
  return [...number, 1, 0, 0, 0, 1, 3, 107, 101, 121, 200, 1, ...new Uint8Array(200)]
}

/** A directory as goleveldb leaves it after a start, with many tables; only their names are there. */
function makeWideDirectory(path: string): void {
  const comparator = [...Buffer.from('leveldb.BytewiseComparator')]
  const head = [
    1,
    comparator.length,
    ...comparator,
    2,
    3,
    3,
    ...varint(manyTables * 3),
    4,
    ...varint(1_000_000),
  ]
  const tables = Array.from({ length: manyTables }, (_, i) => Uint8Array.from(newTable(i)))
  writeFileSync(join(path, 'MANIFEST-000001'), frame(Buffer.concat([Uint8Array.from(head), ...tables]), 0))
  writeFileSync(join(path, 'CURRENT'), 'MANIFEST-000001\n')
  writeFileSync(join(path, '000003.log'), frame(Uint8Array.from(logEntry(1_000_001)), 0))
  for (let i = 0; i < manyTables; i++) writeFileSync(join(path, tableName(i)), '')
}

function tableName(i: number): string {
  return `${String(i + 10).padStart(6, '0')}.ldb`
}

function milliseconds(work: () => unknown): number {
  const start = process.hrtime.bigint()
  work()
  return Number(process.hrtime.bigint() - start) / 1e6
}

async function reportManyTables(path: string): Promise<void> {
  makeWideDirectory(path)
  const name = 'MANIFEST-000001'
  const collect = (globalThis as { gc?: () => void }).gc
  let manifest: Manifest | undefined
  collect?.()
  const before = process.memoryUsage()
  const reads = Array.from({ length: 7 }, () => {
    manifest?.file.close()
    manifest = undefined
    return milliseconds(() => {
      manifest = Manifest.open(join(path, name), levelDbEngine)
      manifest.read()
      manifest.check()
    })
  })
  collect?.()
  const after = process.memoryUsage()
  const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
  manifest!.file.close()
  manifest = undefined

  let store = openTableStore(path)
  const opens = Array.from({ length: 5 }, () => milliseconds(() => void openTableStore(path).close()))
  // Before all keys, so that no table need be opened, of which there are but names.
  const absent = Uint8Array.of(0)
  store.get(absent)
  const refreshed = async (): Promise<number> => {
    const last = store
    const time = milliseconds(() => {
      store = last.refresh()
      store.get(absent)
    })
    if (store === last) throw new Error('there was something new')
    await last.close()
    return time
  }
  const log = join(path, '000003.log')
  const [entries, tables]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < 20; turn++) {
    appendFileSync(log, frame(Uint8Array.from(logEntry(1_000_002 + turn)), statSync(log).size))
    entries.push(await refreshed())
  }
  for (let turn = 0; turn < 40; turn++) {
    const added = manyTables + turn
    writeFileSync(join(path, tableName(added)), '')
    const edit = Uint8Array.from(newTable(added))
    appendFileSync(join(path, name), frame(edit, statSync(join(path, name)).size))
    tables.push(await refreshed())
  }
  await store.close()
  report(`a directory of ${manyTables.toLocaleString('en')} tables`, [
    { what: 'MANIFEST read and applied, ms', value: round(median(reads)), 'at most': 1_000 },
    { what: 'memory for each table, bytes', value: round(bytes / manyTables), 'at most': '' },
    { what: 'open, ms', value: round(median(opens)), 'at most': '' },
    { what: 'refresh after an entry in the log, and a get, ms', value: round(median(entries)), 'at most': 5 },
    { what: 'refresh after a new table, and a get, ms', value: round(median(tables)), 'at most': 5 },
  ])
}

const folder = mkdtempSync(join(tmpdir(), 'geth-reader-bench-many-tables-'))
try {
  await reportManyTables(folder)
} finally {
  rmSync(folder, { recursive: true })
}
