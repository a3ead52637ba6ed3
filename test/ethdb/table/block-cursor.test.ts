// Lookups in a block whose keys are told byte by byte, for the cases that geth's keys seldom make.
import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../src/bytes.js'
import { BlockCursor, findEntry, restartCount } from '../../../src/ethdb/table/block-cursor.js'
import { MalformedBytes } from '../../../src/ethdb/table/byte-reader.js'

/** A block of entries given as hex, with restart points at the given ones; checked by eye against FORMAT.md. */
function block(entries: readonly string[], restarts: readonly number[]): Uint8Array {
  const parts = entries.map((entry) => hexToBytes(entry.replaceAll(' ', '')))
  const offsets = parts.map((_, i) => parts.slice(0, i).reduce((sum, { length }) => sum + length, 0))
  const tail = new DataView(new ArrayBuffer(4 * restarts.length + 4))
  restarts.forEach((entry, i) => {
    tail.setUint32(4 * i, offsets[entry]!, true)
  })
  tail.setUint32(4 * restarts.length, restarts.length, true)
  return new Uint8Array(Buffer.concat([...parts, new Uint8Array(tail.buffer)]))
}

function find(bytes: Uint8Array, key: string): { sequence: number; value: string } | undefined {
  const found = { sequence: 0, kind: 0, valueStart: 0, valueEnd: 0 }
  // In the middle of other bytes, as in the block cache.
  const around = new Uint8Array(bytes.length + 20).fill(0xaa)
  around.set(bytes, 7)
  if (!findEntry(around, 7, 7 + bytes.length, hexToBytes(key), found)) return undefined
  const value = Buffer.from(around.subarray(found.valueStart, found.valueEnd)).toString('hex')
  return { sequence: found.sequence, value }
}

describe('a block whose trailers look like keys', () => {
  // 61, number 5; then 61 01 05, number 7, which shares the kind and number of the first as if they were key.
  const bytes = block(
    ['00 09 01  61 01 05 00 00 00 00 00 00  aa', '03 08 01  01 07 00 00 00 00 00 00  bb'],
    [0],
  )

  test('has its keys and not what lies between them', () => {
    expect(find(bytes, '61')).toEqual({ sequence: 5, value: 'aa' })
    expect(find(bytes, '610105')).toEqual({ sequence: 7, value: 'bb' })
    for (const key of ['', '60', '6101', '61010500', '610106', '62'])
      expect(find(bytes, key), key).toBeUndefined()
  })
})

describe('a block with several versions of a key and several restart points', () => {
  const bytes = block(
    [
      '00 0a 01  61 61 01 09 00 00 00 00 00 00  01', // 6161, number 9
      '03 07 01  08 00 00 00 00 00 00  02', // the same, number 8
      '01 09 00  62 00 05 00 00 00 00 00 00', // 6162, number 5, deleted
      '00 0a 02  61 62 01 04 00 00 00 00 00 00  03 03', // the same, number 4, after a restart point
      `02 09 80 01  63 01 03 00 00 00 00 00 00${' 04'.repeat(128)}`, // 616263, a value of 128 bytes
    ],
    [0, 3],
  )

  test('gives the newest of each', () => {
    expect(find(bytes, '6161')).toEqual({ sequence: 9, value: '01' })
    expect(find(bytes, '6162')).toEqual({ sequence: 5, value: '' })
    expect(find(bytes, '616263')).toEqual({ sequence: 3, value: '04'.repeat(128) })
    expect(find(bytes, '616262')).toBeUndefined()
  })

  test('is walked in order, from any key', () => {
    const cursor = new BlockCursor(bytes)
    const rest = () => {
      const sequences: number[] = []
      do sequences.push(cursor.sequence)
      while (cursor.next())
      return sequences
    }
    expect(cursor.next()).toBe(true)
    expect(rest()).toEqual([9, 8, 5, 4, 3])
    cursor.reset(bytes)
    expect(cursor.seek(hexToBytes('6162'))).toBe(true)
    expect(rest()).toEqual([5, 4, 3])
    cursor.reset(bytes)
    expect(cursor.seek(hexToBytes('6163'))).toBe(false)
  })
})

describe('a malformed block', () => {
  const malformed = (work: () => unknown) => expect(work).toThrow(MalformedBytes)

  test('has too little room for its restart points', () => {
    malformed(() => restartCount(new Uint8Array(4), 0, 4))
    malformed(() => restartCount(new Uint8Array(8), 0, 8))
    malformed(() => restartCount(hexToBytes('0000000005000000'), 0, 8))
  })

  test('has entries that reach past its end, share too much or are too short', () => {
    for (const entry of ['00 09 7f  61 01 05 00 00 00 00 00 00', '01 09 00  61 01 05 00 00 00 00 00 00']) {
      malformed(() => new BlockCursor(block([entry], [0])).next())
    }
    malformed(() => find(block(['00 03 00  61 01 05'], [0]), '61'))
    malformed(() => find(block(['00 09 7f  61 01 05 00 00 00 00 00 00'], [0]), '61'))
    malformed(() => new BlockCursor(block(['80 80 80 80 80 80 80'], [0])).next())
  })

  test('has restart points that are none', () => {
    const bytes = block(
      ['00 09 00  61 01 05 00 00 00 00 00 00', '00 09 00  62 01 05 00 00 00 00 00 00'],
      [0, 1],
    )
    new DataView(bytes.buffer).setUint32(24, 13, true) // Between its two entries' beginnings.
    bytes[bytes.length - 8] = 255
    malformed(() => find(bytes, '62'))
  })
})
