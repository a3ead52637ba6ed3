// Opens the index of a table together with the metadata that belongs to it, even while geth appends to the table, rewinds
// it or removes items from its front. Follows geth's core/rawdb/freezer_table.go (repairIndex, truncateTail).
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { GethReaderError } from '../errors.js'
import { fileError } from '../file-error.js'
import { entryBytes, fileNumberAt, offsetAt } from './index-entries.js'
import { IndexFile } from './index-file.js'
import { readMetadata, type TableMetadata } from './metadata.js'
import type { ReadCounter } from './positional-read.js'
import type { TableSpec } from './table-spec.js'

/** Attempts and the pause between them: geth writes index and metadata within one fsync of each other. */
const maxAttempts = 25
const pauseMilliseconds = 10

/** An open index, with the bounds of the table that it and the metadata give. */
export interface FreezerIndex {
  readonly file: IndexFile
  readonly metadata: TableMetadata | undefined
  /** Whole entries of the file; 0 for an empty file. */
  readonly entries: number
  readonly firstFile: number
  /** Items removed from the front: `itemOffset` is the first item in the index. */
  readonly itemOffset: number
  readonly tail: number
  readonly head: number
}

/**
 * Opens the index; the caller closes `file`. Throws MISSING_FILE, PERMISSION_DENIED, DAMAGED, UNSUPPORTED_FORMAT, and
 * VIEW_UNSTABLE if a running geth changes the table faster than it can be read.
 */
export function openFreezerIndex(directory: string, spec: TableSpec, counter: ReadCounter): FreezerIndex {
  const path = join(directory, `${spec.name}.${spec.compressed ? 'cidx' : 'ridx'}`)
  const metadataPath = join(directory, `${spec.name}.meta`)
  let problem: GethReaderError | undefined
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (attempt > 0) pause()
    const metadata = readMetadata(metadataPath, spec.name, counter)
    const file = IndexFile.open(path, spec.name, counter)
    try {
      const { identity, entries } = file.stat()
      const first = entries > 0 ? file.read(0, 1) : new Uint8Array(entryBytes)
      // Index and metadata belong together if neither changed in between. Appending does not count: the metadata is also
      // valid for any longer index.
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
): FreezerIndex {
  const itemOffset = offsetAt(first, 0)
  // After the flushed part, data may be torn by a crash, and geth cuts it off at its next start. geth deletes the keys of a
  // block only when the flushed part includes it, so nothing is lost if the view ends here.
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
  // The flush offset grows with every sync; an older one is still true of a longer index.
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
    `${path} is cut off: it has ${size} bytes, its table's metadata says ${flushed}; ` +
      'restore the file, or start geth once, which drops what is missing',
    { path, table, offset: size, expected: `${flushed} bytes`, found: `${size} bytes` },
  )
}
