import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { logBlockBytes, scanLog } from '../../src/ethdb/log-framing.js'
import { makeDirectory, openWriter, removeDirectory } from './level-directory.js'

function scan(bytes: Uint8Array): { lengths: number[] } & ReturnType<typeof scanLog> {
  const lengths: number[] = []
  const result = scanLog(blocksOf(bytes), (record) => lengths.push(record.length))
  return { ...result, lengths }
}

function* blocksOf(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let start = 0; start < bytes.length; start += logBlockBytes) {
    yield bytes.subarray(start, start + logBlockBytes)
  }
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
    for (const [i, length] of lengths.entries())
      await level.put(Uint8Array.of(i), new Uint8Array(length).fill(i + 1))
    await level.close()
    const name = readdirSync(directory).find((name) => name.endsWith('.log'))!
    return new Uint8Array(readFileSync(join(directory, name)))
  } finally {
    removeDirectory(directory)
  }
}

describe('the log of a LevelDB writer', () => {
  let log: Uint8Array

  beforeAll(async () => {
    log = await writeLog(valueLengths)
  })

  /** Position just after each record: 7 bytes of header for every block that the record touches. */
  function recordEnds(): number[] {
    const ends: number[] = []
    for (let length = 1; length <= log.length; length++) {
      if (length !== log.length && length % 997 !== 0) continue
      const { wholeBytes } = scan(log.subarray(0, length))
      if (wholeBytes > (ends.at(-1) ?? 0)) ends.push(wholeBytes)
    }
    return ends
  }

  test('every record comes out whole, also across blocks', () => {
    expect(scan(log)).toEqual({
      lengths: recordLengths,
      records: 7,
      wholeBytes: log.length,
      torn: false,
      damage: undefined,
    })
  })

  test('cut anywhere, it ends before the cut record and is torn, not damaged', () => {
    const ends = [0, ...recordEnds()]
    for (let length = 0; length < log.length; length += 331) {
      const result = scan(log.subarray(0, length))
      const whole = ends.findLast((end) => end <= length)!
      expect(result, `cut at ${length}`).toMatchObject({
        wholeBytes: whole,
        damage: undefined,
        torn: whole < length,
      })
    }
  })

  test('zeros after the last record, as a crash can leave them, are a torn end', () => {
    const grown = new Uint8Array(log.length + 3 * logBlockBytes)
    grown.set(log)
    expect(scan(grown)).toMatchObject({ records: 7, wholeBytes: log.length, torn: true, damage: undefined })
  })

  test('a write of which whole sectors never reached the disk is a torn end', () => {
    const ends = [0, ...recordEnds()]
    for (const written of [512, 20_480, 40_960, 163_840]) {
      const zeroed = log.slice().fill(0, written)
      const whole = ends.findLast((end) => end <= written)!
      expect(scan(zeroed), `written up to ${written}`).toMatchObject({
        wholeBytes: whole,
        torn: true,
        damage: undefined,
      })
    }
  })

  test('a flipped bit is damage at its chunk, wherever it is', () => {
    for (let position = 0; position < log.length; position += 4_999) {
      const damaged = log.slice()
      damaged[position]! ^= 0x10
      const { damage, torn } = scan(damaged)
      expect(damage, `bit at ${position}`).toBeDefined()
      expect(damage!.offset).toBeLessThanOrEqual(position)
      expect(position - damage!.offset).toBeLessThan(logBlockBytes)
      expect(torn).toBe(false)
    }
  })

  test('a zeroed block with records after it is damage', () => {
    const damaged = log.slice()
    damaged.fill(0, logBlockBytes, 2 * logBlockBytes)
    expect(scan(damaged).damage).toEqual({
      offset: logBlockBytes,
      reason: 'zeros where a chunk should begin, with valid records after it',
    })
  })

  test('a log that lost its first block is damage', () => {
    const damage = { offset: 0, reason: 'record without a beginning' }
    expect(scan(log.subarray(logBlockBytes)).damage).toEqual(damage)
  })

  test('a log that lost the end of a record is damage', () => {
    const [end] = recordEnds().slice(2)
    const endBlock = Math.floor(end! / logBlockBytes) * logBlockBytes
    const damaged = new Uint8Array(endBlock + log.length)
    damaged.set(log.subarray(0, endBlock))
    damaged.set(log, endBlock)
    expect(scan(damaged).damage).toEqual({ offset: endBlock, reason: 'record without an end' })
  })
})

test('an empty log holds nothing and is not torn', () => {
  expect(scan(new Uint8Array())).toMatchObject({ records: 0, wholeBytes: 0, torn: false, damage: undefined })
})

test('the filler of a block that has no room for a header belongs to the whole records', async () => {
  // 7 bytes of header, 18 of batch and 32,740 of value leave 3 bytes of the block.
  const log = await writeLog([32_740, 5])
  expect(scan(log.subarray(0, logBlockBytes))).toMatchObject({
    records: 1,
    wholeBytes: logBlockBytes,
    torn: false,
    damage: undefined,
  })
  expect(scan(log)).toMatchObject({ records: 2, wholeBytes: log.length })
})
