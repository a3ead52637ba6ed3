// The worked example of src/ethdb/leveldb/FORMAT.md, so that the document cannot drift from the code.
import { describe, expect, test } from 'vitest'
import { decodeLevelDbEdit } from '../../../src/ethdb/leveldb/manifest.js'
import { readRecords } from '../../../src/ethdb/table/chunk-reader.js'
import { openTableStore } from '../../../src/ethdb/table-store.js'
import { readExample, writeExample } from '../format-example.js'
import { testDirectory } from '../level-directory.js'

const document = 'src/ethdb/leveldb/FORMAT.md'
const text = (value: string) => new TextEncoder().encode(value)
const plain = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('the worked example of the LevelDB format', () => {
  test('reads as the store that goleveldb had written', async () => {
    const directory = testDirectory('format')
    writeExample(document, directory)
    const store = openTableStore(directory)
    expect(store.get(text('block'))).toBeUndefined()
    expect(store.get(text('blocks'))).toEqual(text('two'))
    expect(store.get(text('head'))).toEqual(text('seven'))
    const entries = Array.from(store.scan(), ({ key, value }) => [plain(key), plain(value)])
    expect(entries).toEqual([
      ['blocks', 'two'],
      ['head', 'seven'],
    ])
    expect(await store.verifyTables()).toEqual({ tables: 1, skipped: 0, blocks: 1, entries: 3, bytes: 203 })
    expect(store.describe()).toEqual({
      engine: 'leveldb',
      formatVersion: 'LevelDB 1',
      manifest: { name: 'MANIFEST-000004', bytes: 109 },
      levels: [{ level: 0, files: 1, bytes: 203 }],
      logs: [{ number: 3, bytes: 31, entries: 1 }],
      tableFiles: 1,
      tableBytes: 203,
      logBytes: 31,
      lastSequence: 5,
    })
    await store.close()
  })

  test('has the MANIFEST record that the document explains', () => {
    const bytes = readExample(document).get('MANIFEST-000004')!
    const records: Uint8Array[] = []
    const end = readRecords({ bytes, base: 0, isLast: true, logNumber: undefined }, 0, (record) => {
      records.push(record)
    })
    expect(end).toEqual({ offset: 109, more: false, damage: undefined })
    expect(records).toHaveLength(1)
    const edit = decodeLevelDbEdit(records[0]!)
    expect(edit).toMatchObject({
      comparator: 'leveldb.BytewiseComparator',
      logNumber: 3,
      nextFileNumber: 5,
      lastSequence: 4,
      removed: [],
    })
    expect(edit.added.map(({ level, file: { number, bytes: size } }) => [level, number, size])).toEqual([
      [0, 2, 203],
      [0, 2, 203],
    ])
  })
})
