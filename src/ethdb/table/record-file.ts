// An open log or MANIFEST. It is read once, and later only its new bytes. What records mean is left to the caller.
import { closeSync, fstatSync, statSync } from 'node:fs'
import { type ChunkEnd, logBlockBytes, readRecords } from './chunk-reader.js'
import { damaged } from './damage.js'
import { fileBytes, openForReading, readUpTo } from './file-access.js'

const firstWindowBytes = 64 * logBlockBytes
const maxWindowBytes = 4096 * logBlockBytes
/** A chunk can look damaged while a node writes it, so reading is retried after a pause. */
const damageRetries = 5
const retryMilliseconds = 2

export class RecordFile {
  readonly path: string
  readonly descriptor: number
  /** End of the last whole record read, in bytes. */
  offset = 0
  /** Length of the file when it was read last. */
  seenBytes = 0
  readonly #logNumber: number | undefined
  #closed = false

  /** Opens the file. Throws MISSING_FILE or PERMISSION_DENIED. `logNumber`: see ChunkWindow. */
  static open(path: string, logNumber?: number): RecordFile {
    return new RecordFile(path, openForReading(path), logNumber)
  }

  private constructor(path: string, descriptor: number, logNumber: number | undefined) {
    this.path = path
    this.descriptor = descriptor
    this.#logNumber = logNumber === undefined ? undefined : logNumber >>> 0
  }

  /** Whether the length of the file has changed since it was read last. */
  get hasChanged(): boolean {
    return fileBytes(this.descriptor) !== this.seenBytes
  }

  /** Whether the path still names the open file. */
  get isInPlace(): boolean {
    const there = statSync(this.path, { throwIfNoEntry: false })
    const open = fstatSync(this.descriptor)
    return there !== undefined && there.ino === open.ino && there.dev === open.dev
  }

  /**
   * Calls `onRecord` with each whole record after `offset` and the offset of its end, up to `limit` bytes of the file. The
   * memory of records is not reused. Throws DAMAGED for a fault that neither a crash nor an unfinished write explains.
   */
  read(onRecord: (record: Uint8Array, end: number) => void, limit = Number.POSITIVE_INFINITY): void {
    let windowBytes = firstWindowBytes
    let retries = 0
    for (;;) {
      const size = Math.min(limit, fileBytes(this.descriptor))
      this.seenBytes = size
      if (size <= this.offset) return
      const base = this.offset - (this.offset % logBlockBytes)
      const isLast = size - base <= windowBytes
      // The memory need not be zeroed: every byte is read from the file before it is used.
      const bytes = new Uint8Array(Buffer.allocUnsafeSlow(isLast ? size - base : windowBytes).buffer)
      const read = readUpTo(this.descriptor, bytes, 0, bytes.length, base, this.path)
      if (read < bytes.length) continue // Truncated since, when it was recycled: check the length again.
      const before = this.offset
      const end: ChunkEnd = readRecords(
        { bytes, base, isLast, logNumber: this.#logNumber },
        before,
        (record, at) => {
          onRecord(record, at)
          this.offset = at
        },
      )
      if (end.damage !== undefined) {
        if (retries++ === damageRetries) throw damaged(this.path, end.damage.offset, end.damage.reason)
        pause(retryMilliseconds)
        continue
      }
      if (!end.more) return
      // A record longer than the window needs a larger window. After progress a larger window saves system calls.
      windowBytes = Math.min(
        windowBytes * 2,
        end.offset === before ? Number.MAX_SAFE_INTEGER : maxWindowBytes,
      )
    }
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    closeSync(this.descriptor)
  }
}

/** Blocks the thread, because views are taken synchronously. */
export function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
