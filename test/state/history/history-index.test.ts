import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes, hexToBytes, uint32Bytes, uint64Bytes } from '../../../src/bytes.js'
import { findIdAfter, findIndexBlock } from '../../../src/state/history/history-index.js'

/** Base-128 integer as Go's binary.PutUvarint writes it. */
function uvarint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Uint8Array.from([...bytes, rest])
}

/** A block as blockWriter in triedb/pathdb/history_index_block.go writes it, with chunks of `size` ids. */
function encodeBlock(ids: readonly number[], size: number): Uint8Array {
  const parts: Uint8Array[] = []
  const restarts: number[] = []
  let length = 0
  ids.forEach((id, i) => {
    const isFirst = i % size === 0
    if (isFirst) restarts.push(length)
    const part = uvarint(isFirst ? id : id - ids[i - 1]!)
    parts.push(part)
    length += part.length
  })
  const tail = restarts.map((start) => Uint8Array.of(start >> 8, start & 0xff))
  return concatBytes(...parts, ...tail, Uint8Array.of(restarts.length))
}

describe('an index block', () => {
  // Ids 1000, 1003 and 5000, from geth-disk-format.md.
  const example = hexToBytes('e807039d1f000001')

  it.each([
    [0, 1000],
    [999, 1000],
    [1000, 1003],
    [1002, 1003],
    [1003, 5000],
    [4999, 5000],
  ])('has after id %i the id %i', (id, next) => {
    expect(findIdAfter(example, id)).toBe(next)
  })

  it('gives the first id above any, over all its chunks', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 40 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(ids, fc.integer({ min: 1, max: 20 }), (unsorted, size) => {
        const sorted = [...unsorted].sort((a, b) => a - b)
        const block = encodeBlock(sorted, size)
        for (const [i, id] of sorted.entries()) {
          expect(findIdAfter(block, id - 1)).toBe(id)
          if (i > 0) expect(findIdAfter(block, sorted[i - 1]!)).toBe(id)
        }
        expect(() => findIdAfter(block, sorted.at(-1)!)).toThrow(RangeError)
      }),
      { seed: 8, numRuns: 200 },
    )
  })

  it.each([
    ['no bytes', ''],
    ['no chunk', '00'],
    ['fewer bytes than its chunks need', '000002'],
    ['an integer that does not end', 'ff000001'],
    ['chunks out of order', '0101000100000203'.slice(0, -2)],
  ])('of %s is refused', (_name, hex) => {
    expect(() => findIdAfter(hexToBytes(hex), 7)).toThrow(RangeError)
  })
})

describe('the descriptors of an index', () => {
  const descriptor = (max: number, block: number) =>
    concatBytes(uint64Bytes(max), Uint8Array.of(0, 3), uint32Bytes(block))
  const descriptors = concatBytes(descriptor(5000, 4), descriptor(9000, 5), descriptor(9001, 6))

  it('lead to the block with the first id above any', () => {
    expect(findIndexBlock(descriptors, 0)).toBe(4)
    expect(findIndexBlock(descriptors, 4999)).toBe(4)
    expect(findIndexBlock(descriptors, 5000)).toBe(5)
    expect(findIndexBlock(descriptors, 9000)).toBe(6)
    expect(findIndexBlock(descriptors, 9001)).toBeUndefined()
    expect(findIndexBlock(hexToBytes('0000000000001388000300000000'), 1)).toBe(0)
  })

  it('of another length are refused', () => {
    expect(() => findIndexBlock(descriptors.subarray(1), 0)).toThrow('expected whole descriptors of 14 bytes')
  })
})
