// LevelDB's CURRENT and MANIFEST: which table files and logs make up the store. Leaves the files themselves to the
// view. Follows goleveldb's leveldb/session_record.go.
import { GethReaderError } from '../errors.js'
import { logBlockBytes, scanLog } from './log-framing.js'

/** What the edits of a MANIFEST add up to. */
export interface ManifestState {
  readonly comparator: string | undefined
  /** Logs from this number on hold writes that no table has; 0 for none. */
  readonly logNumber: number
  /** One older log that also counts, written by old LevelDB only; 0 for none. */
  readonly previousLogNumber: number
  readonly nextFileNumber: number
  readonly tables: ReadonlyMap<number, TableEntry>
}

/** One table of the current version. */
export interface TableEntry {
  readonly level: number
  /** Size in bytes. */
  readonly size: number
}

/** The only key order geth uses. */
export const bytewiseComparator = 'leveldb.BytewiseComparator'

const tag = {
  comparator: 1,
  logNumber: 2,
  nextFileNumber: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLogNumber: 9,
} as const

/** Name of the manifest that a CURRENT file points at; DAMAGED where it is not one line `MANIFEST-NNNNNN`. */
export function parseCurrent(text: string, path: string): string {
  const match = /^(MANIFEST-\d+)\n$/.exec(text)
  if (match) return match[1]!
  throw new GethReaderError('DAMAGED', `${path} does not name a manifest; restore it from a backup`, {
    path,
    expected: 'MANIFEST-NNNNNN and a newline',
    found: JSON.stringify(text.slice(0, 64)),
  })
}

/** Adds up the edits in the bytes of the manifest at `path`; DAMAGED where they contradict their checksums. */
export function parseManifest(bytes: Uint8Array, path: string): ManifestState {
  const state = new ManifestBuilder(path)
  const scan = scanLog(blocksOf(bytes), (record) => state.apply(record))
  if (scan.damage) throw damagedManifest(path, scan.damage.offset, scan.damage.reason)
  if (scan.torn) throw damagedManifest(path, scan.wholeBytes, 'last record cut off')
  return state.finish()
}

function* blocksOf(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += logBlockBytes) {
    yield bytes.subarray(offset, offset + logBlockBytes)
  }
}

function damagedManifest(path: string, offset: number, reason: string): GethReaderError {
  const message =
    `${path} is damaged at byte ${offset}: ${reason}. Which tables make up the store is unknown; ` +
    'copy the directory again or let geth repair it'
  return new GethReaderError('DAMAGED', message, { path, offset, found: reason })
}

class ManifestBuilder {
  readonly #path: string
  readonly #tables = new Map<number, TableEntry>()
  #comparator: string | undefined
  #logNumber: number | undefined
  #previousLogNumber = 0
  #nextFileNumber: number | undefined
  #records = 0

  constructor(path: string) {
    this.#path = path
  }

  apply(record: Uint8Array): void {
    this.#records += 1
    const edit = new EditCursor(record)
    const added: [number, TableEntry][] = []
    try {
      while (!edit.done) this.#field(edit, added)
    } catch (error) {
      const reason = `record ${this.#records}: ${(error as Error).message}`
      throw new GethReaderError('DAMAGED', `${this.#path} is damaged: ${reason}`, {
        path: this.#path,
        item: this.#records,
        found: reason,
        cause: error,
      })
    }
    // A table that moves down a level is deleted and added by one edit, in either order.
    for (const [number, table] of added) this.#tables.set(number, table)
  }

  #field(edit: EditCursor, added: [number, TableEntry][]): void {
    const kind = edit.varint()
    switch (kind) {
      case tag.comparator:
        this.#comparator = new TextDecoder().decode(edit.slice())
        break
      case tag.logNumber:
        this.#logNumber = edit.varint()
        break
      case tag.previousLogNumber:
        this.#previousLogNumber = edit.varint()
        break
      case tag.nextFileNumber:
        this.#nextFileNumber = edit.varint()
        break
      case tag.lastSequence:
        edit.varint()
        break
      case tag.compactPointer:
        edit.varint()
        edit.slice()
        break
      case tag.deletedFile: {
        const level = edit.varint()
        const number = edit.varint()
        if (this.#tables.get(number)?.level === level) this.#tables.delete(number)
        break
      }
      case tag.newFile: {
        const level = edit.varint()
        const number = edit.varint()
        added.push([number, { level, size: edit.varint() }])
        edit.slice()
        edit.slice()
        break
      }
      default:
        throw new RangeError(`unknown tag ${kind}`)
    }
  }

  finish(): ManifestState {
    if (this.#logNumber === undefined || this.#nextFileNumber === undefined) {
      const found = this.#records === 0 ? 'no records' : 'no log number or no next file number'
      throw damagedManifest(this.#path, 0, found)
    }
    return {
      comparator: this.#comparator,
      logNumber: this.#logNumber,
      previousLogNumber: this.#previousLogNumber,
      nextFileNumber: this.#nextFileNumber,
      tables: this.#tables,
    }
  }
}

/** Reads the varints and length-prefixed strings of an edit; RangeError past its end. */
class EditCursor {
  readonly #bytes: Uint8Array
  #position = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get done(): boolean {
    return this.#position >= this.#bytes.length
  }

  varint(): number {
    let value = 0
    let unit = 1
    for (;;) {
      const byte = this.#bytes[this.#position++]
      if (byte === undefined) throw new RangeError('edit cut off')
      value += (byte & 0x7f) * unit
      if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('number beyond 2^53')
      if (byte < 0x80) return value
      unit *= 128
    }
  }

  slice(): Uint8Array {
    const end = this.varint() + this.#position
    if (end > this.#bytes.length) throw new RangeError('edit cut off')
    const slice = this.#bytes.subarray(this.#position, end)
    this.#position = end
    return slice
  }
}
