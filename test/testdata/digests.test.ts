import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openKeyValueStore } from '../../src/ethdb/open-key-value-store.js'
import { digestEntries, listFixtures, readDigest, unpackFixture } from '../fixtures.js'
import { sample } from '../full-form.js'

const readers = { leveldb: ['classic-level', 'leveldb'], pebble: ['pebble'] } as const

describe.each(sample(listFixtures(), 8))('key-value store of $name', ({ name, engine }) => {
  test.each(readers[engine])('%s reads every key and value that geth reads', async (reader) => {
    await using fixture = await unpackFixture(name)
    const store = await openKeyValueStore(join(fixture.path, 'geth', 'chaindata'), { engine: reader })
    try {
      const digest = readDigest(name)
      expect(digest.keys).toBe(fixture.meta.keys)
      expect(digestEntries(store.scan())).toEqual(digest)
    } finally {
      await store.close()
    }
  })
})
