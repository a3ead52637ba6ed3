// Index blocks, written here by the definition of goleveldb's leveldb/table/writer.go, with any restart interval.
import { describe, expect, it } from 'vitest'
import { compareBytes, concatBytes } from '../../../src/bytes.js'
import { MalformedBytes } from '../../../src/ethdb/table/byte-reader.js'
import { TableIndex } from '../../../src/ethdb/table/table-index.js'
import { Random } from '../../random.js'

interface Entry {
  readonly key: Uint8Array
  readonly offset: number
  readonly length: number
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  return Uint8Array.of(...bytes, rest)
}

function uint32(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer)
}

/** An index block whose internal keys end with `trailer`. */
function indexBlock(entries: readonly Entry[], restartInterval: number, trailer: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  const restarts: number[] = []
  let size = 0
  let previous: Uint8Array = new Uint8Array(0)
  for (const [i, { key, offset, length }] of entries.entries()) {
    const internal = concatBytes(key, trailer)
    let shared = 0
    if (i % restartInterval === 0) restarts.push(size)
    else
      while (shared < Math.min(previous.length, internal.length) && previous[shared] === internal[shared])
        shared++
    const handle = concatBytes(varint(offset), varint(length))
    const own = internal.subarray(shared)
    const entry = concatBytes(varint(shared), varint(own.length), varint(handle.length), own, handle)
    parts.push(entry)
    size += entry.length
    previous = internal
  }
  if (restarts.length === 0) restarts.push(0)
  return concatBytes(...parts, ...restarts.map(uint32), uint32(restarts.length))
}

const trailer = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0)

/** Entries with keys of up to so many bytes, which begin with the same bytes. */
function makeEntries(random: Random, count: number, keyBytes: number, gap: number): Entry[] {
  const start = random.bytes(random.uint32() % 7)
  const keys = Array.from({ length: count }, () =>
    // Few different bytes, so that keys share prefixes, and some the bytes of a trailer.
    concatBytes(
      start,
      random.bytes(random.uint32() % keyBytes).map((byte) => byte % 3),
    ),
  ).sort(compareBytes)
  let offset = random.uint32() % 1_000
  return keys.map((key) => {
    const length = 1 + (random.uint32() % 5_000)
    const entry = { key, offset, length }
    offset += length + 5 + gap
    return entry
  })
}

describe('an index', () => {
  it.each([
    { count: 0, keyBytes: 1, gap: 0 },
    { count: 1, keyBytes: 9, gap: 0 },
    { count: 500, keyBytes: 12, gap: 0 },
    { count: 300, keyBytes: 12, gap: 3 },
    { count: 1_500, keyBytes: 200, gap: 0 },
    { count: 1_500, keyBytes: 200, gap: 1 },
  ])('of $count blocks with keys of up to $keyBytes bytes has all of them', ({ count, keyBytes, gap }) => {
    const random = new Random(count + keyBytes + gap)
    for (const restartInterval of [1, 3, 16]) {
      const entries = makeEntries(random, count, keyBytes, gap)
      const index = new TableIndex(indexBlock(entries, restartInterval, trailer))
      expect(index.count).toBe(count)
      expect(index.slots).toEqual(new Int32Array(count).fill(-1))
      for (const [i, { key, offset, length }] of entries.entries()) {
        expect([index.offsetOf(i), index.lengthOf(i)]).toEqual([offset, length])
        expect(index.compare(i, key)).toBe(0)
      }
      const asked = [
        ...entries.slice(0, 200).map(({ key }) => key),
        ...makeEntries(random, 100, keyBytes + 2, 0).map(({ key }) => key),
      ]
      for (const key of asked) {
        const first = entries.findIndex((entry) => compareBytes(entry.key, key) >= 0)
        expect(index.find(key)).toBe(first < 0 ? count : first)
      }
    }
  })

  it('refuses entries that do not fit, and blocks beyond 4 GiB', () => {
    const entry = (...bytes: number[]) => concatBytes(Uint8Array.of(...bytes), uint32(0), uint32(1))
    const key = [...trailer]
    const malformed = {
      'a key that ends after the entries': entry(0, 9, 2, ...key, 1, 1),
      'a value that ends after the entries': entry(0, 8, 3, ...key, 1, 1),
      'a key that shares more than there was': entry(1, 8, 2, ...key, 1, 1),
      'a key without a trailer': entry(0, 7, 2, ...key.slice(1), 1, 1),
      'a length that does not end': entry(0, 8, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80),
      'a length without its last byte': entry(0, 8, 0x82),
      'a handle of one integer': entry(0, 8, 1, ...key, 1),
      'a handle whose integer does not end': entry(0, 8, 2, ...key, 1, 0x80),
      'a block beyond 4 GiB': entry(0, 8, 7, ...key, 0x80, 0x80, 0x80, 0x80, 0x10, 1, 1),
    }
    expect(new TableIndex(entry(0, 8, 2, ...key, 1, 1)).count).toBe(1)
    for (const [what, block] of Object.entries(malformed)) {
      expect(() => new TableIndex(block), what).toThrow(MalformedBytes)
    }
  })
})
