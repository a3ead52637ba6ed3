// The layout of a segment, see FORMAT.md: what its header says, and where its parts are.
import { equalBytes } from '../../bytes.js'
import { crc32c } from '../../kernel/crc32c.js'

/** Blocks of a segment; the last one may have fewer. */
export const segmentBlocks = 4_096
/** Bytes of a bitmap of all its blocks. */
export const bitmapBytes = segmentBlocks / 8
/** Version of the layout. */
export const indexVersion = 1

const magic = new TextEncoder().encode('grlogidx')
export const headerBytes = 68
const checksumAt = headerBytes - 4

/** What is known of a segment without its entries. */
export interface SegmentHeader {
  readonly first: number
  readonly blocks: number
  readonly bucketBits: number
  readonly entries: number
  readonly lastHash: Uint8Array
}

export function encodeSegmentHeader(header: SegmentHeader): Uint8Array {
  const bytes = new Uint8Array(headerBytes)
  const view = new DataView(bytes.buffer)
  bytes.set(magic)
  view.setUint32(8, indexVersion, true)
  view.setUint32(12, header.blocks, true)
  view.setBigUint64(16, BigInt(header.first), true)
  view.setUint32(24, header.bucketBits, true)
  view.setUint32(28, header.entries, true)
  bytes.set(header.lastHash, 32)
  view.setUint32(checksumAt, crc32c(bytes.subarray(0, checksumAt)), true)
  return bytes
}

/** Undefined if the bytes are no header of this version. */
export function decodeSegmentHeader(bytes: Uint8Array): SegmentHeader | undefined {
  if (bytes.length < headerBytes || !equalBytes(bytes.subarray(0, magic.length), magic)) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, headerBytes)
  const isWhole = view.getUint32(checksumAt, true) === crc32c(bytes.subarray(0, checksumAt))
  if (!isWhole || view.getUint32(8, true) !== indexVersion) return undefined
  return {
    blocks: view.getUint32(12, true),
    first: Number(view.getBigUint64(16, true)),
    bucketBits: view.getUint32(24, true),
    entries: view.getUint32(28, true),
    lastHash: bytes.slice(32, 64),
  }
}

/** Position of the first bucket in a file. */
export function bucketsAt(bucketBits: number): number {
  return headerBytes + 4 * (2 ** bucketBits + 1)
}

/** CRC-32C of a bucket: of its number and its entries, so that one in the place of another is noticed. */
export function bucketChecksum(bucket: number, entries: Uint8Array): number {
  const bytes = new Uint8Array(4 + entries.length)
  new DataView(bytes.buffer).setUint32(0, bucket, true)
  bytes.set(entries, 4)
  return crc32c(bytes)
}
