// e2store, the file format of era files: records one after the other, each with its type and length. Follows
// internal/era/e2store of geth.

/** Bytes before the value of a record. */
export const recordHeaderBytes = 8

/** Longest value that geth reads. */
export const maxValueBytes = 50 * 1024 * 1024

/** Types of records. */
export const recordTypes = {
  version: 0x3265,
  header: 0x0003,
  body: 0x0004,
  receipts: 0x0005,
  totalDifficulty: 0x0006,
  accumulator: 0x0007,
  slimReceipts: 0x000a,
  proof: 0x000b,
  blockIndex: 0x3266,
  dynamicBlockIndex: 0x3267,
} as const

/** What a record begins with. */
export interface RecordHeader {
  readonly type: number
  /** Bytes of the value. */
  readonly length: number
}

/** Decodes the first 8 bytes of a record. Throws RangeError for fewer, and if they cannot begin one. */
export function decodeRecordHeader(bytes: Uint8Array): RecordHeader {
  if (bytes.length < recordHeaderBytes) throw new RangeError('the file ends in the header of a record')
  const view = new DataView(bytes.buffer, bytes.byteOffset, recordHeaderBytes)
  const length = view.getUint32(2, true)
  if (view.getUint16(6, true) !== 0) throw new RangeError('the reserved bytes of a record are not zero')
  if (length > maxValueBytes)
    throw new RangeError(`a record has ${length} bytes, at most ${maxValueBytes} are allowed`)
  return { type: view.getUint16(0, true), length }
}
