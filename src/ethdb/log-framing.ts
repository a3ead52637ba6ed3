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
 * A crash leaves a cut chunk, an unfinished record or zeros at the end of the file. Everything else, and any of
 * these with valid chunks after it, is damage: geth would skip it in silence and lose the writes in it.
 */
export function scanLog(blocks: Iterable<Uint8Array>, onRecord?: (record: Uint8Array) => void): LogScan {
  let fragments: Uint8Array[] | undefined
  let wholeBytes = 0
  let records = 0
  let blockStart = 0
  let length = 0
  let suspect: { offset: number; reason: string; tornLike: boolean } | undefined
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
      if (typeof chunk === 'string') {
        suspect ??= { offset, reason: chunk, tornLike: tornLikeReasons.has(chunk) }
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
    // A writer fills the last bytes of a block with zeros when no chunk header fits there.
    const filler = block.subarray(position)
    const fills =
      block.length === logBlockBytes && filler.length < headerBytes && filler.every((byte) => byte === 0)
    if (fills && fragments === undefined) wholeBytes = length
    blockStart = length
  }
  if (suspect && !suspect.tornLike) return damaged(suspect.offset, suspect.reason)
  return { wholeBytes, records, torn: suspect !== undefined || wholeBytes < length, damage: undefined }
}

const zeroHeader = 'zeros where a chunk should begin'
const cutChunk = 'chunk cut off by the end of the file'
const tornLikeReasons: ReadonlySet<string> = new Set([zeroHeader, cutChunk])

/** The chunk at `position`, or what is wrong with it. */
function readChunk(block: Uint8Array, position: number): { type: number; payload: Uint8Array } | string {
  const length = block[position + 4]! | (block[position + 5]! << 8)
  const type = block[position + 6]!
  const checksum =
    (block[position]! |
      (block[position + 1]! << 8) |
      (block[position + 2]! << 16) |
      (block[position + 3]! << 24)) >>>
    0
  if (type === 0 && length === 0 && checksum === 0) return zeroHeader
  if (type < fullChunk || type > lastChunk) return `invalid chunk type ${type}`
  const end = position + headerBytes + length
  if (end > block.length) {
    return block.length < logBlockBytes ? cutChunk : 'chunk longer than its block'
  }
  if (maskCrc32c(crc32c(block.subarray(position + 6, end))) !== checksum) return 'checksum mismatch'
  return { type, payload: block.subarray(position + headerBytes, end) }
}

function joinFragments(fragments: readonly Uint8Array[], last: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([...fragments, last]))
}
