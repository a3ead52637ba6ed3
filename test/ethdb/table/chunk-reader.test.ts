// Chunks of Pebble's logs, which are those of src/ethdb/pebble/FORMAT.md's example and what recycling makes of them.
import { describe, expect, test } from 'vitest'
import { type ChunkEnd, readRecords } from '../../../src/ethdb/table/chunk-reader.js'
import { crc32c, maskCrc32c } from '../../../src/kernel/crc32c.js'
import { readExample } from '../format-example.js'

const log = readExample('src/ethdb/pebble/FORMAT.md').get('000004.log')!
const logNumber = 4
/** Ends of the two records, and of the trailer. */
const [first, second, trailer] = [35, 64, 75]

function read(bytes: Uint8Array, offset = 0): ChunkEnd & { ends: number[] } {
  const ends: number[] = []
  const end = readRecords({ bytes, base: 0, isLast: true, logNumber }, offset, (_, at) => ends.push(at))
  return { ...end, ends }
}

/** An intact chunk as Pebble writes it. */
function chunk(type: number, number: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(11 + payload.length)
  const view = new DataView(bytes.buffer)
  view.setUint16(4, payload.length, true)
  bytes[6] = type
  view.setUint32(7, number, true)
  bytes.set(payload, 11)
  view.setUint32(0, maskCrc32c(crc32c(bytes.subarray(6))), true)
  return bytes
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

describe('a log of Pebble', () => {
  test('ends with its trailer', () => {
    expect(log).toHaveLength(trailer)
    expect(read(log)).toEqual({ ends: [first, second], offset: second, more: false, damage: undefined })
  })

  test('goes on from the end of an earlier read', () => {
    expect(read(log, first).ends).toEqual([second])
  })

  test('ends before remains of its former life, whole or cut', () => {
    const former = chunk(5, 3, new Uint8Array(40).fill(1))
    for (const remains of [former, former.subarray(7), former.subarray(0, 20), joined(former, former)]) {
      const { ends, damage } = read(joined(log.subarray(0, second), remains))
      expect({ ends, damage }).toEqual({ ends: [first, second], damage: undefined })
    }
  })

  test('ends before zeros and before a record that is not whole', () => {
    expect(read(joined(log.subarray(0, second), new Uint8Array(5_000))).ends).toEqual([first, second])
    const begun = chunk(6, logNumber, new Uint8Array(100).fill(2))
    expect(read(joined(log.subarray(0, second), begun))).toMatchObject({
      ends: [first, second],
      damage: undefined,
    })
    for (let cut = second + 1; cut < second + begun.length; cut++) {
      const { ends, damage } = read(joined(log.subarray(0, second), begun).subarray(0, cut))
      expect({ ends, damage }).toEqual({ ends: [first, second], damage: undefined })
    }
  })

  test('is damaged if an intact chunk of it, or its trailer, follows a bad one', () => {
    for (let at = 0; at < second; at++) {
      const bytes = log.slice()
      bytes[at]! ^= 0x10
      const { ends, damage } = read(bytes)
      expect(damage?.offset, `byte ${at}`).toBe(at < first ? 0 : first)
      expect(ends).toEqual(at < first ? [] : [first])
    }
  })

  test('is damaged if its last chunk ends with the file and is not intact', () => {
    const unclosed = log.subarray(0, second)
    for (let at = first; at < second; at++) {
      const bytes = unclosed.slice()
      bytes[at]! ^= 0x01
      expect(read(bytes).damage?.offset, `byte ${at}`).toBe(first)
    }
  })

  test('puts records together from chunks, and finds one out of place', () => {
    const parts = [
      chunk(6, 4, new Uint8Array(3)),
      chunk(7, 4, new Uint8Array(3)),
      chunk(8, 4, new Uint8Array(3)),
    ]
    const records: number[] = []
    readRecords({ bytes: joined(...parts), base: 0, isLast: true, logNumber }, 0, (record) => {
      records.push(record.length)
    })
    expect(records).toEqual([9])
    expect(read(joined(parts[1]!, log)).damage?.offset).toBe(0)
    expect(read(joined(parts[0]!, log)).damage?.offset).toBe(14)
  })

  test('has chunks with a sync offset from format version 20 on', () => {
    const payload = new Uint8Array([1, 2, 3])
    const bytes = joined(chunk(9, 4, new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, ...payload])))
    // The length leaves out the eight bytes of the sync offset, which the checksum covers.
    new DataView(bytes.buffer).setUint16(4, payload.length, true)
    const records: Uint8Array[] = []
    readRecords({ bytes, base: 0, isLast: true, logNumber }, 0, (record) => records.push(record))
    expect(records).toEqual([payload])
  })
})
