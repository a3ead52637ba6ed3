// The MANIFEST of a store up to the last record that was read: the version of tables, and the logs that are not in tables
// yet. Follows goleveldb's leveldb/session.go and Pebble's version_set.go.
import { basename } from 'node:path'
import { MalformedBytes } from './byte-reader.js'
import { damaged, unsupported } from './damage.js'
import { RecordFile } from './record-file.js'
import { bytewiseComparator, type ManifestEdit, type TableEngine } from './table-engine.js'
import type { TableFile } from './table-file.js'
import { applyEdits, emptyVersion, type Version } from './version.js'

export class Manifest {
  readonly name: string
  readonly file: RecordFile
  /** Whether it was checked once that the directory has all tables of the version. */
  isChecked = false
  version: Version = emptyVersion
  /** Logs below this number are in tables, except `previousLogNumber`. */
  logNumber = 0
  previousLogNumber = 0
  nextFileNumber = 0
  /** Highest sequence number that the tables may have. */
  lastSequence = 0
  /** The same at the time when `logNumber` was set: logs from that number on begin at most one above. */
  flushedSequence = 0
  readonly #engine: TableEngine
  #known: ReadonlyMap<number, TableFile> | undefined
  #hasComparator = false

  /**
   * Opens the file. `known` are tables of an earlier MANIFEST of the same store, which are reused with their caches. Throws
   * MISSING_FILE or PERMISSION_DENIED.
   */
  static open(path: string, engine: TableEngine, known?: ReadonlyMap<number, TableFile>): Manifest {
    return new Manifest(RecordFile.open(path), engine, known)
  }

  private constructor(
    file: RecordFile,
    engine: TableEngine,
    known: ReadonlyMap<number, TableFile> | undefined,
  ) {
    this.name = basename(file.path)
    this.file = file
    this.#engine = engine
    this.#known = known
  }

  /** End of the last record that is in the version. */
  get offset(): number {
    return this.file.offset
  }

  /**
   * Applies appended records, up to `limit` bytes of the file. Throws DAMAGED or UNSUPPORTED_FORMAT; after an error the
   * object must not be used.
   */
  read(limit?: number): void {
    const edits: ManifestEdit[] = []
    const { path } = this.file
    this.file.read((record) => {
      // Copied, because tables of the version refer to keys in it.
      edits.push(this.#decode(record.slice()))
    }, limit)
    if (edits.length === 0) return
    for (const edit of edits) this.#take(edit)
    const { isStrict } = this.#engine
    const known = this.#known
    this.version = applyEdits(this.version, edits, { path, isStrict, ...(known && { known }) })
    this.#known = undefined
  }

  /** Throws DAMAGED if records are missing that every MANIFEST has. */
  check(): void {
    const { path, offset } = this.file
    if (!this.#hasComparator) throw damaged(path, offset, 'no record names the order of keys')
    if (this.#engine.namedLogExists && (this.logNumber === 0 || this.nextFileNumber === 0)) {
      throw damaged(path, offset, 'no record names the write-ahead log and the next file')
    }
  }

  #decode(record: Uint8Array): ManifestEdit {
    const { path, offset } = this.file
    try {
      return this.#engine.decodeEdit(record, path)
    } catch (error) {
      throw error instanceof MalformedBytes ? damaged(path, offset, error.message) : error
    }
  }

  #take(edit: ManifestEdit): void {
    if (edit.comparator !== undefined) {
      if (edit.comparator !== bytewiseComparator) {
        throw unsupported(this.file.path, `keys ordered by ${JSON.stringify(edit.comparator)}`)
      }
      this.#hasComparator = true
    }
    if (edit.logNumber !== undefined) {
      this.logNumber = edit.logNumber
      this.flushedSequence = 0
    }
    // The first record of Pebble's MANIFEST names a log without a sequence number; the next record has it.
    if (this.flushedSequence === 0) this.flushedSequence = edit.lastSequence ?? 0
    this.previousLogNumber = edit.previousLogNumber ?? this.previousLogNumber
    this.nextFileNumber = edit.nextFileNumber ?? this.nextFileNumber
    this.lastSequence = Math.max(this.lastSequence, edit.lastSequence ?? 0)
  }
}
