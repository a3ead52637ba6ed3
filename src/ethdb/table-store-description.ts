// Description of a LevelDB or Pebble directory for people: levels, files, sizes, logs, format.

/** Table files of a level. */
export interface LevelDescription {
  /** From 0, where new tables are, to 6. */
  readonly level: number
  /** Table files. */
  readonly files: number
  /** Size of these. */
  readonly bytes: number
}

/** One write-ahead log. */
export interface WriteAheadLogDescription {
  readonly number: number
  /** Bytes of whole records. */
  readonly bytes: number
  /** Writes in it. */
  readonly entries: number
}

/** What a LevelDB or Pebble directory holds. */
export interface TableStoreDescription {
  /** Engine that wrote the store. */
  readonly engine: 'leveldb' | 'pebble'
  /** Format of the directory in words, such as `Pebble 13`. */
  readonly formatVersion: string
  /** The MANIFEST in use. */
  readonly manifest: { readonly name: string; readonly bytes: number }
  /** Levels that have tables. */
  readonly levels: readonly LevelDescription[]
  /** Write-ahead logs that are not in tables yet, oldest first. */
  readonly logs: readonly WriteAheadLogDescription[]
  /** Table files of all levels. */
  readonly tableFiles: number
  /** Size of these. */
  readonly tableBytes: number
  /** Size of the logs. */
  readonly logBytes: number
  /** Sequence number of the last write. */
  readonly lastSequence: number
}
