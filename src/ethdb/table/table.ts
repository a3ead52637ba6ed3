// One open table file of either engine: footer, metaindex, index, filter, range deletions, and lookups. Follows goleveldb's
// leveldb/table/reader.go and Pebble's sstable/reader.go and sstable/table.go.
import type { BlockCache } from './block-cache.js'
import { BlockCursor, type FoundEntry, readUint32, restartCount } from './block-cursor.js'
import { RangedFilter, type TableFilter, WholeTableFilter } from './bloom-filter.js'
import { ByteReader, MalformedBytes } from './byte-reader.js'
import { damaged, unsupported } from './damage.js'
import { entryKind } from './entry-kind.js'
import { fileBytes, readExactly } from './file-access.js'
import { type RangeTombstone, RangeTombstones } from './range-tombstones.js'
import { type BlockFile, type ReadAhead, readStoredBlock } from './stored-block.js'
import { TableIndex } from './table-index.js'

/** Where a block is: its offset, and its stored length without trailer. */
interface BlockHandle {
  readonly offset: number
  readonly length: number
}

const levelDbMagic = '57fb808b247547db'
const rocksDbMagic = 'f7cff485b741e288'
const pebbleMagic = 'f09faab3f09faab3'
const magicBytes = 8
const levelDbFooterBytes = 48
const rocksDbFooterBytes = 53
const checksumCrc32c = 1
/** Value of the index type property for an index of indexes. */
const twoLevelIndex = 2

/** The contents of the footer and the metaindex of a table. */
interface TableLayout {
  /** Format in words, such as `Pebble 2`. */
  readonly format: string
  readonly metaindex: BlockHandle
  readonly index: BlockHandle
  /** Blocks of the metaindex by name. */
  readonly named: ReadonlyMap<string, BlockHandle>
}

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
  descriptor = -1
  readonly file: OpenableFile
  readonly store: TableStore
  readonly path: string
  readonly bytes: number
  readonly layout: TableLayout
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
  memoryBytes = 0
  readonly #host: TableHost
  readonly #sequence: number

  /** Opens a table file. Throws DAMAGED, UNSUPPORTED_FORMAT, and the store's error for a missing file. */
  constructor(file: OpenableFile, store: TableStore, host: TableHost) {
    this.file = file
    this.store = store
    this.path = store.tablePath(file)
    this.#host = host
    this.#sequence = file.sequence
    this.bytes = file.bytes
    host.openDescriptor(this)
    const bytes = fileBytes(this.descriptor)
    if (bytes !== file.bytes) {
      throw damaged(
        this.path,
        Math.min(bytes, file.bytes),
        `it has ${bytes} bytes, the MANIFEST says ${file.bytes}`,
      )
    }
    const { format, metaindex, index } = this.#readFooter()
    this.layout = { format, metaindex, index, named: this.#readMetaindex(metaindex) }
    this.twoLevel = this.#readIndexType() === twoLevelIndex
    this.index = this.#parseBlock(index, (block) => new TableIndex(block))
    this.filter = this.#readFilter()
    this.tombstones = this.#readTombstones()
    this.memoryBytes = this.index.memoryBytes + (this.filter?.memoryBytes ?? 0) + 2048
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
      throw this.asDamage(error, index.offsets[ordinal]!)
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
    const offset = index.offsets[ordinal]!
    this.#prepareRead()
    const block = readStoredBlock(this, offset, index.lengths[ordinal]!, allocateForScan, ahead)
    try {
      restartCount(block, 0, block.length)
    } catch (error) {
      throw this.asDamage(error, offset)
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
    return this.#readStored(handle, (bytes) => new Uint8Array(bytes))
  }

  /** DAMAGED with `offset` for MalformedBytes; other errors as they are. */
  asDamage(error: unknown, offset: number): unknown {
    return error instanceof MalformedBytes ? damaged(this.path, offset, error.message) : error
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
    const handle = { offset: this.index.offsets[top]!, length: this.index.lengths[top]! }
    const partition = this.#parseBlock(handle, (bytes) => new TableIndex(bytes))
    this.index.partitions[top] = partition
    this.memoryBytes += partition.memoryBytes
    if (this.isCounted) this.#host.blocks.charge(partition.memoryBytes)
    return partition
  }

  #readStored({ offset, length }: BlockHandle, allocate: (length: number) => Uint8Array): Uint8Array {
    this.#prepareRead()
    return readStoredBlock(this, offset, length, allocate)
  }

  #parseBlock<T>(handle: BlockHandle, parse: (bytes: Uint8Array) => T): T {
    const bytes = this.readBlock(handle)
    try {
      return parse(bytes)
    } catch (error) {
      throw this.asDamage(error, handle.offset)
    }
  }

  #readFooter(): { format: string; metaindex: BlockHandle; index: BlockHandle } {
    const { path, bytes } = this
    const length = Math.min(bytes, rocksDbFooterBytes)
    const tail = new Uint8Array(length)
    readExactly(this.descriptor, tail, 0, length, bytes - length, path)
    const magic = Buffer.from(tail.subarray(Math.max(0, length - magicBytes))).toString('hex')
    const isLevelDb = magic === levelDbMagic
    if (!isLevelDb && magic !== rocksDbMagic && magic !== pebbleMagic) {
      throw damaged(path, Math.max(0, bytes - magicBytes), 'it does not end with the magic number of a table')
    }
    const footerBytes = isLevelDb ? levelDbFooterBytes : rocksDbFooterBytes
    if (length < footerBytes) throw damaged(path, 0, `${bytes} bytes are too few for a table`)
    const footer = tail.subarray(length - footerBytes)
    let format = 'LevelDB'
    if (!isLevelDb) {
      const version = readUint32(footer, footerBytes - magicBytes - 4)
      const known = magic === rocksDbMagic ? version === 2 : version === 1 || version === 2
      format = `${magic === rocksDbMagic ? 'RocksDB' : 'Pebble'} ${version}`
      if (!known) throw unsupported(path, `a table of format ${format}`)
      if (footer[0] !== checksumCrc32c) throw unsupported(path, `checksums of type ${footer[0]}`)
    }
    try {
      const reader = new ByteReader(footer, isLevelDb ? 0 : 1)
      const metaindex = { offset: reader.varint(), length: reader.varint() }
      return { format, metaindex, index: { offset: reader.varint(), length: reader.varint() } }
    } catch (error) {
      throw this.asDamage(error, bytes - footerBytes)
    }
  }

  #readMetaindex(handle: BlockHandle): ReadonlyMap<string, BlockHandle> {
    return this.#parseBlock(handle, (bytes) => {
      const named = new Map<string, BlockHandle>()
      const cursor = new BlockCursor(bytes)
      while (cursor.next()) {
        const name = Buffer.from(cursor.key.subarray(cursor.keyStart, cursor.keyEnd)).toString('latin1')
        const place = new ByteReader(bytes, cursor.valueStart, cursor.valueEnd)
        named.set(name, { offset: place.varint(), length: place.varint() })
      }
      return named
    })
  }

  #readIndexType(): number {
    const { named } = this.layout
    for (const name of ['pebble.range_key', 'pebble.value_index', 'pebble.blob_ref_index']) {
      if (named.has(name)) throw unsupported(this.path, `a block ${name}`)
    }
    const properties = named.get('rocksdb.properties')
    if (properties === undefined) return 0
    return this.#parseBlock(properties, (bytes) => {
      const cursor = new BlockCursor(bytes)
      while (cursor.next()) {
        const name = Buffer.from(cursor.key.subarray(cursor.keyStart, cursor.keyEnd)).toString('latin1')
        if (name === 'rocksdb.block.based.table.index.type' && cursor.valueEnd - cursor.valueStart === 4) {
          return readUint32(bytes, cursor.valueStart)
        }
      }
      return 0
    })
  }

  #readFilter(): TableFilter | undefined {
    const { named } = this.layout
    const whole = named.get('fullfilter.rocksdb.BuiltinBloomFilter')
    if (whole !== undefined) return this.#parseBlock(whole, (bytes) => new WholeTableFilter(bytes))
    // goleveldb writes the first name, LevelDB in C++ the second for the same filter.
    const ranged =
      named.get('filter.leveldb.BuiltinBloomFilter') ?? named.get('filter.leveldb.BuiltinBloomFilter2')
    // The filter needs the offsets of all data blocks. A two-level index, which LevelDB never writes, does not have them.
    if (ranged === undefined || this.twoLevel) return undefined
    return this.#parseBlock(ranged, (bytes) => new RangedFilter(bytes, this.index.offsets))
  }

  #readTombstones(): RangeTombstones | undefined {
    const { named } = this.layout
    const handle = named.get('rocksdb.range_del2') ?? named.get('rocksdb.range_del')
    if (handle === undefined) return undefined
    return this.#parseBlock(handle, (bytes) => {
      const tombstones: RangeTombstone[] = []
      const cursor = new BlockCursor(bytes)
      while (cursor.next()) {
        const startEnd = cursor.keyStart + cursor.userKeyLength
        if (cursor.kind !== entryKind.rangeDelete)
          throw new MalformedBytes(`kind ${cursor.kind} is no range deletion`)
        tombstones.push({
          start: cursor.key.subarray(cursor.keyStart, startEnd),
          end: bytes.subarray(cursor.valueStart, cursor.valueEnd),
          sequence: this.sequenceOf(cursor.sequence),
        })
      }
      return tombstones.length === 0 ? undefined : new RangeTombstones(tombstones)
    })
  }
}
