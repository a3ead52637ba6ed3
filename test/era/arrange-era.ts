// Lays the blocks of an exported era file out in shapes that era files may have and those of geth do not.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { decodeRecordHeader, recordHeaderBytes, recordTypes } from '../../src/era/e2store.js'
import { decodeFramedSnappy } from '../../src/era/framed-snappy.js'
import { crc32c, maskCrc32c } from '../../src/kernel/crc32c.js'

const exported = fileURLToPath(new URL('../../testdata/era/', import.meta.url))

export interface EraRecord {
  readonly type: number
  readonly value: Uint8Array
}

/** The records of a file that geth exported, without the index. */
export function exportedRecords(name: string): readonly EraRecord[] {
  const bytes = readFileSync(exported + name)
  const records: EraRecord[] = []
  for (let at = 0; at < bytes.length; ) {
    const { type, length } = decodeRecordHeader(bytes.subarray(at))
    at += recordHeaderBytes + length
    records.push({ type, value: bytes.subarray(at - length, at) })
  }
  return records.slice(0, -1)
}

export function recordBytes({ type, value }: EraRecord): Buffer {
  const header = Buffer.alloc(recordHeaderBytes)
  header.writeUInt16LE(type, 0)
  header.writeUInt32LE(value.length, 2)
  return Buffer.concat([header, value])
}

/** An ere file of these records, whose index has the `components` of each block in this order. */
export function arrangeEre(records: readonly EraRecord[], components: readonly number[], first = 0): Buffer {
  const { bytes, positions } = place(records)
  const blocks = positions(recordTypes.header).length
  const numbers = Array.from({ length: blocks }, (_, block) =>
    components.map((type) => positions(type)[block]! - bytes.length),
  )
  const index = [first, ...numbers.flat(), components.length, blocks]
  return Buffer.concat([bytes, recordBytes({ type: recordTypes.dynamicBlockIndex, value: words(index) })])
}

/** An era1 file of these records. */
export function arrangeEra1(records: readonly EraRecord[], first = 0): Buffer {
  const { bytes, positions } = place(records)
  const headers = positions(recordTypes.header)
  const index = [first, ...headers.map((position) => position - bytes.length), headers.length]
  return Buffer.concat([bytes, recordBytes({ type: recordTypes.blockIndex, value: words(index) })])
}

/** The records one after the other, and where those of a type begin. */
function place(records: readonly EraRecord[]) {
  const parts = records.map(recordBytes)
  let end = 0
  const starts = parts.map(({ length }) => {
    end += length
    return end - length
  })
  const positions = (type: number) => starts.filter((_, i) => records[i]!.type === type)
  return { bytes: Buffer.concat(parts), positions }
}

/** Numbers as 8 bytes each, the lowest first. */
function words(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 * numbers.length)
  for (const [i, number] of numbers.entries()) bytes.writeBigInt64LE(BigInt(number), 8 * i)
  return bytes
}

/** The same bytes in chunks of plain bytes, with chunks that are to be skipped before each and at the end. */
export function reframe(stream: Uint8Array, { chunkBytes, skipped }: Framing): Buffer {
  const content = decodeFramedSnappy(stream, 1 << 24)
  const chunks: Buffer[] = [chunk(0xff, Buffer.from('sNaPpY'))]
  for (let at = 0; at < content.length; at += chunkBytes) {
    const plain = content.subarray(at, at + chunkBytes)
    const checksum = Buffer.alloc(4)
    checksum.writeUInt32LE(maskCrc32c(crc32c(plain)))
    chunks.push(...skipped, chunk(0x01, Buffer.concat([checksum, plain])))
  }
  return Buffer.concat([...chunks, ...skipped])
}

interface Framing {
  readonly chunkBytes: number
  readonly skipped: readonly Buffer[]
}

/** A chunk of Snappy's framed stream. */
export function chunk(type: number, content: Uint8Array): Buffer {
  const header = Buffer.alloc(4)
  header.writeUInt32LE(((content.length << 8) | type) >>> 0)
  return Buffer.concat([header, content])
}
