// One write-ahead log: its file, read up to its last whole record, and the table of its entries.
import { join } from 'node:path'
import { addBatch, batchSequence, UnknownKind } from './batch.js'
import { MalformedBytes } from './byte-reader.js'
import { damaged, unsupported } from './damage.js'
import { LogTable } from './log-table.js'
import { RecordFile } from './record-file.js'
import type { TableEngine } from './table-engine.js'

export class LogFile {
  readonly number: number
  readonly file: RecordFile
  readonly table: LogTable
  /**
   * First sequence number after the last gap in the log; 0 if it has no gap. Writes that bypass the log, such as
   * goleveldb's large batches, leave a gap, and the MANIFEST accounts for it.
   */
  afterGap = 0

  /** Opens the log with this number in a directory. Throws MISSING_FILE or PERMISSION_DENIED. */
  static open(directory: string, number: number, engine: TableEngine): LogFile {
    const path = join(directory, engine.logName(number))
    const file = RecordFile.open(path, engine.logsHaveNumbers ? number : undefined)
    return new LogFile(number, file, new LogTable(engine.hash))
  }

  private constructor(number: number, file: RecordFile, table: LogTable) {
    this.number = number
    this.file = file
    this.table = table
  }

  /** Adds appended batches, up to `limit` bytes of the file. Throws DAMAGED or UNSUPPORTED_FORMAT. */
  read(limit?: number): void {
    this.file.read((record, end) => this.#add(record, end), limit)
  }

  #add(record: Uint8Array, end: number): void {
    const { path, offset } = this.file
    try {
      const { nextSequence } = this.table.position
      const sequence = batchSequence(record)
      if (sequence < nextSequence)
        throw new MalformedBytes(`sequence number ${sequence} after ${nextSequence - 1}`)
      addBatch(this.table, record, end)
      if (nextSequence !== 0 && sequence > nextSequence) this.afterGap = sequence
    } catch (error) {
      if (error instanceof MalformedBytes) throw damaged(path, offset, error.message)
      throw error instanceof UnknownKind ? unsupported(path, error.message) : error
    }
  }
}
