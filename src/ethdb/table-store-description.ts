// Description of a LevelDB or Pebble directory for people: levels, files, sizes, logs, format.

/** Table files of a level. */
interface LevelDescription {
  readonly level: number
  readonly files: number
  readonly bytes: number
}

interface LogDescription {
  readonly number: number
  /** Bytes of whole records. */
  readonly bytes: number
  readonly entries: number
}

export interface TableStoreDescription {
  readonly engine: 'leveldb' | 'pebble'
  /** Format of the directory in words, such as `Pebble 13`. */
  readonly formatVersion: string
  readonly manifest: { readonly name: string; readonly bytes: number }
  /** Levels that have tables. */
  readonly levels: readonly LevelDescription[]
  /** Write-ahead logs that are not in tables yet, oldest first. */
  readonly logs: readonly LogDescription[]
  readonly tableFiles: number
  readonly tableBytes: number
  readonly logBytes: number
  readonly lastSequence: number
}
