// Records of a log or MANIFEST: 32 KiB blocks of checksummed chunks. Tells whole records from a torn end and both from
// damage; knows nothing of what records mean. Follows goleveldb's leveldb/journal and Pebble's record/record.go.
//
// Both engines read a log until something does not fit and then stop (Pebble) or skip to the next block (goleveldb),
// losing writes in silence when it was damage. Here only what a crash or a write under way can leave is a torn end:
// the file ends inside a chunk or record, zeros follow, or, in a log that Pebble recycles, remains of its former life.
import { crc32c, maskCrc32c } from '../../kernel/crc32c.js'
import { readUint32 } from './block-cursor.js'

/** No chunk crosses the end of a block. */
export const logBlockBytes = 32 * 1024

const plainHeaderBytes = 7
const recyclableHeaderBytes = 11
const syncedHeaderBytes = 19
/** Unit in which a device keeps or loses a write at a power cut. */
const sectorBytes = 512

// Positions of a chunk in its record. Pebble's recyclable chunks add 4 to them, those with a sync offset 8.
const full = 1
const first = 2
const last = 4

/** A part of a file: `bytes` is what it holds from `base` on, a multiple of the block size. */
interface ChunkWindow {
  readonly bytes: Uint8Array
  readonly base: number
  /** True where the file ends with the window; a window that does not is a whole number of blocks. */
  readonly isLast: boolean
  /**
   * Low 32 bits of the log's number where chunks carry it (Pebble's write-ahead logs), undefined for plain chunks
   * (every MANIFEST, and the logs of goleveldb).
   */
  readonly logNumber: number | undefined
}

/** Where reading stopped. */
export interface ChunkEnd {
  /** End of the last whole record: reading goes on here, in the next window or the grown file. */
  readonly offset: number
  /** True where the records go on behind the window. */
  readonly more: boolean
  /** First thing that no torn end explains. */
  readonly damage: { readonly offset: number; readonly reason: string } | undefined
}

interface Chunk {
  /** Position in its record, from full to last. */
  readonly kind: number
  readonly start: number
  readonly end: number
}

/**
 * Hands each whole record of the window from file offset `offset` on (0, or the end of an earlier read) to `onRecord`,
 * with the offset at which it ends. Records may alias the window.
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

/** Moves past the end of a block that is too short for a header; writers fill it with zeros. */
function skipBlockEnd({ bytes, logNumber }: ChunkWindow, at: number): number {
  const left = logBlockBytes - (at % logBlockBytes)
  if (left < plainHeaderBytes) return at + left
  if (logNumber === undefined || left >= syncedHeaderBytes) return at
  // Pebble's headers are longer: what cannot hold one, and is zero, is filling too.
  for (let i = at; i < at + left; i++) {
    if (i >= bytes.length || bytes[i] !== 0) return at
  }
  return at + left
}

/**
 * The chunk at `at`, undefined where there is none, or the trailer that Pebble closes a log with: an empty chunk of the
 * next log number without checksum.
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

/** Whether a crash, or a write under way, explains that no valid chunk is at `at`. */
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
    // What ends with the file is of this life of the log and damaged, unless it is intact under a former number.
    if (end === fileEnd) return isIntactToFileEnd
    // So is what has the log's number in one sector, which is written as a whole or not at all.
    const isOwn = end < fileEnd && readUint32(bytes, at + plainHeaderBytes) === logNumber
    if (isOwn && Math.floor(at / sectorBytes) === Math.floor((end - 1) / sectorBytes)) return false
    // What would be intact to the end of the file has a wrong length. The rest may be remains of the former life.
    return !isIntactToFileEnd
  }
  // All bytes of the chunk were written; what a power cut loses of them are sectors, which read as zeros.
  if (end <= fileEnd) return Math.ceil(lengthWithoutZeros(bytes) / sectorBytes) * sectorBytes < end
  const blockEnd = at - (at % logBlockBytes) + logBlockBytes
  return end <= blockEnd && fileEnd < blockEnd && !isIntactToFileEnd
}

/**
 * Whether an intact chunk of this log, or its trailer, follows behind `at`: anywhere in the block, or at the start of
 * a later one, where every writer begins a chunk.
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
