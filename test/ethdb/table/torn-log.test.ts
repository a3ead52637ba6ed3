// What a crash leaves at the end of a log, told from damage, on a log by a real LevelDB.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { logBlockBytes, readRecords } from '../../../src/ethdb/table/chunk-reader.js'
import { isFull } from '../../full-form.js'
import { makeDirectory, openWriter, removeDirectory } from '../level-directory.js'

interface Scan {
  /** Length of each record, and where it ends in the log. */
  readonly lengths: number[]
  readonly ends: number[]
  /** End of the last whole record. */
  readonly offset: number
  readonly damage: { readonly offset: number } | undefined
}

function scan(bytes: Uint8Array): Scan {
  const lengths: number[] = []
  const ends: number[] = []
  const window = { bytes, base: 0, isLast: true, logNumber: undefined }
  const { offset, damage } = readRecords(window, 0, (record, end) => {
    lengths.push(record.length)
    ends.push(end)
  })
  return { lengths, ends, offset, damage }
}

// A batch is 12 bytes, then for a put 1 for the kind, the key and the value with their lengths.
const valueLengths = [10, 20_000, 100_000, 0, 12_000, 50_000, 7]
const recordLengths = valueLengths.map((length) => 12 + 1 + 1 + 1 + varintLength(length) + length)

function varintLength(value: number): number {
  return value < 128 ? 1 : value < 16_384 ? 2 : 3
}

/** The write-ahead log of one put per length, by classic-level. */
async function writeLog(lengths: readonly number[]): Promise<Uint8Array> {
  const directory = makeDirectory('log')
  try {
    const level = await openWriter(directory)
    for (const [i, length] of lengths.entries()) {
      await level.put(Uint8Array.of(i), new Uint8Array(length).fill(i + 1))
    }
    await level.close()
    const name = readdirSync(directory).find((name) => name.endsWith('.log'))!
    return new Uint8Array(readFileSync(join(directory, name)))
  } finally {
    removeDirectory(directory)
  }
}

describe('the log of a LevelDB writer', () => {
  let log: Uint8Array
  /** Where records end, and 0. */
  let ends: number[]

  const lastEnd = (length: number) => ends.findLast((end) => end <= length)!

  beforeAll(async () => {
    log = await writeLog(valueLengths)
    ends = [0, ...scan(log).ends]
  })

  test('every record comes out whole, also across blocks', () => {
    const { lengths, offset, damage } = scan(log)
    expect({ lengths, offset, damage }).toEqual({
      lengths: recordLengths,
      offset: log.length,
      damage: undefined,
    })
  })

  test('cut anywhere, it ends before the cut record', () => {
    for (let length = 0; length < log.length; length += isFull ? 331 : 1_657) {
      const { offset, damage } = scan(log.subarray(0, length))
      expect({ offset, damage }, `cut at ${length}`).toEqual({ offset: lastEnd(length), damage: undefined })
    }
  })

  test('zeros after the last record are a torn end', () => {
    const grown = new Uint8Array(log.length + 3 * logBlockBytes)
    grown.set(log)
    expect(scan(grown)).toMatchObject({ offset: log.length, damage: undefined })
  })

  test('sectors that never reached the disk are a torn end', () => {
    for (const written of [512, 20_480, 40_960, 98_816, 163_840]) {
      const { offset, damage } = scan(log.slice().fill(0, written))
      expect({ offset, damage }, `written up to ${written}`).toEqual({
        offset: lastEnd(written),
        damage: undefined,
      })
    }
  })

  test('a flipped bit is damage at its chunk, wherever it is', () => {
    for (let position = 0; position < log.length; position += 4_999) {
      const flipped = log.slice()
      flipped[position]! ^= 0x10
      const { damage } = scan(flipped)
      expect(damage, `bit at ${position}`).toBeDefined()
      expect(damage!.offset).toBeLessThanOrEqual(position)
      expect(position - damage!.offset).toBeLessThan(logBlockBytes)
    }
  })

  test('a zeroed block with records after it is damage', () => {
    const { damage } = scan(log.slice().fill(0, logBlockBytes, 2 * logBlockBytes))
    expect(damage?.offset).toBe(logBlockBytes)
  })

  test('a log that lost its first block is damage', () => {
    expect(scan(log.subarray(logBlockBytes)).damage?.offset).toBe(0)
  })

  test('a log that lost the end of a record is damage', () => {
    const endBlock = Math.floor(ends[3]! / logBlockBytes) * logBlockBytes
    const spliced = new Uint8Array(endBlock + log.length)
    spliced.set(log.subarray(0, endBlock))
    spliced.set(log, endBlock)
    expect(scan(spliced).damage?.offset).toBe(endBlock)
  })
})

test('an empty log holds nothing', () => {
  expect(scan(new Uint8Array())).toEqual({ lengths: [], ends: [], offset: 0, damage: undefined })
})

test('a block that has no room for another header may end with filler', async () => {
  // 7 bytes of header, 18 of batch and 32,740 of value leave 3 bytes of the block.
  const log = await writeLog([32_740, 5])
  expect(scan(log.subarray(0, logBlockBytes))).toMatchObject({ ends: [logBlockBytes - 3], damage: undefined })
  expect(scan(log)).toMatchObject({ ends: [logBlockBytes - 3, log.length], damage: undefined })
})
