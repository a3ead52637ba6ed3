// Opens a table's index together with the metadata that belongs to it, also while a running geth appends to the
// table, rewinds it or removes items from its front. Follows core/rawdb/freezer_table.go (repairIndex, truncateTail).
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { GethReaderError } from '../errors.js'
import { fileError } from '../file-error.js'
import { entryBytes, fileNumberAt, offsetAt } from './index-entries.js'
import { IndexFile } from './index-file.js'
import { readMetadata, type TableMetadata } from './metadata.js'
import type { ReadCounter } from './positional-read.js'
import type { TableSpec } from './table-spec.js'

/** Tries and the pause between them: geth writes index and metadata within one fsync of each other. */
const maxTries = 25
const pauseMilliseconds = 10

/** An open index and what it and the metadata say together. */
export interface TableIndex {
  readonly file: IndexFile
  readonly metadata: TableMetadata | undefined
  /** Whole entries of the file; 0 for an empty file. */
  readonly entries: number
  readonly firstFile: number
  /** Items removed from the front: item `itemOffset` is the first that the index knows. */
  readonly itemOffset: number
  readonly tail: number
  readonly head: number
}

/**
 * Opens the index; the caller closes `file`. Throws MISSING_FILE, PERMISSION_DENIED, DAMAGED, UNSUPPORTED_FORMAT,
 * or VIEW_UNSTABLE where a running geth changes the table faster than it can be read.
 */
export function openTableIndex(directory: string, spec: TableSpec, counter: ReadCounter): TableIndex {
  const path = join(directory, `${spec.name}.${spec.compressed ? 'cidx' : 'ridx'}`)
  const metadataPath = join(directory, `${spec.name}.meta`)
  let problem: GethReaderError | undefined
  for (let tries = 0; tries < maxTries; tries++) {
    if (tries > 0) pause()
    const metadata = readMetadata(metadataPath, spec.name, counter)
    const file = IndexFile.open(path, spec.name, counter)
    try {
      const { identity, entries } = file.stat()
      const first = entries > 0 ? file.read(0, 1) : new Uint8Array(entryBytes)
      // Both halves belong together when neither changed meanwhile. Appending is no change: the metadata of before
      // is valid for any longer index.
      const again = readMetadata(metadataPath, spec.name, counter)
      if (identity !== identityOf(path, spec.name) || !isSame(metadata, again)) {
        problem = unstable(path, spec.name)
      } else if (metadata?.flushOffset !== undefined && metadata.flushOffset > entries * entryBytes) {
        problem = shorterThanFlushed(path, spec.name, metadata.flushOffset, entries * entryBytes)
      } else {
        return describeIndex(file, metadata, entries, first)
      }
    } catch (error) {
      file.close()
      throw error
    }
    file.close()
  }
  throw problem
}

function describeIndex(
  file: IndexFile,
  metadata: TableMetadata | undefined,
  entries: number,
  first: Uint8Array,
): TableIndex {
  const itemOffset = offsetAt(first, 0)
  // Behind the flushed part data may be torn after a crash, and geth cuts it off when it starts. Until the flushed
  // part has grown over a block, its keys are not deleted, so nothing is lost by stopping here.
  const flushed = metadata?.flushOffset
  const safeEntries = flushed === undefined ? entries : Math.floor(flushed / entryBytes)
  return {
    file,
    metadata,
    entries,
    firstFile: fileNumberAt(first, 0),
    itemOffset,
    tail: Math.max(itemOffset, metadata?.virtualTail ?? 0),
    head: itemOffset + Math.max(0, safeEntries - 1),
  }
}

function isSame(a: TableMetadata | undefined, b: TableMetadata | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  // The flush offset moves forward with every sync; what it says about a longer index stays true.
  return (
    a.version === b.version && a.virtualTail === b.virtualTail && (a.flushOffset ?? 0) <= (b.flushOffset ?? 0)
  )
}

function identityOf(path: string, table: string): string {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch (error) {
    throw fileError(error, path, { table })
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMilliseconds)
}

function unstable(path: string, table: string): GethReaderError {
  return new GethReaderError('VIEW_UNSTABLE', `${path} changed each time it was opened; try again`, {
    path,
    table,
  })
}

function shorterThanFlushed(path: string, table: string, flushed: number, size: number): GethReaderError {
  return new GethReaderError(
    'DAMAGED',
    `${path} is cut off: its table's metadata knows of ${flushed} bytes, it has ${size}; ` +
      'restore the file, or start geth once to give up what is missing',
    { path, table, offset: size, expected: `${flushed} bytes`, found: `${size} bytes` },
  )
}
