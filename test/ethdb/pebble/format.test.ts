// The worked example of src/ethdb/pebble/FORMAT.md, so that the document cannot drift from the code.
import { describe, expect, test } from 'vitest'
import { openTableStore } from '../../../src/ethdb/table-store.js'
import { writeExample } from '../format-example.js'
import { testDirectory } from '../level-directory.js'

const text = (value: string) => new TextEncoder().encode(value)
const plain = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('the worked example of the Pebble format', () => {
  test('reads as the store that Pebble had written', async () => {
    const directory = testDirectory('format')
    writeExample('src/ethdb/pebble/FORMAT.md', directory)
    const store = openTableStore(directory)
    expect(store.get(text('block'))).toBeUndefined()
    expect(store.get(text('blocks'))).toEqual(text('two'))
    expect(store.get(text('head'))).toEqual(text('seven'))
    const entries = Array.from(store.scan(), ({ key, value }) => [plain(key), plain(value)])
    expect(entries).toEqual([
      ['blocks', 'two'],
      ['head', 'seven'],
    ])
    expect(await store.verifyTables()).toEqual({ tables: 1, skipped: 0, blocks: 1, entries: 1, bytes: 784 })
    expect(store.describe()).toEqual({
      engine: 'pebble',
      formatVersion: 'Pebble 13',
      manifest: { name: 'MANIFEST-000001', bytes: 92 },
      levels: [{ level: 0, files: 1, bytes: 784 }],
      logs: [{ number: 4, bytes: 64, entries: 1 }],
      tableFiles: 1,
      tableBytes: 784,
      logBytes: 64,
      lastSequence: 13,
    })
    await store.close()
  })
})
