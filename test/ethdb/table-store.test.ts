// The project's own reader against classic-level: the conformance suite, and every key and value of real directories.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { afterAll, describe, expect, test } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { openTableStore } from '../../src/ethdb/table-store.js'
import { listFixtures, unpackFixture } from '../fixtures.js'
import { describeConformance } from './conformance.js'
import { makeDirectory, removeDirectory, testDirectory, writeLevel } from './level-directory.js'

const directories: string[] = []
afterAll(() => directories.forEach(removeDirectory))

describeConformance('the own reader on LevelDB', async (pairs) => {
  const directory = makeDirectory('own-leveldb')
  directories.push(directory)
  await writeLevel(directory, pairs)
  return openTableStore(directory)
})

describe('LevelDB fixtures written by geth', () => {
  for (const { name, engine } of listFixtures().filter((fixture) => fixture.engine === 'leveldb')) {
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
      expect(store.describe()).toMatchObject({ engine })
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
          expect.unreachable(`get of ${bytesToHex(key)} differs`)
        entries++
      }
      expect(scan.next().done).toBe(true)
      expect(entries).toBeGreaterThan(1_000)
      await oracle.close()
      await store.close()
    })
  }
})
