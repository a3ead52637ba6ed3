// The project's own reader: the conformance suite, and every key and value of directories that geth, goleveldb and Pebble
// wrote, against classic-level or against what the engine itself read in them.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { afterAll, describe, expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { openTableStore } from '../../src/ethdb/table-store.js'
import { digestEntries, listFixtures, readDigest, unpackFixture } from '../fixtures.js'
import { sample } from '../full-form.js'
import { describeConformance, type Pair } from './conformance.js'
import { makeDirectory, removeDirectory, testDirectory, writeLevel } from './level-directory.js'
import { digestOf, listStores, unpackStore } from './stores.js'

const directories: string[] = []
afterAll(() => directories.forEach(removeDirectory))

/** A directory that is removed after all tests. */
function lastingDirectory(label: string): string {
  const directory = makeDirectory(label)
  directories.push(directory)
  return directory
}

describeConformance('the own reader on LevelDB', async (pairs) => {
  const directory = lastingDirectory('own-leveldb')
  await writeLevel(directory, pairs)
  return openTableStore(directory)
})

for (const version of ['v1', 'v2']) {
  describeConformance(`the own reader on Pebble ${version}`, async (pairs) => {
    return openTableStore(pebbleStoreOf(pairs, version))
  })
}

/** The store in which Pebble wrote exactly these pairs. */
function pebbleStoreOf(pairs: readonly Pair[], version: string): string {
  const set = ['none', 'one', 'two'][pairs.length] ?? 'all'
  const { path, digest } = unpackStore(`conformance-${set}-${version}`, lastingDirectory('own-pebble'))
  if (digest!.entries !== pairs.length)
    throw new Error(`make the stores anew: ${pairs.length} pairs are wanted`)
  return path
}

const foreign = new Set(['pebble-columnar', 'pebble-flushable-ingest', 'pebble-virtual', 'pebble-zstd'])

describe('stores that the engines wrote', () => {
  for (const name of listStores().filter((store) => !foreign.has(store))) {
    test(`${name} reads as its engine reads it`, async () => {
      const { path, digest, absent } = unpackStore(name, testDirectory('store'))
      const store = openTableStore(path)
      expect(digestOf(store.scan())).toEqual(digest)
      for (const { key, value } of store.scan()) {
        const found = store.get(key)
        if (found === undefined || Buffer.compare(found, value) !== 0)
          expect.unreachable(`get of ${bytesToHex(key)}`)
      }
      for (const key of absent) expect(store.get(hexToBytes(key)), key).toBeUndefined()
      const { tables, skipped } = await store.verifyTables()
      expect({ tables, skipped }).toEqual({ tables: store.describe().tableFiles, skipped: 0 })
      await store.close()
    })
  }

  for (const name of foreign) {
    test(`${name}, of a format that geth does not write, is refused`, async () => {
      const { path } = unpackStore(name, testDirectory('store'))
      const read = () => {
        const store = openTableStore(path)
        try {
          return digestOf(store.scan())
        } finally {
          void store.close()
        }
      }
      expect(read).toThrow(expect.objectContaining({ name: 'GethReaderError', code: 'UNSUPPORTED_FORMAT' }))
    })
  }
})

describe('fixtures written by geth', () => {
  const fixtures = listFixtures()

  for (const { name } of sample(
    fixtures.filter(({ engine }) => engine === 'leveldb'),
    6,
  )) {
    test(`every key and value of ${name} is the one that classic-level reads`, async () => {
      await using fixture = await unpackFixture(name)
      const directory = join(fixture.path, 'geth', 'chaindata')
      // classic-level writes into what it opens: it gets a copy of its own.
      const copy = testDirectory('oracle')
      cpSync(directory, copy, { recursive: true, filter: (path) => !path.endsWith('ancient') })
      const oracle = new ClassicLevel<Uint8Array, Uint8Array>(copy, {
        keyEncoding: 'view',
        valueEncoding: 'view',
      })
      await oracle.open()
      const store = openTableStore(directory)
      const scan = store.scan()
      let entries = 0
      for await (const [key, value] of oracle.iterator()) {
        const next = scan.next()
        const isSame =
          next.done !== true &&
          Buffer.compare(next.value.key, key) === 0 &&
          Buffer.compare(next.value.value, value) === 0
        if (!isSame) expect.unreachable(`entry ${entries}, ${bytesToHex(key)}, differs`)
        const found = store.get(key)
        if (found === undefined || Buffer.compare(found, value) !== 0)
          expect.unreachable(`get of ${bytesToHex(key)}`)
        entries++
      }
      expect(scan.next().done).toBe(true)
      expect(entries).toBeGreaterThan(1_000)
      await oracle.close()
      await store.close()
    })
  }

  for (const { name } of sample(
    fixtures.filter(({ engine }) => engine === 'pebble'),
    3,
  )) {
    test(`every key and value of ${name} is the one that Pebble reads`, async () => {
      await using fixture = await unpackFixture(name)
      const store = openTableStore(join(fixture.path, 'geth', 'chaindata'))
      expect(digestEntries(store.scan())).toEqual(readDigest(name))
      for (const { key, value } of store.scan()) {
        const found = store.get(key)
        if (found === undefined || Buffer.compare(found, value) !== 0)
          expect.unreachable(`get of ${bytesToHex(key)}`)
      }
      await store.close()
    })
  }
})
