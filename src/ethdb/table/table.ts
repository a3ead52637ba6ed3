// One open table file of either engine: lookups by index and filter, and blocks for scans. table-contents.ts reads index and
// filter. Follows goleveldb's leveldb/table/reader.go and Pebble's sstable/reader.go.
import type { BlockCache } from './block-cache.js'
import { type FoundEntry, restartCount } from './block-cursor.js'
import type { TableFilter } from './bloom-filter.js'
import type { RangeTombstones } from './range-tombstones.js'
import { type BlockFile, type ReadAhead, readStoredBlock } from './stored-block.js'
import { asDamage, type BlockHandle, parseBlock, type TableContents } from './table-contents.js'
import { TableIndex } from './table-index.js'

/** What is needed to open a table's file, from the MANIFEST; a TableFile has it. */
interface OpenableFile {
  readonly number: number
  readonly bytes: number
  readonly sequence: number
  /** The open table while it is cached. */
  table: Table | undefined
  /** Order of the smallest and of the largest user key of the table relative to `key`. */
  compareSmallest(key: Uint8Array): number
  compareLargest(key: Uint8Array): number
}

/** What a table needs of the store that it belongs to. */
export interface TableStore {
  tablePath(file: OpenableFile): string
  /** The error for a table whose file no longer exists. */
  missingTable(file: OpenableFile, path: string, cause: unknown): unknown
}

/** Owner of the file descriptor of a table and of the block cache. */
export interface TableHost {
  readonly blocks: BlockCache
  /** Opens the table's file and sets its descriptor. Closes the file of another table if too many are open. */
  openDescriptor(table: Table): void
}

/** An open file and what belongs to it. */
interface OpenedTable {
  readonly store: TableStore
  readonly host: TableHost
  readonly path: string
  readonly descriptor: number
  readonly contents: TableContents
}

const scanAreaBytes = 256 * 1024
let scanArea = new Uint8Array(0)
let scanAreaUsed = 0

/** Memory for the blocks of scans. It is never reused, so their entries stay valid. */
function allocateForScan(length: number): Uint8Array {
  if (scanAreaUsed + length > scanArea.length) {
    // The memory need not be zeroed: every byte is written before it is read.
    scanArea = new Uint8Array(Buffer.allocUnsafeSlow(Math.max(scanAreaBytes, length)).buffer)
    scanAreaUsed = 0
  }
  const start = scanAreaUsed
  scanAreaUsed += length
  return scanArea.subarray(start, start + length)
}

export class Table implements BlockFile {
  /** -1 while the host has closed the file. Indexes, filters and cached blocks remain. */
  descriptor: number
  readonly file: OpenableFile
  readonly store: TableStore
  readonly path: string
  readonly bytes: number
  /** The index of data blocks; with `twoLevel`, the index of such indexes. */
  readonly index: TableIndex
  readonly twoLevel: boolean
  readonly filter: TableFilter | undefined
  /** Range deletions; undefined for none. Tables of LevelDB have none. */
  readonly tombstones: RangeTombstones | undefined
  /** Set when the table is used, and when its file is read. The host clears them (clock algorithm). */
  used = true
  wasRead = true
  /** Whether `memoryBytes` is charged to the budget. */
  isCounted = false
  /** Memory of index and filter. */
  memoryBytes: number
  readonly #host: TableHost
  readonly #sequence: number

  /** Takes over an open file, whose contents are read; OpenTables opens it. */
  constructor(file: OpenableFile, { store, host, path, descriptor, contents }: OpenedTable) {
    this.file = file
    this.store = store
    this.path = path
    this.bytes = file.bytes
    this.descriptor = descriptor
    this.index = contents.index
    this.twoLevel = contents.twoLevel
    this.filter = contents.filter
    this.tombstones = contents.tombstones
    this.memoryBytes = this.index.memoryBytes + (this.filter?.memoryBytes ?? 0) + 2048
    this.#host = host
    this.#sequence = file.sequence
  }

  /**
   * Finds the newest entry of the user key, whose bloom hash is `hash`. Fills `found` with offsets in the bytes of the block
   * cache, which are valid until its next use.
   */
  get(key: Uint8Array, hash: number, found: FoundEntry): boolean {
    const { filter } = this
    const host = this.#host
    let { index } = this
    if (this.twoLevel) {
      if (filter !== undefined && !filter.mayContain(hash, 0)) return false
      const top = index.find(key)
      if (top === index.count) return false
      index = index.partitions[top] ?? this.#loadPartition(top)
    }
    const ordinal = index.find(key)
    if (ordinal === index.count) return false
    if (!this.twoLevel && filter !== undefined && !filter.mayContain(hash, ordinal)) return false
    const { blocks } = host
    try {
      this.#locate(index, ordinal)
      if (!blocks.find(key, found)) return false
    } catch (error) {
      throw asDamage(error, this, index.offsetOf(ordinal))
    }
    if (this.#sequence !== 0) found.sequence = this.#sequence
    return true
  }

  /** A decoded data block for a scan, in new memory. Does not add it to the cache: a scan reads each block once. */
  scanBlock(index: TableIndex, ordinal: number, ahead: ReadAhead): Uint8Array {
    if (index.slots[ordinal]! >= 0) {
      const { blocks } = this.#host
      blocks.locate(this, index, ordinal)
      const copy = allocateForScan(blocks.end - blocks.start)
      copy.set(blocks.bytes.subarray(blocks.start, blocks.end))
      return copy
    }
    const offset = index.offsetOf(ordinal)
    this.#prepareRead()
    const block = readStoredBlock(this, offset, index.lengthOf(ordinal), allocateForScan, ahead)
    try {
      restartCount(block, 0, block.length)
    } catch (error) {
      throw asDamage(error, this, offset)
    }
    return block
  }

  /** The lower index with this ordinal in a two-level index. */
  partition(top: number): TableIndex {
    return this.index.partitions[top] ?? this.#loadPartition(top)
  }

  /** Sequence number of an entry with this stored sequence number. */
  sequenceOf(stored: number): number {
    return this.#sequence === 0 ? stored : this.#sequence
  }

  /** A decoded block in new memory, read from the file. Verifies its checksum. */
  readBlock(handle: BlockHandle): Uint8Array {
    this.#prepareRead()
    return readStoredBlock(this, handle.offset, handle.length, (length) => new Uint8Array(length))
  }

  #locate(index: TableIndex, ordinal: number): void {
    if (index.slots[ordinal]! < 0) this.#prepareRead()
    this.#host.blocks.locate(this, index, ordinal)
  }

  /** Opens the file if it is closed. */
  #prepareRead(): void {
    if (this.descriptor < 0) this.#host.openDescriptor(this)
    this.wasRead = true
  }

  #loadPartition(top: number): TableIndex {
    const handle = { offset: this.index.offsetOf(top), length: this.index.lengthOf(top) }
    this.#prepareRead()
    const partition = parseBlock(this, handle, (bytes) => new TableIndex(bytes))
    this.index.partitions[top] = partition
    this.memoryBytes += partition.memoryBytes
    if (this.isCounted) this.#host.blocks.charge(partition.memoryBytes)
    return partition
  }
}
