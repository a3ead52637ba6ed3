// Description of a LevelDB or Pebble directory for people: levels, files, sizes, logs, format.

/** Table files of a level. */
export interface LevelDescription {
  readonly level: number
  readonly files: number
  readonly bytes: number
}

/** One write-ahead log. */
export interface WriteAheadLogDescription {
  readonly number: number
  /** Bytes of whole records. */
  readonly bytes: number
  readonly entries: number
}

/** What a LevelDB or Pebble directory holds. */
export interface TableStoreDescription {
  readonly engine: 'leveldb' | 'pebble'
  /** Format of the directory in words, such as `Pebble 13`. */
  readonly formatVersion: string
  readonly manifest: { readonly name: string; readonly bytes: number }
  /** Levels that have tables. */
  readonly levels: readonly LevelDescription[]
  /** Write-ahead logs that are not in tables yet, oldest first. */
  readonly logs: readonly WriteAheadLogDescription[]
  readonly tableFiles: number
  readonly tableBytes: number
  readonly logBytes: number
  readonly lastSequence: number
}
