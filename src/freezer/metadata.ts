// The `.meta` file of a table: one RLP list. Follows geth's core/rawdb/freezer_meta.go.
import { closeSync, openSync } from 'node:fs'
import { bytesToHex, bytesToNumber } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { fileError } from '../file-error.js'
import { type ReadCounter, readAt } from './positional-read.js'

/** The longest list: a header, a version, and two integers of up to 9 bytes. */
const longestBytes = 1 + 3 + 9 + 9

/** What a table stores about itself next to its index. */
export interface TableMetadata {
  /** 1 from geth 1.10.17, 2 from 1.15.0. */
  readonly version: number
  /** Items below this one are hidden, even if they are still on disk. */
  readonly virtualTail: number
  /**
   * Bytes of the index that are on disk together with their data; undefined in version 1. When geth starts after a crash it
   * cuts off everything after this. It deletes a block's keys only when this includes the block.
   */
  readonly flushOffset: number | undefined
}

/**
 * The metadata in the file at `path`; undefined if the file is absent (geth up to 1.10.16) or empty (after a crash while it
 * was created). Throws DAMAGED, UNSUPPORTED_FORMAT for an unknown version, and PERMISSION_DENIED.
 */
export function readMetadata(path: string, table: string, counter: ReadCounter): TableMetadata | undefined {
  const bytes = new Uint8Array(longestBytes)
  let length: number
  try {
    const fd = openSync(path, 'r')
    try {
      length = readAt(fd, bytes, 0, counter)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw fileError(error, path, { table })
  }
  if (length === 0) return undefined
  const content = bytes.subarray(0, length)
  try {
    return decodeMetadata(content)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const facts = { table, path, found: bytesToHex(content), cause: error }
    throw error instanceof UnknownVersion
      ? new GethReaderError('UNSUPPORTED_FORMAT', `${path}: ${error.message}`, facts)
      : new GethReaderError('DAMAGED', `${path}: ${error.message}; start geth once, it repairs tables`, facts)
  }
}

class UnknownVersion extends RangeError {}

/**
 * Decodes the first RLP item. geth rewrites the file in place without truncating it, so older bytes may follow. Throws
 * RangeError for anything but a list of version 1 or 2.
 */
export function decodeMetadata(bytes: Uint8Array): TableMetadata {
  const fields = decodeShortList(bytes)
  const version = fields[0]
  if (version === 2 && fields.length === 3) {
    return { version, virtualTail: fields[1]!, flushOffset: fields[2]! }
  }
  if (version === 1 && fields.length === 2)
    return { version, virtualTail: fields[1]!, flushOffset: undefined }
  if (version !== undefined && version > 2) throw new UnknownVersion(`metadata has version ${version}`)
  throw new RangeError(`metadata has ${fields.length} fields in version ${version}`)
}

/** Integers of an RLP list of fewer than 56 bytes. */
function decodeShortList(bytes: Uint8Array): number[] {
  const end = 1 + (bytes[0] ?? 0) - 0xc0
  if (end < 1 || end > 56 || end > bytes.length)
    throw new RangeError('metadata does not begin with an RLP list')
  const fields: number[] = []
  for (let position = 1; position < end; ) {
    const head = bytes[position]!
    const start = head < 0x80 ? position : position + 1
    const length = head < 0x80 ? 1 : head - 0x80
    if (length > 8 || start + length > end) throw new RangeError('metadata has an item that is no integer')
    const isCanonical = head < 0x80 ? head !== 0 : length === 0 || bytes[start]! >= (length === 1 ? 0x80 : 1)
    if (!isCanonical) throw new RangeError('metadata has an integer in a form that geth never writes')
    fields.push(bytesToNumber(bytes.subarray(start, start + length)))
    position = start + length
  }
  return fields
}
