// Views beside a writer: LevelDB itself writes while the reader refreshes; Pebble's files grow as Pebble grew them.
// Has a process of its own: it replaces timers and functions of node:fs, and counts open files.
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import type { ClassicLevel } from 'classic-level'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readRecords } from '../../../src/ethdb/table/chunk-reader.js'
import { openTableStore, openTableStoreView, type TableStoreReader } from '../../../src/ethdb/table-store.js'
import { openWriter, testDirectory } from '../level-directory.js'
import { digestOf, unpackStore } from '../stores.js'

const fs = createRequire(import.meta.url)('node:fs') as typeof import('node:fs')
const text = (value: string) => new TextEncoder().encode(value)
const plain = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes)

async function writer(directory: string): Promise<ClassicLevel<Uint8Array, Uint8Array>> {
  const level = await openWriter(directory)
  onTestFinished(() => level.close())
  return level
}

function opened(store: TableStoreReader): TableStoreReader {
  onTestFinished(() => store.close())
  return store
}

/** Values that fill tables, since LevelDB compresses them badly. */
function filler(seed: number): Uint8Array {
  const bytes = new Uint8Array(500)
  let state = seed + 1
  for (let i = 0; i < bytes.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[i] = state >>> 24
  }
  return bytes
}

/** Writes enough for several tables, from `first` on. */
async function fill(
  level: ClassicLevel<Uint8Array, Uint8Array>,
  first: number,
  count: number,
): Promise<void> {
  for (let i = first; i < first + count; i++)
    await level.put(text(`key-${String(i).padStart(6, '0')}`), filler(i))
}

/** Bytes that `work` reads from files. */
function countBytes(work: () => void): number {
  const { readSync } = fs
  let bytes = 0
  fs.readSync = ((...parameters: Parameters<typeof readSync>) => {
    const read = readSync(...parameters)
    bytes += read
    return read
  }) as typeof readSync
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    fs.readSync = readSync
    syncBuiltinESMExports()
  }
  return bytes
}

/** Files of a directory that this process has open, and that are not in it any more. Logs are closed with the next view. */
function deletedFiles(directory: string): string[] {
  return readdirSync('/proc/self/fd')
    .flatMap((descriptor) => {
      try {
        return [readlinkSync(`/proc/self/fd/${descriptor}`)]
      } catch {
        // The descriptor of this listing.
        return []
      }
    })
    .filter((path) => path.startsWith(directory) && path.endsWith('.ldb (deleted)'))
}

describe('a view while LevelDB writes', () => {
  test('shows what was written when it was taken, and its refresh what was written since', async () => {
    const directory = testDirectory('refresh')
    const level = await writer(directory)
    await level.put(text('a'), text('1'))
    const first = opened(openTableStore(directory))
    await level.put(text('a'), text('2'))
    await level.put(text('b'), text('new'))
    const second = opened(first.refresh())
    await level.del(text('a'))
    const third = opened(second.refresh())
    expect(plain(first.get(text('a')))).toBe('1')
    expect(first.has(text('b'))).toBe(false)
    expect(plain(second.get(text('a')))).toBe('2')
    expect(plain(second.get(text('b')))).toBe('new')
    expect(third.get(text('a'))).toBeUndefined()
    const scanned = (store: TableStoreReader) => Array.from(store.scan(), ({ key }) => plain(key))
    expect([scanned(first), scanned(second), scanned(third)]).toEqual([['a'], ['a', 'b'], ['b']])
  })

  test('is the same object after a refresh when nothing was written', async () => {
    const directory = testDirectory('refresh')
    const level = await writer(directory)
    await level.put(text('a'), text('1'))
    const store = opened(openTableStore(directory))
    expect(store.refresh()).toBe(store)
    await level.put(text('a'), text('1'))
    expect(opened(store.refresh())).not.toBe(store)
  })

  test('goes on when logs become tables and tables become others', async () => {
    const directory = testDirectory('refresh')
    const level = await writer(directory)
    let store = opened(openTableStore(directory))
    for (let round = 0; round < 10; round++) {
      await fill(level, round * 400, 600)
      if (round === 6) await level.compactRange(text('a'), text('z'), { keyEncoding: 'view' })
      store = opened(store.refresh())
      const entries = Array.from(store.scan(), ({ key }) => plain(key))
      expect(entries).toHaveLength(round * 400 + 600)
      for (let i = 0; i < entries.length; i += 97) {
        expect(Buffer.compare(store.get(text(entries[i]!))!, filler(i))).toBe(0)
      }
    }
    expect(store.describe().tableFiles).toBeGreaterThan(1)
  })

  test('reads only what was appended', async () => {
    const directory = testDirectory('refresh')
    const level = await writer(directory)
    await fill(level, 0, 3_000)
    const first = opened(openTableStore(directory))
    await level.put(text('b'), text('new'))
    let second: TableStoreReader | undefined
    const bytes = countBytes(() => {
      second = first.refresh()
    })
    expect(plain(opened(second!).get(text('b')))).toBe('new')
    // The block of the log that the record is in, at most, and the next one.
    expect(bytes).toBeLessThanOrEqual(64 * 1024)
    // LevelDB may still be making tables.
    let settled = second!
    for (let next = settled.refresh(); next !== settled; next = settled.refresh()) settled = opened(next)
    // Nothing new: CURRENT at most, while the directory's time stamp is too young to be relied on.
    expect(countBytes(() => settled.refresh())).toBeLessThanOrEqual(32)
  })

  test('whose tables were compacted away says so, and a newer view has everything', async () => {
    const directory = testDirectory('refresh')
    const level = await writer(directory)
    await fill(level, 0, 4_000)
    const old = opened(openTableStore(directory))
    await level.compactRange(text('a'), text('z'), { keyEncoding: 'view' })
    await fill(level, 0, 4_000)
    await level.compactRange(text('a'), text('z'), { keyEncoding: 'view' })
    const unstable = expect.objectContaining({ name: 'GethReaderError', code: 'VIEW_UNSTABLE' })
    expect(() => [...old.scan()]).toThrow(unstable)
    expect(() => old.get(text('key-000000'))).toThrow(unstable)
    const newer = opened(old.refresh())
    expect([...newer.scan()]).toHaveLength(4_000)
  })

  test.runIf(process.platform === 'linux')(
    'leaves no deleted table open when it is closed, and until then reads those that it has opened',
    async () => {
      const directory = testDirectory('refresh')
      const level = await writer(directory)
      const fillTables = async () => {
        await fill(level, 0, 4_000)
        await level.compactRange(text('a'), text('z'), { keyEncoding: 'view' })
      }
      await fillTables()
      const old = openTableStore(directory)
      expect([...old.scan()]).toHaveLength(4_000)
      await fillTables()
      const newer = opened(old.refresh())
      expect([...newer.scan()]).toHaveLength(4_000)
      expect(deletedFiles(directory).length).toBeGreaterThan(0)
      expect([...old.scan()]).toHaveLength(4_000)
      expect(Buffer.compare(old.get(text('key-000000'))!, filler(0))).toBe(0)
      await old.close()
      expect(deletedFiles(directory)).toEqual([])
      expect(countBytes(() => newer.get(text('key-000000')))).toBeLessThanOrEqual(32 * 1024)
    },
  )

  test('can be taken again from its descriptor, also after newer ones', async () => {
    const directory = testDirectory('refresh')
    const level = await writer(directory)
    await level.put(text('a'), text('1'))
    const first = opened(openTableStore(directory))
    await level.put(text('a'), text('2'))
    const second = opened(first.refresh())
    const again = opened(openTableStoreView(structuredClone(first.descriptor)))
    expect(plain(again.get(text('a')))).toBe('1')
    expect(plain(opened(openTableStoreView(second.descriptor)).get(text('a')))).toBe('2')
    await first.close()
    await second.close()
    await again.close()
  })

  test('is gone for another thread when its log became a table', async () => {
    const directory = testDirectory('refresh')
    const level = await writer(directory)
    await level.put(text('a'), text('1'))
    const store = openTableStore(directory)
    const { descriptor } = store
    await store.close()
    await fill(level, 0, 2_000)
    expect(() => openTableStoreView(descriptor)).toThrow(
      expect.objectContaining({ name: 'GethReaderError', code: 'VIEW_UNSTABLE' }),
    )
  })

  test('is of the new store if the directory was made again', async () => {
    const directory = testDirectory('refresh')
    const before = await openWriter(directory)
    await before.put(text('a'), text('before'))
    await before.close()
    const old = opened(openTableStore(directory))
    for (const file of readdirSync(directory)) rmSync(join(directory, file))
    const level = await writer(directory)
    await level.put(text('a'), text('after'))
    const store = opened(old.refresh())
    expect(plain(store.get(text('a')))).toBe('after')
    expect(plain(old.get(text('a')))).toBe('before')
  })
})

describe('a view while Pebble writes', () => {
  test.each(['pebble-v1', 'pebble-v2', 'pebble-upgraded'])(
    'of %s follows the log record by record',
    (name) => {
      const { path, digest } = unpackStore(name, testDirectory('refresh'))
      const { logs } = withStore(path, (store) => store.descriptor)
      const file = `${String(logs.at(-1)!.number).padStart(6, '0')}.log`
      const whole = new Uint8Array(readFileSync(join(path, file)))
      const ends = [0]
      const window = { bytes: whole, base: 0, isLast: true, logNumber: logs.at(-1)!.number }
      readRecords(window, 0, (_, end) => ends.push(end))
      expect(ends.length).toBeGreaterThan(10)
      truncateSync(join(path, file))
      const entries: number[] = []
      let store = openTableStore(path)
      for (const end of ends.slice(1)) {
        // Half of the next record is there already: it is not shown before it is whole.
        writeFileSync(join(path, file), whole.subarray(0, Math.min(whole.length, end + 5)))
        const next = store.refresh()
        expect(next).not.toBe(store)
        void store.close()
        store = next
        entries.push(digestOf(store.scan()).entries)
      }
      expect(digestOf(store.scan())).toEqual(digest)
      expect(new Set(entries).size).toBeGreaterThan(1)
      void store.close()
    },
  )

  test('sees a recycled log although its length does not change', () => {
    const { path, digest } = unpackStore('pebble-v2', testDirectory('refresh'))
    const { logs } = withStore(path, (store) => store.descriptor)
    const { number, bytes } = logs.at(-1)!
    const file = join(path, `${String(number).padStart(6, '0')}.log`)
    const whole = new Uint8Array(readFileSync(file))
    expect(whole.length).toBeGreaterThan(bytes)
    // As it was before its last 500 bytes were written over the remains of the former log.
    const earlier = whole.slice()
    earlier.copyWithin(bytes - 500, bytes, bytes + 500)
    writeFileSync(file, earlier)
    const first = openTableStore(path)
    expect(first.descriptor.logs.at(-1)!.bytes).toBeLessThanOrEqual(bytes - 500)
    writeFileSync(file, whole)
    const second = first.refresh()
    expect(second.descriptor.logs.at(-1)!.bytes).toBe(bytes)
    expect(digestOf(second.scan())).toEqual(digest)
    void first.close()
    void second.close()
  })

  test('takes the MANIFEST of a newer marker', () => {
    const root = testDirectory('refresh')
    const { path, digest } = unpackStore('pebble-upgraded', root)
    const copy = join(root, 'copy')
    mkdirSync(copy)
    for (const file of readdirSync(path)) copyFileSync(join(path, file), join(copy, file))
    const manifest = withStore(copy, (store) => store.descriptor.manifest)
    const first = openTableStore(copy)
    const renamed = 'MANIFEST-000999'
    copyFileSync(join(copy, manifest), join(copy, renamed))
    writeFileSync(join(copy, `marker.manifest.000099.${renamed}`), '')
    rmSync(join(copy, manifest))
    const second = first.refresh()
    expect(second.descriptor.manifest).toBe(renamed)
    expect(digestOf(second.scan())).toEqual(digest)
    expect(digestOf(first.scan())).toEqual(digest)
    void first.close()
    void second.close()
  })
})

describe('a view of a directory with thousands of names', () => {
  /** Files that mean nothing, so many that the names are not read for each change. */
  function crowd(directory: string): void {
    for (let i = 0; i < 2_000; i++) writeFileSync(join(directory, `other-${i}`), '')
  }

  /** How often `work` reads the names of a directory. */
  function countListings(work: () => void): number {
    const { readdirSync } = fs
    let listings = 0
    fs.readdirSync = ((...parameters: Parameters<typeof readdirSync>) => {
      listings++
      return readdirSync(...parameters)
    }) as typeof readdirSync
    syncBuiltinESMExports()
    try {
      work()
    } finally {
      fs.readdirSync = readdirSync
      syncBuiltinESMExports()
    }
    return listings
  }

  test('follows new logs and tables without reading the names again', async () => {
    const directory = testDirectory('refresh')
    const level = await writer(directory)
    crowd(directory)
    let store = opened(openTableStore(directory))
    const numbers = new Set<number>()
    for (let round = 0; round < 10; round++) {
      await fill(level, round * 400, 600)
      if (round === 6) await level.compactRange(text('a'), text('z'), { keyEncoding: 'view' })
      let [before, after] = ['', '']
      do {
        before = readdirSync(directory).join()
        let next: TableStoreReader | undefined
        const listings = countListings(() => (next = store.refresh()))
        store = opened(next!)
        after = readdirSync(directory).join()
        // The writer compacts in the background, and may have deleted a table at the moment at which it was to be opened.
        if (before === after) expect(listings).toBe(0)
      } while (before !== after)
      expect([...store.scan()]).toHaveLength(round * 400 + 600)
      for (const { number } of store.descriptor.logs) numbers.add(number)
    }
    expect(numbers.size).toBeGreaterThan(2)
    expect(store.describe().tableFiles).toBeGreaterThan(1)
  })

  test('reads no names in another thread', async () => {
    const directory = testDirectory('refresh')
    const level = await writer(directory)
    await fill(level, 0, 600)
    await level.compactRange(text('a'), text('z'), { keyEncoding: 'view' })
    const { descriptor, description } = withStore(directory, (store) => ({
      descriptor: store.descriptor,
      description: store.describe(),
    }))
    const listings = countListings(() => {
      const other = opened(openTableStoreView(descriptor))
      expect([...other.scan()]).toHaveLength(600)
      expect(other.describe()).toEqual(description)
    })
    expect(listings).toBe(0)
  })

  /** A store whose only log has the entry `a`, and what a next log with the entry `b` would hold. */
  async function twoLogs() {
    const directory = testDirectory('refresh')
    const level = await openWriter(directory)
    await level.put(text('a'), text('1'))
    const { logs } = withStore(directory, (store) => store.descriptor)
    await level.put(text('b'), text('2'))
    await level.close()
    crowd(directory)
    const [{ number, bytes }] = logs as [(typeof logs)[number]]
    const logPath = (log: number) => join(directory, `${String(log).padStart(6, '0')}.log`)
    const next = new Uint8Array(readFileSync(logPath(number))).slice(bytes)
    truncateSync(logPath(number), bytes)
    return { directory, number, logPath, next }
  }

  test('finds a new log after numbers without a file', async () => {
    const { directory, number, logPath, next } = await twoLogs()
    const first = opened(openTableStore(directory))
    expect(first.has(text('b'))).toBe(false)
    writeFileSync(logPath(number + 9), next)
    expect(opened(first.refresh()).has(text('b'))).toBe(true)
  })

  test('finds a log by any number after a minute, and shows until then what was there before', async () => {
    const { directory, number, logPath, next } = await twoLogs()
    const first = opened(openTableStore(directory))
    writeFileSync(logPath(number + 9_999), next)
    expect(first.refresh()).toBe(first)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(opened(first.refresh()).has(text('b'))).toBe(true)
  })

  test('is of the new store if the directory was made again', async () => {
    const { directory } = await twoLogs()
    const old = opened(openTableStore(directory))
    for (const file of readdirSync(directory)) rmSync(join(directory, file))
    const level = await writer(directory)
    await level.put(text('a'), text('after'))
    expect(plain(opened(old.refresh()).get(text('a')))).toBe('after')
  })

  test.each(['pebble-v2', 'pebble-upgraded'])('of %s takes a newer MANIFEST', (name) => {
    const { path, digest } = unpackStore(name, testDirectory('refresh'))
    crowd(path)
    const first = opened(openTableStore(path))
    const { manifest } = first.descriptor
    const [marker] = readdirSync(path).filter((file) => file.startsWith('marker.manifest.'))
    copyFileSync(join(path, manifest), join(path, 'MANIFEST-000999'))
    writeFileSync(join(path, 'marker.manifest.000099.MANIFEST-000999'), '')
    rmSync(join(path, marker!))
    rmSync(join(path, manifest))
    const second = opened(first.refresh())
    expect(second.descriptor.manifest).toBe('MANIFEST-000999')
    expect(digestOf(second.scan())).toEqual(digest)
  })
})

function withStore<T>(path: string, use: (store: TableStoreReader) => T): T {
  const store = openTableStore(path)
  try {
    return use(store)
  } finally {
    void store.close()
  }
}
