// Reads the journal of the path scheme into memory that all threads share: from a file since geth 1.16.2, from a key
// before. If the file exists, geth does not read the key. Follows loadJournal in triedb/pathdb/journal.go.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { equalBytes } from '../../bytes.js'
import { type ErrorFacts, GethReaderError } from '../../errors.js'
import { fileError } from '../../file-error.js'
import { type ChainDatabase, keyPlace } from '../../rawdb/chain-database.js'
import { singleKeys } from '../../rawdb/schema.js'
import { RlpError } from '../../rlp/rlp-error.js'
import {
  decodeTrieJournal,
  decodeTrieJournalRoot,
  decodeTrieJournalVersion,
  indexJournalStates,
  type JournalStates,
  type TrieJournal,
  trieJournalVersions,
} from './trie-journal.js'

/** The result of the search for a journal. */
export type FoundTrieJournal =
  /** It continues the persistent state. */
  | { readonly kind: 'valid'; readonly journal: IndexedTrieJournal }
  /** There is none. */
  | { readonly kind: 'absent' }
  /** It continues another state than the one on disk. An earlier stop wrote it; then geth was started again. */
  | { readonly kind: 'stale' }
  /** It is of an unknown version, damaged, or cannot be read. */
  | { readonly kind: 'unreadable'; readonly error: GethReaderError }

/** A journal with its accounts and slots indexed. Structured-cloneable; all that is large is in shared memory. */
export interface IndexedTrieJournal extends TrieJournal, JournalStates {
  /** Its path or key, as facts of an error about it. */
  readonly place: ErrorFacts
  /** Identifies the content of the file; undefined for a key. */
  readonly stamp: string | undefined
}

/** The stored bytes of a journal. */
interface JournalBytes {
  readonly place: ErrorFacts
  /** The first `length` bytes, or all if there are fewer. */
  start(length: number): Uint8Array
  /** All of them, in shared memory. */
  all(): Uint8Array
  readonly stamp: string | undefined
  /** Whether these are the bytes of a journal that was read before. */
  isSameAs(earlier: IndexedTrieJournal): boolean
}

/** Bytes that are enough for the version and the root of every known journal. */
const startLength = 64

/** Positions in the tables over a journal have 32 bits. */
const maxJournalBytes = 2 ** 32 - 1

/** A read of Node takes at most 2 GiB. */
const maxReadBytes = 2 ** 30

interface TrieJournalOptions {
  /** The journal file, which need not exist; undefined to look under the key only. */
  readonly file: string | undefined
  /** Root of the persistent state. */
  readonly diskRoot: Uint8Array
  /** The journal of an earlier view, which is used again if nothing has changed. */
  readonly earlier: IndexedTrieJournal | undefined
}

/**
 * The journal that continues the persistent state. If it does not, only its first bytes are read. Does not throw for a
 * journal that cannot be read, because the states below it still can.
 */
export function readTrieJournal(
  db: ChainDatabase,
  { file, diskRoot, earlier }: TrieJournalOptions,
): FoundTrieJournal {
  let place: ErrorFacts = file === undefined ? {} : { path: file }
  let descriptor: number | undefined
  try {
    descriptor = file === undefined ? undefined : openIfPresent(file)
    const bytes = descriptor === undefined ? keyBytes(db) : fileBytes(descriptor, place)
    if (bytes === undefined) return { kind: 'absent' }
    place = bytes.place
    const start = bytes.start(startLength)
    const version = decodeTrieJournalVersion(start)
    if (!trieJournalVersions.includes(version)) throw unknownVersion(version, place)
    if (!equalBytes(decodeTrieJournalRoot(start), diskRoot)) return { kind: 'stale' }
    if (earlier && bytes.isSameAs(earlier)) return { kind: 'valid', journal: earlier }
    const journal = decodeTrieJournal(bytes.all())
    const { stamp } = bytes
    return { kind: 'valid', journal: { ...journal, ...indexJournalStates(journal), place, stamp } }
  } catch (error) {
    return { kind: 'unreadable', error: asReaderError(error, place) }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function unknownVersion(version: number, place: ErrorFacts): GethReaderError {
  const known = trieJournalVersions.join(', ')
  return new GethReaderError(
    'UNSUPPORTED_FORMAT',
    `trie journal${inPlace(place)} has version ${version}; known are ${known}`,
    { ...place, expected: known, found: String(version) },
  )
}

/** The error for a damaged journal, found when it is opened or later, when its contents are used. */
export function damagedJournal(error: RlpError, place: ErrorFacts): GethReaderError {
  return new GethReaderError('DAMAGED', `trie journal${inPlace(place)}: ${error.message}`, {
    ...place,
    offset: error.offset,
    cause: error,
  })
}

function inPlace({ path, key }: ErrorFacts): string {
  if (key !== undefined) return ` in key ${key}`
  return path === undefined ? '' : ` ${path}`
}

function asReaderError(error: unknown, place: ErrorFacts): GethReaderError {
  if (error instanceof RlpError) return damagedJournal(error, place)
  const typed = place.path === undefined ? error : fileError(error, place.path)
  // A temporary failure of the process says nothing about the journal.
  if (typed instanceof GethReaderError && typed.code !== 'RESOURCE_EXHAUSTED') return typed
  throw typed
}

function openIfPresent(file: string): number | undefined {
  try {
    return openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** geth replaces the whole file, so an open descriptor always reads one journal. */
function fileBytes(descriptor: number, place: ErrorFacts): JournalBytes {
  const read = (length: number) => {
    const bytes = new Uint8Array(new SharedArrayBuffer(length))
    let filled = 0
    while (filled < length) {
      const count = readSync(descriptor, bytes, filled, Math.min(length - filled, maxReadBytes), filled)
      if (count === 0) break
      filled += count
    }
    return bytes.subarray(0, filled)
  }
  const { ino, size, mtimeMs } = fstatSync(descriptor)
  const stamp = `${ino} ${size} ${mtimeMs}`
  return {
    place,
    start: read,
    all: () => read(checkedSize(size, place)),
    stamp,
    isSameAs: (earlier) => earlier.stamp === stamp,
  }
}

function keyBytes(db: ChainDatabase): JournalBytes | undefined {
  const value = db.kv.get(singleKeys.trieJournal)
  if (value === undefined || value.length === 0) return undefined
  const place = keyPlace(db, singleKeys.trieJournal)
  return {
    place,
    start: (length) => value.subarray(0, length),
    all() {
      const bytes = new Uint8Array(new SharedArrayBuffer(checkedSize(value.length, place)))
      bytes.set(value)
      return bytes
    },
    stamp: undefined,
    isSameAs: (earlier) => earlier.stamp === undefined && Buffer.compare(earlier.bytes, value) === 0,
  }
}

function checkedSize(size: number, place: ErrorFacts): number {
  if (size <= maxJournalBytes) return size
  throw new GethReaderError('UNSUPPORTED_FORMAT', `trie journal${inPlace(place)} has more than 4 GiB`, {
    ...place,
    expected: `at most ${maxJournalBytes} bytes`,
    found: `${size} bytes`,
  })
}
