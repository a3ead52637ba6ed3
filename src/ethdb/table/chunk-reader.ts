// Reads the records of a log or MANIFEST: blocks of 32 KiB with checksummed chunks. Distinguishes whole records, a torn end
// and damage, and does not know what records mean. Follows goleveldb's leveldb/journal and Pebble's record/record.go.
//
// Both engines read a log up to the first chunk that does not fit, then stop (Pebble) or skip to the next block (goleveldb).
// If that chunk was damaged, they silently lose writes. Here a torn end is only what a crash or an unfinished write can
// leave: the file ends inside a chunk or record, zeros follow, or old records follow in a log that Pebble recycles.
import { crc32c, maskCrc32c } from '../../kernel/crc32c.js'
import { readUint32 } from './block-cursor.js'

/** No chunk crosses the end of a block. */
export const logBlockBytes = 32 * 1024

const plainHeaderBytes = 7
const recyclableHeaderBytes = 11
const syncedHeaderBytes = 19
/** Unit in which a device completes or loses a write at a power cut. */
const sectorBytes = 512

// Positions of a chunk in its record. Pebble's recyclable chunks add 4 to them, those with a sync offset 8.
const full = 1
const first = 2
const last = 4

/** A part of a file: its bytes from `base` on, a multiple of the block size. */
interface ChunkWindow {
  readonly bytes: Uint8Array
  readonly base: number
  /** Whether the file ends with the window. Other windows are whole blocks. */
  readonly isLast: boolean
  /**
   * Low 32 bits of the log's number, if its chunks have it (Pebble's write-ahead logs); undefined for plain chunks (every
   * MANIFEST, and goleveldb's logs).
   */
  readonly logNumber: number | undefined
}

/** Result of reading a window. */
export interface ChunkEnd {
  /** End of the last whole record. The next window, or the grown file, is read from here. */
  readonly offset: number
  /** Whether records go on after the window. */
  readonly more: boolean
  /** The first fault that is no torn end. */
  readonly damage: { readonly offset: number; readonly reason: string } | undefined
}

interface Chunk {
  /** Position in its record, from full to last. */
  readonly kind: number
  readonly start: number
  readonly end: number
}

/**
 * Calls `onRecord` with each whole record of the window and the file offset of its end, from `offset` on (0, or the end of
 * an earlier read). Records may alias the window.
 */
export function readRecords(
  window: ChunkWindow,
  offset: number,
  onRecord: (record: Uint8Array, end: number) => void,
): ChunkEnd {
  const { bytes, base, isLast } = window
  let at = offset - base
  let whole = at
  let parts: Uint8Array[] | undefined
  const end = (more: boolean): ChunkEnd => ({ offset: base + whole, more, damage: undefined })
  const damage = (reason: string): ChunkEnd => ({
    offset: base + whole,
    more: false,
    damage: { offset: base + at, reason },
  })
  for (;;) {
    at = skipBlockEnd(window, at)
    if (at >= bytes.length) return end(!isLast)
    const chunk = readChunk(window, at)
    if (chunk === 'trailer') return end(false)
    if (chunk === undefined) {
      return isTornEnd(window, at) ? end(false) : damage('a chunk does not match its checksum')
    }
    const { kind } = chunk
    if ((kind === full || kind === first) !== (parts === undefined)) {
      return damage(`a chunk of kind ${kind} is out of place`)
    }
    const payload = bytes.subarray(chunk.start, chunk.end)
    at = chunk.end
    if (kind === full) onRecord(payload, base + at)
    else if (kind === first) parts = [payload]
    else parts!.push(payload)
    if (kind === last) {
      onRecord(join(parts!), base + at)
      parts = undefined
    }
    if (kind === full || kind === last) whole = at
  }
}

/** Skips the end of a block if it is too short for a header. Writers fill it with zeros. */
function skipBlockEnd({ bytes, logNumber }: ChunkWindow, at: number): number {
  const left = logBlockBytes - (at % logBlockBytes)
  if (left < plainHeaderBytes) return at + left
  if (logNumber === undefined || left >= syncedHeaderBytes) return at
  // Pebble's headers are longer. An end that is too short for them, and zero, is also filling.
  for (let i = at; i < at + left; i++) {
    if (i >= bytes.length || bytes[i] !== 0) return at
  }
  return at + left
}

/**
 * The chunk at `at`; undefined if there is none; or the trailer that ends a log of Pebble, which is an empty chunk with the
 * next log number and no checksum.
 */
function readChunk({ bytes, logNumber }: ChunkWindow, at: number): Chunk | 'trailer' | undefined {
  const blockEnd = Math.min(bytes.length, at - (at % logBlockBytes) + logBlockBytes)
  if (at + plainHeaderBytes > blockEnd) return undefined
  const length = bytes[at + 4]! | (bytes[at + 5]! << 8)
  let kind = bytes[at + 6]!
  let header = plainHeaderBytes
  if (logNumber !== undefined && kind > last) {
    header = kind > 2 * last ? syncedHeaderBytes : recyclableHeaderBytes
    kind = kind > 2 * last ? kind - 2 * last : kind - last
    if (at + header > blockEnd) return undefined
    const number = readUint32(bytes, at + plainHeaderBytes)
    const isEmpty = length === 0 && kind === full && readUint32(bytes, at) === 0
    if (isEmpty && number === (logNumber + 1) >>> 0) return 'trailer'
    if (number !== logNumber) return undefined
  }
  if (kind < full || kind > last) return undefined
  const start = at + header
  const end = start + length
  return end <= blockEnd && isIntact(bytes, at, end) ? { kind, start, end } : undefined
}

/** Whether the checksum at `at` is that of the chunk that ends at `end`. */
function isIntact(bytes: Uint8Array, at: number, end: number): boolean {
  return maskCrc32c(crc32c(bytes.subarray(at + 6, end))) === readUint32(bytes, at)
}

/** Whether a crash or an unfinished write explains that no valid chunk is at `at`. */
function isTornEnd(window: ChunkWindow, at: number): boolean {
  const { bytes, logNumber } = window
  if (isZero(bytes, at)) return true
  if (hasChunkAfter(window, at)) return false
  const fileEnd = bytes.length
  if (!window.isLast || at + plainHeaderBytes > fileEnd) return true
  const header = logNumber === undefined ? plainHeaderBytes : recyclableHeaderBytes
  const end = at + header + (bytes[at + 4]! | (bytes[at + 5]! << 8))
  const isIntactToFileEnd = fileEnd - at <= logBlockBytes && isIntact(bytes, at, fileEnd)
  if (logNumber !== undefined) {
    // A chunk that ends with the file belongs to this log and is damaged, unless it is intact under an older log number.
    if (end === fileEnd) return isIntactToFileEnd
    // A chunk with this log's number inside one sector is also damaged: a sector is written as a whole or not at all.
    const isOwn = end < fileEnd && readUint32(bytes, at + plainHeaderBytes) === logNumber
    if (isOwn && Math.floor(at / sectorBytes) === Math.floor((end - 1) / sectorBytes)) return false
    // A chunk that is intact up to the end of the file has a damaged length. Anything else may be an old record.
    return !isIntactToFileEnd
  }
  // The file has all bytes of the chunk. A power cut can only have lost sectors at its end, which are zeros then.
  if (end <= fileEnd) return Math.ceil(lengthWithoutZeros(bytes) / sectorBytes) * sectorBytes < end
  const blockEnd = at - (at % logBlockBytes) + logBlockBytes
  return end <= blockEnd && fileEnd < blockEnd && !isIntactToFileEnd
}

/**
 * Whether an intact chunk of this log, or its trailer, follows after `at`: anywhere in the block, or at the start of a later
 * block, where every writer begins a chunk.
 */
function hasChunkAfter(window: ChunkWindow, at: number): boolean {
  const { bytes, logNumber } = window
  const blockEnd = at - (at % logBlockBytes) + logBlockBytes
  for (let i = at + 1; i + plainHeaderBytes <= bytes.length; ) {
    const type = bytes[i + 6]!
    const isCandidate =
      logNumber === undefined ? type >= full && type <= last : type > last && type <= 3 * last
    if (isCandidate && readChunk(window, i) !== undefined) return true
    i = i + 1 < blockEnd ? i + 1 : i + logBlockBytes - (i % logBlockBytes)
  }
  return false
}

function lengthWithoutZeros(bytes: Uint8Array): number {
  let length = bytes.length
  while (length > 0 && bytes[length - 1] === 0) length--
  return length
}

function isZero(bytes: Uint8Array, from: number): boolean {
  if (from >= bytes.length) return false
  for (let i = from; i < bytes.length; i++) if (bytes[i] !== 0) return false
  return true
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
