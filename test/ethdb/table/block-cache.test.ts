// The memory of blocks, filled with one block of a file under many numbers.
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/bytes.js'
import { BlockCache } from '../../../src/ethdb/table/block-cache.js'
import { crc32c, maskCrc32c } from '../../../src/kernel/crc32c.js'
import { makeDirectory } from '../level-directory.js'

const mebibyte = 2 ** 20
/** One entry: key 61, number 1, and a value of 4,000 zeros; then its restart point. */
const entry = hexToBytes('0009a01f61' + '0101000000000000')
const block = Buffer.concat([entry, Buffer.alloc(4_000), hexToBytes('0000000001000000')])
const key = Uint8Array.of(0x61)

describe('the cache of blocks', () => {
  const directory = makeDirectory('block-cache')
  const path = join(directory, 'block')
  let file = { descriptor: -1, path, bytes: block.length + 5 }
  beforeAll(() => {
    // Codec 0 is none.
    const stored = Buffer.concat([block, Uint8Array.of(0)])
    const checksum = Buffer.alloc(4)
    checksum.writeUInt32LE(maskCrc32c(crc32c(stored)))
    writeFileSync(path, Buffer.concat([stored, checksum]))
    file = { ...file, descriptor: openSync(path, 'r') }
  })
  afterAll(() => {
    closeSync(file.descriptor)
    rmSync(directory, { recursive: true })
  })

  const makeOwner = (count: number) => ({
    slots: new Int32Array(count).fill(-1),
    offsetOf: () => 0,
    lengthOf: () => block.length,
  })
  const found = { sequence: 0, kind: 0, valueStart: 0, valueEnd: 0 }
  const read = (cache: BlockCache, owner: ReturnType<typeof makeOwner>, ordinal: number) => {
    cache.locate(file, owner, ordinal)
    expect(cache.find(key, found)).toBe(true)
    expect([found.sequence, found.valueEnd - found.valueStart]).toEqual([1, 4_000])
  }

  /** Reads each block twice, and another one between. */
  const readTwice = (cache: BlockCache, owner: ReturnType<typeof makeOwner>, from: number, to: number) => {
    read(cache, owner, from)
    for (let ordinal = from; ordinal + 1 < to; ordinal++) {
      read(cache, owner, ordinal + 1)
      read(cache, owner, ordinal)
    }
  }

  it('takes a block at its second read, unless no other was read between', () => {
    const cache = new BlockCache()
    cache.allow(8 * mebibyte)
    const owner = makeOwner(3)
    for (const ordinal of [0, 0, 0, 1, 2, 1, 1]) read(cache, owner, ordinal)
    expect([cache.hits, cache.misses]).toEqual([3, 4])
    expect(Array.from(owner.slots, (slot) => slot >= 0)).toEqual([false, true, false])
  })

  it('forgets a first read after two rounds', () => {
    const cache = new BlockCache()
    cache.allow(4 * mebibyte)
    const owner = makeOwner(5_000)
    read(cache, owner, 0)
    // A round is a thousand blocks.
    readTwice(cache, owner, 1, 5_000)
    read(cache, owner, 0)
    expect(owner.slots[0]).toBeLessThan(0)
    for (const ordinal of [1, 0]) read(cache, owner, ordinal)
    expect(owner.slots[0]).toBeGreaterThanOrEqual(0)
  })

  it('gives half of its memory up, and never less than an eighth of the budget', () => {
    const budget = 64 * mebibyte
    let cache = new BlockCache()
    cache.allow(budget)
    const owner = makeOwner(20_000)
    const fill = () => readTwice(cache, owner, 0, 20_000)
    fill()
    expect(cache.memoryBytes).toBeGreaterThan(0.95 * budget)
    const sizes: number[] = []
    for (let smaller = cache.halved(); smaller !== undefined; smaller = cache.halved()) {
      expect(owner.slots.every((slot) => slot < 0)).toBe(true)
      expect([smaller.hits, smaller.misses]).toEqual([cache.hits, cache.misses])
      cache = smaller
      fill()
      sizes.push(cache.memoryBytes / mebibyte)
    }
    expect(sizes.map(Math.round)).toEqual([32, 16, 9])
  })
})
