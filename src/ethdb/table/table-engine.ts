// The differences between LevelDB and Pebble: file names, the pointer to the MANIFEST, its edits, the framing of logs.
import type { VersionEdit } from './version.js'

/** One record of a MANIFEST. Fields that the record does not set are undefined. */
export interface ManifestEdit extends VersionEdit {
  readonly comparator: string | undefined
  /** Logs below this number are in tables. */
  readonly logNumber: number | undefined
  /** A log below `logNumber` that is live nevertheless; only very old LevelDB versions set it. */
  readonly previousLogNumber: number | undefined
  readonly nextFileNumber: number | undefined
  /** Highest sequence number that the tables may have. */
  readonly lastSequence: number | undefined
}

/** File names of a store's directory, read once. */
export interface DirectoryListing {
  readonly names: readonly string[]
  /** The names of markers, which Pebble has. */
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
  /** Name of the current MANIFEST. Throws DAMAGED or MISSING_FILE if no sound file points at one. */
  findManifest(directory: string, listing: DirectoryListing): string
  /**
   * Whether the MANIFEST, current in this listing, is certainly still current. False if only a new listing can show it.
   */
  isNamed(directory: string, manifest: string, listing: DirectoryListing): boolean
  /** Decodes a record of the MANIFEST at `path`. Throws MalformedBytes or UNSUPPORTED_FORMAT. */
  decodeEdit(record: Uint8Array, path: string): ManifestEdit
  /** Numbers of the write-ahead logs among the names of a directory. */
  logNumbers(names: readonly string[]): number[]
  logName(number: number): string
  /** Possible ends of the name of a table, with the dot, the usual one first. */
  readonly tableExtensions: readonly string[]
  /** Possible names of a table, the usual one first. */
  tableNames(number: number): readonly string[]
  /** Version of the format in words, for people. Only Pebble's is in the names of the directory. */
  formatVersion(list: () => DirectoryListing): string
}

/** The comparator of geth's stores: bytewise order. */
export const bytewiseComparator = 'leveldb.BytewiseComparator'
