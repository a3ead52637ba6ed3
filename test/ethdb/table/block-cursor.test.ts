// Lookups in a block whose keys are told byte by byte, for the cases that geth's keys seldom make.
import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../src/bytes.js'
import {
  BlockCursor,
  findEntry,
  findInFirstBytes,
  restartCount,
} from '../../../src/ethdb/table/block-cursor.js'
import { DirectoryMemory, maxDirectoryBytes } from '../../../src/ethdb/table/block-directory.js'
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

type Found = { sequence: number; value: string } | undefined

/** What a walk of the block finds; its directory, where it gets one, must find the same. */
function find(bytes: Uint8Array, key: string): Found {
  // In the middle of other bytes, as in the block cache.
  const [start, end] = [7, 7 + bytes.length]
  const directory = Math.ceil(end / 4) * 4
  const around = new Uint8Array(directory + Math.ceil(maxDirectoryBytes / 4) * 4).fill(0xaa)
  around.set(bytes, start)
  const found = { sequence: 0, kind: 0, valueStart: 0, valueEnd: 0 }
  const outcome = (isFound: boolean): Found => {
    if (!isFound) return undefined
    const value = Buffer.from(around.subarray(found.valueStart, found.valueEnd)).toString('hex')
    return { sequence: found.sequence, value }
  }
  const walked = outcome(findEntry(around, start, end, hexToBytes(key), found))
  const memory = new DirectoryMemory(around)
  if (memory.write(start, end, directory) > 0) {
    expect(outcome(memory.find(start, end, directory, hexToBytes(key), found)), key).toEqual(walked)
  }
  return walked
}

describe('a block whose trailers look like keys', () => {
  // 61, number 5; then 61 01 05, number 7, which shares the kind and number of the first as if they were key.
  const bytes = block(
    ['00 09 01  61 01 05 00 00 00 00 00 00  aa', '03 08 01  01 07 00 00 00 00 00 00  bb'],
    [0],
  )

  test('has its keys and not the bytes between them', () => {
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

  test('gives the same from its first bytes, or nothing if only the rest shows it', () => {
    const entriesEnd = bytes.length - 12
    const found = { sequence: 0, kind: 0, valueStart: 0, valueEnd: 0 }
    for (const key of ['6161', '6162', '616263', '616262', '60']) {
      const whole = find(bytes, key)
      const outcomes = Array.from({ length: entriesEnd + 1 }, (_, end) => {
        const first = bytes.subarray(0, end)
        const isFound = findInFirstBytes(first, hexToBytes(key), found)
        if (isFound !== true) return isFound
        const value = Buffer.from(first.subarray(found.valueStart, found.valueEnd)).toString('hex')
        return { sequence: found.sequence, value }
      })
      const known = outcomes.findIndex((outcome) => outcome !== undefined)
      expect(known, key).toBeGreaterThan(10)
      for (const outcome of outcomes.slice(known)) expect(outcome, key).toEqual(whole ?? false)
    }
    expect(findInFirstBytes(bytes.subarray(0, entriesEnd), hexToBytes('6163'), found)).toBeUndefined()
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

describe('a block whose directory', () => {
  const directoryBytes = (bytes: Uint8Array) => {
    const directory = Math.ceil(bytes.length / 4) * 4
    const memory = new Uint8Array(directory + Math.ceil(maxDirectoryBytes / 4) * 4)
    memory.set(bytes)
    return new DirectoryMemory(memory).write(0, bytes.length, directory)
  }
  const trailer = '01 05 00 00 00 00 00 00'

  test('that holds four bytes of each key distinguishes keys by later bytes', () => {
    // 6161616161, 616161616162, 6161616163 and 6162: those of one length differ in the fifth byte only.
    const bytes = block(
      [
        `00 0d 01  61 61 61 61 61 ${trailer}  01`,
        `05 09 01  62 ${trailer}  02`,
        `04 09 01  63 ${trailer}  03`,
        `01 09 81 01  62 ${trailer} ${'04'.repeat(129)}`,
      ],
      [0],
    )
    expect(directoryBytes(bytes)).toBe(4 + 4 * 6)
    expect(find(bytes, '6161616161')?.value).toBe('01')
    expect(find(bytes, '616161616162')?.value).toBe('02')
    expect(find(bytes, '6161616163')?.value).toBe('03')
    expect(find(bytes, '6162')?.value).toBe('04'.repeat(129))
    for (const key of ['', '61', '6161', '6161616162', '61616161', '616161616161', '6163', '616200'])
      expect(find(bytes, key), key).toBeUndefined()
  })

  test('would be long, or whose entries cannot be read, gets none', () => {
    const many = Array.from({ length: 49 }, (_, i) => `00 09 00 ${(i + 16).toString(16)} ${trailer}`)
    expect(directoryBytes(block(many.slice(1), [0]))).toBe(4 + 48 * 6)
    expect(directoryBytes(block(many, [0]))).toBe(0)
    expect(directoryBytes(block([`00 09 7f  61 ${trailer}`], [0]))).toBe(0)
    expect(directoryBytes(block([`00 09 ${'ff'.repeat(9)}`], [0]))).toBe(0)
    expect(directoryBytes(block(['00 03 00  61 01 05'], [0]))).toBe(0)
    expect(directoryBytes(block([], [0].slice(1)))).toBe(0)
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
