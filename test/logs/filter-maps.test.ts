import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { ScratchMemory } from '../../src/kernel/scratch-memory.js'
import {
  baseRowOf,
  decodeBaseRows,
  decodeEntries,
  logValueHash,
  mapRowIndex,
  maxRowLength,
  rowIndex,
} from '../../src/logs/filter-maps.js'
import { filterMapBaseRowsKey, filterMapRowKey } from '../../src/rawdb/schema.js'

/** Worked out by the rules of go-ethereum for this token, map and position; see FORMAT.md. */
const token = hexToBytes('0xdac17f958d2ee523a2206206994597c13d831ec7')
const map = 300_000
const position = 21_273_505_141
const column = 0xed7585

describe('filter maps', () => {
  it('hash an address as sha256', () => {
    expect(bytesToHex(logValueHash(token))).toBe(
      '0x5f8df5aa1aba8172e42d2b4f7f5ef2bc2c2143348a8d8677aefeef1a29c0e097',
    )
  })

  it('spread a value over rows by map and layer', () => {
    const rows = [0, 1, 2, 3].map((layer) => rowIndex(map, layer, logValueHash(token)))
    expect(rows).toEqual([29229, 27100, 62149, 34769])
    expect(rowIndex(map - (map % 1024) + 1023, 0, logValueHash(token))).toBe(29229)
  })

  it('fill rows up to a length that grows with the layer', () => {
    expect([0, 1, 2, 3, 4].map(maxRowLength)).toEqual([8, 128, 2048, 8192, 8192])
  })

  it('store a row under a number past 2^32', () => {
    expect(mapRowIndex(map, 29229)).toBe(19_625_719_776)
    expect(bytesToHex(filterMapRowKey(19_625_719_776))).toBe('0x666d2d720000000491c8b7e0')
    expect(bytesToHex(filterMapBaseRowsKey(19_625_719_776))).toBe('0x666d2d720000000491c8b7e000')
  })

  it('recognise an entry of a value by its column, and no other', () => {
    const memory = new ScratchMemory()
    const value = memory.allocateCopy(logValueHash(token)).at
    const firstMap = Math.floor(position / 65_536)
    // The example's entry, one with another hash, one at another position.
    const entries = memory.allocateWords(Uint32Array.of(column ^ 1, column, column + 0x100))
    expect(column >> 8).toBe(position % 65_536)
    const { matchLogValues } = memory.functions
    expect(matchLogValues(entries, 3, firstMap, value)).toBe(1)
    expect([...memory.words({ at: entries, length: 1 })]).toEqual([position % 65_536])
    // The place of a map in its group stands above the column.
    const inGroup = memory.allocateWords(Uint32Array.of(5 * 2 ** 24 + column))
    expect(matchLogValues(inGroup, 1, firstMap - 5, value)).toBe(1)
    expect([...memory.words({ at: inGroup, length: 1 })]).toEqual([5 * 65_536 + (position % 65_536)])
  })
})

const rowsOf = (record: string) => {
  const rows = decodeBaseRows(hexToBytes(record))
  return Array.from({ length: 32 }, (_, map) => baseRowOf(rows, map))
}
const empty = (count: number) => Array.from({ length: count }, () => [])

describe('decodeBaseRows', () => {
  it('gives the rows of the worked example', () => {
    expect(rowsOf('0x19010000030201040000')).toEqual([[1], [], [0x010203, 4], ...empty(29)])
  })

  it('gives no rows for no record, and rows that need two header bytes', () => {
    expect(rowsOf('0x')).toEqual(empty(32))
    const entry = '010000'
    expect(rowsOf(`0x0001${entry}`)).toEqual([...empty(8), [1], ...empty(23)])
    expect(rowsOf(`0xff01${entry.repeat(9)}`)).toEqual([new Array(9).fill(1), ...empty(31)])
  })

  it.each(['0x01', '0x0101', '0x03010000', `0x${'00'.repeat(4)}01010000`])(
    'throws RangeError for %s',
    (record) => {
      expect(() => decodeBaseRows(hexToBytes(record))).toThrow(RangeError)
    },
  )
})

describe('decodeEntries', () => {
  it('reads three bytes an entry, the least significant first', () => {
    expect(decodeEntries(hexToBytes('0x030201ffffff'))).toEqual([0x010203, 0xffffff])
  })

  it('throws RangeError if the last entry is cut', () => {
    expect(() => decodeEntries(hexToBytes('0x0302'))).toThrow(RangeError)
  })
})
