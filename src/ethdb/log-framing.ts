// The record framing that LevelDB's write-ahead log and MANIFEST share: 32 KiB blocks of checksummed chunks.
// Decides what is a whole record, what is a torn end and what is damage; knows nothing of what records mean.
// Follows goleveldb's leveldb/journal.
import { crc32c, maskCrc32c } from '../kernel/crc32c.js'

/** Size of a block; no chunk crosses a block's end. */
export const logBlockBytes = 32 * 1024

const headerBytes = 7
const fullChunk = 1
const firstChunk = 2
const middleChunk = 3
const lastChunk = 4

/** What a log holds. */
export interface LogScan {
  /** Length of the prefix that ends with the last whole record, in bytes. */
  readonly wholeBytes: number
  readonly records: number
  /** True where bytes after the last whole record look like a write that a crash, or the moment, cut off. */
  readonly torn: boolean
  /** First place that no cut-off write explains. */
  readonly damage: { readonly offset: number; readonly reason: string } | undefined
}

/**
 * Checks a log block by block and hands each whole record to `onRecord`, in order. A record may alias its block.
 *
 * A crash leaves a cut chunk, an unfinished record, or sectors of zeros at the end of the file. Everything else, and
 * any of these with valid chunks after it, is damage: geth would skip it in silence and lose the writes in it.
 */
export function scanLog(blocks: Iterable<Uint8Array>, onRecord?: (record: Uint8Array) => void): LogScan {
  let fragments: Uint8Array[] | undefined
  let wholeBytes = 0
  let records = 0
  let blockStart = 0
  let length = 0
  let suspect: Suspect | undefined
  const damaged = (offset: number, reason: string): LogScan => ({
    wholeBytes,
    records,
    torn: false,
    damage: { offset, reason },
  })

  for (const block of blocks) {
    length = blockStart + block.length
    let position = 0
    while (position + headerBytes <= block.length) {
      const chunk = readChunk(block, position)
      const offset = blockStart + position
      if ('reason' in chunk) {
        suspect ??= { ...chunk, offset, end: blockStart + chunk.end, dataEnd: offset }
        break
      }
      if (suspect) return damaged(suspect.offset, `${suspect.reason}, with valid records after it`)
      const { type, payload } = chunk
      const starts = type === fullChunk || type === firstChunk
      if (starts === (fragments !== undefined)) {
        return damaged(offset, starts ? 'record without an end' : 'record without a beginning')
      }
      position += headerBytes + payload.length
      if (type === firstChunk) fragments = [payload.slice()]
      else if (type === middleChunk) fragments!.push(payload.slice())
      else {
        records += 1
        wholeBytes = blockStart + position
        onRecord?.(fragments ? joinFragments(fragments, payload) : payload)
        fragments = undefined
      }
    }
    const dataLength = suspect ? lengthWithoutZeros(block) : 0
    if (suspect && dataLength > 0) suspect.dataEnd = Math.max(suspect.dataEnd, blockStart + dataLength)
    // A writer fills the last bytes of a block with zeros when no chunk header fits there.
    const filler = block.subarray(position)
    const fills =
      block.length === logBlockBytes && filler.length < headerBytes && filler.every((byte) => byte === 0)
    if (fills && fragments === undefined) wholeBytes = length
    blockStart = length
  }
  if (suspect && !isTorn(suspect)) return damaged(suspect.offset, suspect.reason)
  return { wholeBytes, records, torn: suspect !== undefined || wholeBytes < length, damage: undefined }
}

/** The first chunk that is none, until the rest of the log tells why. */
interface Suspect {
  readonly reason: string
  readonly offset: number
  /** Where the chunk says that it ends; past the file for a cut one. */
  readonly end: number
  /** Where the last byte after it that is not zero ends. */
  dataEnd: number
}

const sectorBytes = 512

/** Whether a crash can have left it: it reaches beyond the file, or into sectors of zeros that last to the end. */
function isTorn({ reason, end, dataEnd }: Suspect): boolean {
  return reason === cutChunk || Math.ceil(dataEnd / sectorBytes) * sectorBytes < end
}

const cutChunk = 'chunk cut off by the end of the file'

/** The chunk at `position`, or what is wrong with it and where it would end in the block. */
function readChunk(
  block: Uint8Array,
  position: number,
): { type: number; payload: Uint8Array } | { reason: string; end: number } {
  const length = block[position + 4]! | (block[position + 5]! << 8)
  const type = block[position + 6]!
  const checksum =
    (block[position]! |
      (block[position + 1]! << 8) |
      (block[position + 2]! << 16) |
      (block[position + 3]! << 24)) >>>
    0
  const end = position + headerBytes + length
  if (type === 0 && length === 0 && checksum === 0) {
    return { reason: 'zeros where a chunk should begin', end: block.length }
  }
  if (type < fullChunk || type > lastChunk) return { reason: `invalid chunk type ${type}`, end: block.length }
  if (end > block.length) {
    return {
      reason: block.length < logBlockBytes ? cutChunk : 'chunk longer than its block',
      end: block.length,
    }
  }
  if (maskCrc32c(crc32c(block.subarray(position + 6, end))) !== checksum)
    return { reason: 'checksum mismatch', end }
  return { type, payload: block.subarray(position + headerBytes, end) }
}

function lengthWithoutZeros(bytes: Uint8Array): number {
  let length = bytes.length
  while (length > 0 && bytes[length - 1] === 0) length -= 1
  return length
}

function joinFragments(fragments: readonly Uint8Array[], last: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([...fragments, last]))
}
