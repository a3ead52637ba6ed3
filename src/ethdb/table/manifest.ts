// The MANIFEST of a store as far as it was read: the version it leads to, and which logs are not in tables yet.
import { MalformedBytes } from './byte-reader.js'
import { damaged, unsupported } from './damage.js'
import { RecordFile } from './record-file.js'
import { bytewiseComparator, type ManifestEdit, type TableEngine } from './table-engine.js'
import type { TableFile } from './table-file.js'
import { applyEdits, emptyVersion, type Version } from './version.js'

export class Manifest {
  readonly name: string
  readonly file: RecordFile
  /** Whether all tables of the version were seen in the directory once. */
  isChecked = false
  version: Version = emptyVersion
  /** Logs below this number are in tables, but for `previousLogNumber`. */
  logNumber = 0
  previousLogNumber = 0
  nextFileNumber = 0
  /** Highest sequence number that the tables may hold. */
  lastSequence = 0
  /** The same when `logNumber` was set: the logs from it on begin no later than one above. */
  flushedSequence = 0
  private readonly engine: TableEngine
  private known: ReadonlyMap<number, TableFile> | undefined
  private hasComparator = false

  /** `known` holds tables of an earlier MANIFEST of the same store, to be taken over with what is cached of them. */
  constructor(name: string, path: string, engine: TableEngine, known?: ReadonlyMap<number, TableFile>) {
    this.name = name
    this.engine = engine
    this.known = known
    this.file = new RecordFile(path)
  }

  /** End of the last record that is in the version. */
  get offset(): number {
    return this.file.offset
  }

  /**
   * Applies what was appended, up to `limit` bytes of the file. DAMAGED or UNSUPPORTED_FORMAT; after an error the
   * object is of no use.
   */
  read(limit?: number): void {
    const edits: ManifestEdit[] = []
    const { path } = this.file
    this.file.read((record) => {
      // The record is kept: keys of tables stay where they are in it.
      edits.push(this.decode(record.slice()))
    }, limit)
    if (edits.length === 0) return
    for (const edit of edits) this.take(edit)
    const { isStrict } = this.engine
    const { known } = this
    this.version = applyEdits(this.version, edits, { path, isStrict, ...(known && { known }) })
    this.known = undefined
  }

  /** DAMAGED where the MANIFEST ends before it says what every MANIFEST says. */
  check(): void {
    const { path, offset } = this.file
    if (!this.hasComparator) throw damaged(path, offset, 'no record names the order of keys')
    if (this.engine.namedLogExists && (this.logNumber === 0 || this.nextFileNumber === 0)) {
      throw damaged(path, offset, 'no record names the write-ahead log and the next file')
    }
  }

  private decode(record: Uint8Array): ManifestEdit {
    const { path, offset } = this.file
    try {
      return this.engine.decodeEdit(record, path)
    } catch (error) {
      throw error instanceof MalformedBytes ? damaged(path, offset, error.message) : error
    }
  }

  private take(edit: ManifestEdit): void {
    if (edit.comparator !== undefined) {
      if (edit.comparator !== bytewiseComparator) {
        throw unsupported(this.file.path, `keys ordered by ${JSON.stringify(edit.comparator)}`)
      }
      this.hasComparator = true
    }
    if (edit.logNumber !== undefined) {
      this.logNumber = edit.logNumber
      this.flushedSequence = 0
    }
    // The first record of a MANIFEST of Pebble names a log without a sequence number; the next one has it.
    if (this.flushedSequence === 0) this.flushedSequence = edit.lastSequence ?? 0
    this.previousLogNumber = edit.previousLogNumber ?? this.previousLogNumber
    this.nextFileNumber = edit.nextFileNumber ?? this.nextFileNumber
    this.lastSequence = Math.max(this.lastSequence, edit.lastSequence ?? 0)
  }
}
