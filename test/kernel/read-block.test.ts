// Blocks of tables by native code, with checksums made by the definition of CRC-32C.
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadNative } from '../../src/kernel/native/load-native.js'
import { makeDirectory } from '../ethdb/level-directory.js'
import { bitwiseCrc32c } from './bitwise-crc32c.js'
import { patternBytes } from './pattern-bytes.js'

const readBlock = loadNative()?.readBlock

/** Codec and checksum after each block. */
const trailerBytes = 5

/** The checksum rotated and with a constant, as leveldb's util/crc32c.h masks it. */
function maskedChecksum(bytes: Uint8Array): Uint8Array {
  const checksum = bitwiseCrc32c(bytes)
  const masked = (((checksum >>> 15) | (checksum << 17)) + 0xa282ead8) >>> 0
  return new Uint8Array(Uint32Array.of(masked).buffer)
}

/** Around the ends of words and of the three lanes of 256 bytes. */
const lengths = [0, 1, 6, 7, 8, 9, 15, 255, 766, 767, 768, 775, 1_000, 1_534, 1_535, 1_536, 4_096, 70_000]

describe.runIf(readBlock)('readBlock', () => {
  const directory = makeDirectory('read-block')
  const path = join(directory, 'blocks')
  const blocks = lengths.map((length, i) => patternBytes(length + 1, i + 1))
  const offsets = blocks.map((_, i) => blocks.slice(0, i).reduce((sum, { length }) => sum + length + 4, 0))
  let descriptor = -1
  beforeAll(() => {
    writeFileSync(path, Buffer.concat(blocks.flatMap((block) => [block, maskedChecksum(block)])))
    descriptor = openSync(path, 'r')
  })
  afterAll(() => {
    closeSync(descriptor)
    rmSync(directory, { recursive: true })
  })

  it('reads blocks of all lengths whose checksum matches, and writes nothing around them', () => {
    for (const [i, block] of blocks.entries()) {
      const memory = new Uint8Array(80_000).fill(0xaa)
      expect(readBlock!(memory, descriptor, offsets[i]!, lengths[i]!, 3), `${lengths[i]} bytes`).toBe(true)
      const end = 3 + block.length
      expect(Buffer.compare(memory.subarray(3, end), block)).toBe(0)
      expect(Buffer.compare(memory.subarray(end, end + 4), maskedChecksum(block))).toBe(0)
      expect([...memory.subarray(0, 3), memory[end + 4]]).toEqual([0xaa, 0xaa, 0xaa, 0xaa])
    }
  })

  it('refuses a block of which any byte differs', () => {
    const memory = new Uint8Array(8_192)
    for (const length of [9, 1_000]) {
      const bytes = Buffer.concat([patternBytes(length + 1), maskedChecksum(patternBytes(length + 1))])
      for (let at = 0; at < bytes.length; at += length === 9 ? 1 : 37) {
        const damaged = join(directory, 'damaged')
        bytes[at]! ^= 1
        writeFileSync(damaged, bytes)
        bytes[at]! ^= 1
        const file = openSync(damaged, 'r')
        expect(readBlock!(memory, file, 0, length, 0), `byte ${at}`).toBe(false)
        closeSync(file)
      }
    }
  })

  it('refuses what the file does not have, and what is no file', () => {
    const memory = new Uint8Array(80_000)
    const end = offsets.at(-1)! + lengths.at(-1)! + trailerBytes
    for (const offset of [end, end - 4, 2 ** 40, -1]) {
      expect(readBlock!(memory, descriptor, offset, 8, 0), `offset ${offset}`).toBe(false)
    }
    for (const none of [-1, 1_000_000]) expect(readBlock!(memory, none, 0, 8, 0)).toBe(false)
  })

  it('throws if the memory is too short', () => {
    const memory = new Uint8Array(20)
    const refused = [
      [16, 0],
      [8, 8],
      [8, 0xffffffff],
      [0xffffffff, 0],
    ] as const
    for (const [length, at] of refused) {
      expect(() => readBlock!(memory, descriptor, 0, length, at), `${length} ${at}`).toThrow(RangeError)
    }
    const other = new Uint16Array(20) as unknown as Uint8Array
    expect(() => readBlock!(other, descriptor, 0, 8, 0)).toThrow(RangeError)
  })
})
