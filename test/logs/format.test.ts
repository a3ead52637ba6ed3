// The worked examples of src/logs/FORMAT.md are what geth wrote and what scans give.
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { locateDatadir } from '../../src/datadir/locate.js'
import { ScratchMemory } from '../../src/kernel/scratch-memory.js'
import { decodeBitVector, hasBlock } from '../../src/logs/bloom-bits.js'
import {
  baseRowOf,
  decodeBaseRows,
  logValueHash,
  mapRowIndex,
  rowIndex,
  valuesPerMap,
} from '../../src/logs/filter-maps.js'
import { scanRange } from '../../src/logs/scan-range.js'
import { readCanonicalHash } from '../../src/rawdb/canonical.js'
import { readFilterMapsRange } from '../../src/rawdb/markers.js'
import {
  bloomBitsKey,
  filterMapBaseRowsKey,
  filterMapBlockPointerKey,
  singleKeys,
} from '../../src/rawdb/schema.js'
import { openView } from '../../src/view/view.js'
import { readExample } from '../ethdb/format-example.js'
import { unpackFixture } from '../fixtures.js'

const example = readExample('src/logs/FORMAT.md')
const address = hexToBytes('0xf9d5d84319202d23ef0793b2553847ce33a942f6')
const hex = (bytes: Uint8Array | undefined) => bytes && bytesToHex(bytes)

describe('the worked examples of FORMAT.md decode as they say', () => {
  it('filter maps', async () => {
    await using fixture = await unpackFixture('logs-1.17.5-leveldb-index-complete')
    const view = await openView(locateDatadir(fixture.path), {})
    try {
      const { db } = view
      const row = rowIndex(0, 0, logValueHash(address))
      const keys = {
        'range.rlp': singleKeys.filterMapsRange,
        'pointer38.value': filterMapBlockPointerKey(38),
        'pointer39.value': filterMapBlockPointerKey(39),
        'base-rows.value': filterMapBaseRowsKey(mapRowIndex(0, row)),
      }
      for (const [name, key] of Object.entries(keys)) {
        expect(hex(db.kv.get(key)), name).toBe(hex(example.get(name)))
      }
      expect(readFilterMapsRange(db)).toEqual({
        version: 2,
        headIndexed: true,
        headDelimiter: 0x267ac,
        blocksFirst: 0,
        blocksAfterLast: 81,
        mapsFirst: 0,
        mapsAfterLast: 3,
        tailPartialEpoch: 0,
      })
    } finally {
      await view.close()
    }
    const decoded = decodeBaseRows(example.get('base-rows.value')!)
    const rows = [0, 1, 2].map((map) => baseRowOf(decoded, map))
    expect(rows.map(({ length }) => length)).toEqual([0, 4, 5])
    expect(decoded.entries.length).toBe(9)
    const position = Number(hex(example.get('pointer38.value')))
    expect(position).toBe(valuesPerMap + (rows[1]![0]! >> 8))
    const memory = new ScratchMemory()
    const value = memory.allocateCopy(logValueHash(address)).at
    for (const [map, entries] of rows.entries()) {
      const at = memory.allocateWords(Uint32Array.from(entries))
      const { matchLogValues } = memory.functions
      expect(matchLogValues(at, entries.length, map, value), `map ${map}`).toBe(entries.length)
    }
  })

  it('bloom bits', async () => {
    const stored = example.get('bit-vector.value')!
    await using fixture = await unpackFixture('long-1.13.15-leveldb-bloombits')
    const view = await openView(locateDatadir(fixture.path), {})
    try {
      const head = readCanonicalHash(view.db, 4_095)!
      expect(hex(view.db.kv.get(bloomBitsKey(807, 0, head)))).toBe(hex(stored))
    } finally {
      await view.close()
    }
    const vector = decodeBitVector(stored)
    const blocks = Array.from({ length: 4_096 }, (_, block) => block).filter((block) =>
      hasBlock(vector, block),
    )
    expect(blocks).toEqual(Array.from({ length: 42 }, (_, i) => 97 * (i + 1)))
  })

  it('log columns', async () => {
    await using fixture = await unpackFixture('logs-1.17.5-leveldb-index-complete')
    const view = await openView(locateDatadir(fixture.path), {})
    try {
      const columnsOf = (block: number) =>
        scanRange(view.db, {
          filter: { addresses: [address], topics: [] },
          source: 'headerBlooms',
          from: block,
          to: block,
          form: 'columns',
          order: 'ascending',
          limit: 9,
          maxBytes: 1e6,
          maxWork: 1e9,
        }).columns
      const bytesOf = ({ buffer }: { readonly buffer: ArrayBufferLike }) => new Uint8Array(buffer)
      const parts = [columnsOf(38), columnsOf(55)]
      const joined = (pick: (columns: (typeof parts)[0]) => { readonly buffer: ArrayBufferLike }) =>
        bytesToHex(Buffer.concat(parts.map((columns) => bytesOf(pick(columns)))))
      expect(joined(({ blockNumber }) => blockNumber)).toBe(hex(example.get('blockNumber.column')))
      expect(joined(({ topicCount }) => topicCount)).toBe(hex(example.get('topicCount.column')))
      expect(joined(({ topics }) => topics[2])).toBe(hex(example.get('topic2.column')))
      expect(joined(({ data }) => data)).toBe(hex(example.get('data.column')))
      const { buffer, byteOffset, length } = Uint8Array.from(example.get('dataOffset.column')!)
      const offsets = new Uint32Array(buffer, byteOffset, length / 4)
      expect([...offsets]).toEqual([0, parts[0]!.data.length, parts[0]!.data.length + parts[1]!.data.length])
      expect([...parts[0]!.dataOffset]).toEqual([...offsets.subarray(0, 2)])
    } finally {
      await view.close()
    }
  })
})
