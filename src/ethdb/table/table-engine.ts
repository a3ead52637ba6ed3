// What differs between the two engines: names of files, pointer to the MANIFEST, edits in it, framing of logs.
import type { VersionEdit } from './version.js'

/** One record of a MANIFEST. Numbers are undefined where the record does not set them. */
export interface ManifestEdit extends VersionEdit {
  readonly comparator: string | undefined
  /** Logs below this number are in tables by now. */
  readonly logNumber: number | undefined
  /** A log below `logNumber` that is live all the same; LevelDB of long ago. */
  readonly previousLogNumber: number | undefined
  readonly nextFileNumber: number | undefined
  /** Highest sequence number that the tables may hold. */
  readonly lastSequence: number | undefined
}

/** File names of a store's directory, read once. */
export interface DirectoryListing {
  readonly names: readonly string[]
  /** Of the names those of markers, which Pebble has. */
  readonly markers: readonly string[]
  /** Numbers of the write-ahead logs, ascending. */
  readonly logs: readonly number[]
}

export interface TableEngine {
  readonly name: 'leveldb' | 'pebble'
  /** Hash of a user key in the filters of the engine's tables. */
  readonly hash: (key: Uint8Array) => number
  /** Whether the chunks of a log carry its number. */
  readonly logsHaveNumbers: boolean
  /** Whether every live log that the MANIFEST names exists. */
  readonly namedLogExists: boolean
  /** Whether a MANIFEST that removes an unknown table is damaged. */
  readonly isStrict: boolean
  /** Lowest sequence number that a new store begins with. */
  readonly firstSequence: number
  /** Name of the current MANIFEST; DAMAGED or MISSING_FILE where nothing sound points at one. */
  findManifest(directory: string, listing: DirectoryListing): string
  /**
   * Whether the MANIFEST is certainly current, told without a new listing from one in which it was; false where only a new
   * one can tell.
   */
  isNamed(directory: string, manifest: string, listing: DirectoryListing): boolean
  /** Decodes a MANIFEST record; MalformedBytes, or UNSUPPORTED_FORMAT naming `path`. */
  decodeEdit(record: Uint8Array, path: string): ManifestEdit
  /** Numbers of the write-ahead logs among the names of a directory. */
  logNumbers(names: readonly string[]): number[]
  logName(number: number): string
  /** Names under which a table may lie, the usual one first. */
  tableNames(number: number): readonly string[]
  /** Version of the format in words, for people. */
  formatVersion(listing: DirectoryListing): string
}

/** The comparator of geth's stores: byte-wise. */
export const bytewiseComparator = 'leveldb.BytewiseComparator'
