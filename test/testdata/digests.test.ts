import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openKeyValueStore } from '../../src/ethdb/open-key-value-store.js'
import { digestEntries, listFixtures, readDigest, unpackFixture } from '../fixtures.js'

const fixtures = listFixtures().filter(({ engine }) => engine === 'leveldb')

describe.each(fixtures)('key-value store of $name', ({ name }) => {
  test.each(['classic-level', 'leveldb'] as const)(
    '%s reads every key and value that geth reads',
    async (engine) => {
      await using fixture = await unpackFixture(name)
      const store = await openKeyValueStore(join(fixture.path, 'geth', 'chaindata'), { engine })
      try {
        const digest = readDigest(name)
        expect(digest.keys).toBe(fixture.meta.keys)
        expect(digestEntries(store.scan())).toEqual(digest)
      } finally {
        await store.close()
      }
    },
  )
})
