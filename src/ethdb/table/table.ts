// One open table file of either engine: footer, metaindex, index, filter, range deletions, and lookups in it.
// Follows goleveldb's leveldb/table/reader.go and Pebble's sstable/reader.go with sstable/table.go.
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

/** Place of a block: its offset and its stored length without trailer. */
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

/** Named blocks of a table, and what the footer says. */
interface TableLayout {
  /** Format in words, such as `Pebble 2`. */
  readonly format: string
  readonly metaindex: BlockHandle
  readonly index: BlockHandle
  /** Blocks that the metaindex names, by name. */
  readonly named: ReadonlyMap<string, BlockHandle>
}

/** What the MANIFEST tells of a table's file, as far as opening it needs that; a TableFile is one. */
interface OpenableFile {
  readonly number: number
  readonly bytes: number
  readonly sequence: number
  /** The open table while the cache holds it. */
  table: Table | undefined
  /** Order of the smallest and of the largest user key against `key`. */
  compareSmallest(key: Uint8Array): number
  compareLargest(key: Uint8Array): number
}

/** What a table needs of the store that it belongs to. */
export interface TableStore {
  tablePath(file: OpenableFile): string
  /** What to throw where the file of a table is not there any more. */
  missingTable(file: OpenableFile, path: string, cause: unknown): unknown
}

/** Who lends a table its file descriptor and its memory. */
export interface TableHost {
  readonly blocks: BlockCache
  /** Opens the table's file and sets its descriptor, closing that of another table where there are too many. */
  openDescriptor(table: Table): void
}

const scanAreaBytes = 256 * 1024
let scanArea = new Uint8Array(0)
let scanAreaUsed = 0

/** Memory for blocks that scans pass; it is never written twice, so that their entries stay valid. */
function allocateForScan(length: number): Uint8Array {
  if (scanAreaUsed + length > scanArea.length) {
    // Every byte is written before anyone sees it, so that nothing need be cleared.
    scanArea = new Uint8Array(Buffer.allocUnsafeSlow(Math.max(scanAreaBytes, length)).buffer)
    scanAreaUsed = 0
  }
  const start = scanAreaUsed
  scanAreaUsed += length
  return scanArea.subarray(start, start + length)
}

export class Table implements BlockFile {
  /** -1 while the host has closed the file; indexes, filters and cached blocks outlive that. */
  descriptor = -1
  readonly file: OpenableFile
  readonly store: TableStore
  readonly path: string
  readonly bytes: number
  readonly layout: TableLayout
  /** The data index, or with `twoLevel` the index of data indexes. */
  readonly index: TableIndex
  readonly twoLevel: boolean
  readonly filter: TableFilter | undefined
  /** Range deletions; undefined for none, as in every LevelDB table. */
  readonly tombstones: RangeTombstones | undefined
  /** Set at each use and at each read of the file, cleared by the clocks of the host. */
  used = true
  wasRead = true
  /** Whether the host counts the memory of this table now. */
  isCounted = false
  /** Memory of index and filter, which the host counts. */
  memoryBytes = 0
  private readonly host: TableHost
  private readonly sequence: number

  /** Opens a table file; DAMAGED or UNSUPPORTED_FORMAT, and what the host throws where it is not there. */
  constructor(file: OpenableFile, store: TableStore, host: TableHost) {
    this.file = file
    this.store = store
    this.path = store.tablePath(file)
    this.host = host
    this.sequence = file.sequence
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
    const { format, metaindex, index } = this.readFooter()
    this.layout = { format, metaindex, index, named: this.readMetaindex(metaindex) }
    this.twoLevel = this.readIndexType() === twoLevelIndex
    this.index = this.parseBlock(index, (block) => new TableIndex(block))
    this.filter = this.readFilter()
    this.tombstones = this.readTombstones()
    this.memoryBytes = this.index.memoryBytes + (this.filter?.memoryBytes ?? 0) + 2048
  }

  /**
   * Finds the newest entry of the user key, whose bloom hash is `hash`, and fills `found`, whose places are in the bytes
   * of the block cache until its next use.
   */
  get(key: Uint8Array, hash: number, found: FoundEntry): boolean {
    const { filter, host } = this
    let { index } = this
    if (this.twoLevel) {
      if (filter !== undefined && !filter.mayContain(hash, 0)) return false
      const top = index.find(key)
      if (top === index.count) return false
      index = index.partitions[top] ?? this.loadPartition(top)
    }
    const ordinal = index.find(key)
    if (ordinal === index.count) return false
    if (!this.twoLevel && filter !== undefined && !filter.mayContain(hash, ordinal)) return false
    const { blocks } = host
    try {
      this.locate(index, ordinal)
      if (!blocks.find(key, found)) return false
    } catch (error) {
      throw this.asDamage(error, index.offsets[ordinal]!)
    }
    if (this.sequence !== 0) found.sequence = this.sequence
    return true
  }

  /** Decoded data block that a scan passes once, in memory of its own; what is not cached stays so. */
  scanBlock(index: TableIndex, ordinal: number, ahead: ReadAhead): Uint8Array {
    if (index.slots[ordinal]! >= 0) {
      const { blocks } = this.host
      blocks.locate(this, index, ordinal)
      const copy = allocateForScan(blocks.end - blocks.start)
      copy.set(blocks.bytes.subarray(blocks.start, blocks.end))
      return copy
    }
    const offset = index.offsets[ordinal]!
    this.prepareRead()
    const block = readStoredBlock(this, offset, index.lengths[ordinal]!, allocateForScan, ahead)
    try {
      restartCount(block, 0, block.length)
    } catch (error) {
      throw this.asDamage(error, offset)
    }
    return block
  }

  /** Parsed index `top` below the top of a two-level index. */
  partition(top: number): TableIndex {
    return this.index.partitions[top] ?? this.loadPartition(top)
  }

  /** Sequence number that an entry of the file counts with. */
  sequenceOf(stored: number): number {
    return this.sequence === 0 ? stored : this.sequence
  }

  /** A block outside the cache, in memory of its own; checks its checksum. */
  readBlock(handle: BlockHandle): Uint8Array {
    return this.readStored(handle, (bytes) => new Uint8Array(bytes))
  }

  /** DAMAGED for a malformed block at `offset`; anything else as it is. */
  asDamage(error: unknown, offset: number): unknown {
    return error instanceof MalformedBytes ? damaged(this.path, offset, error.message) : error
  }

  private locate(index: TableIndex, ordinal: number): void {
    if (index.slots[ordinal]! < 0) this.prepareRead()
    this.host.blocks.locate(this, index, ordinal)
  }

  /** Sees to it that the file is open. */
  private prepareRead(): void {
    if (this.descriptor < 0) this.host.openDescriptor(this)
    this.wasRead = true
  }

  private loadPartition(top: number): TableIndex {
    const handle = { offset: this.index.offsets[top]!, length: this.index.lengths[top]! }
    const partition = this.parseBlock(handle, (bytes) => new TableIndex(bytes))
    this.index.partitions[top] = partition
    this.memoryBytes += partition.memoryBytes
    if (this.isCounted) this.host.blocks.charge(partition.memoryBytes)
    return partition
  }

  private readStored({ offset, length }: BlockHandle, allocate: (length: number) => Uint8Array): Uint8Array {
    this.prepareRead()
    return readStoredBlock(this, offset, length, allocate)
  }

  private parseBlock<T>(handle: BlockHandle, parse: (bytes: Uint8Array) => T): T {
    const bytes = this.readBlock(handle)
    try {
      return parse(bytes)
    } catch (error) {
      throw this.asDamage(error, handle.offset)
    }
  }

  private readFooter(): { format: string; metaindex: BlockHandle; index: BlockHandle } {
    const { path, bytes } = this
    const length = Math.min(bytes, rocksDbFooterBytes)
    const tail = new Uint8Array(length)
    readExactly(this.descriptor, tail, 0, length, bytes - length, path)
    const magic = Buffer.from(tail.subarray(Math.max(0, length - magicBytes))).toString('hex')
    const isLevelDb = magic === levelDbMagic
    if (!isLevelDb && magic !== rocksDbMagic && magic !== pebbleMagic) {
      throw damaged(
        path,
        Math.max(0, bytes - magicBytes),
        'a table ends with a known magic number, this does not',
      )
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

  private readMetaindex(handle: BlockHandle): ReadonlyMap<string, BlockHandle> {
    return this.parseBlock(handle, (bytes) => {
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

  private readIndexType(): number {
    const { named } = this.layout
    for (const name of ['pebble.range_key', 'pebble.value_index', 'pebble.blob_ref_index']) {
      if (named.has(name)) throw unsupported(this.path, `a block ${name}`)
    }
    const properties = named.get('rocksdb.properties')
    if (properties === undefined) return 0
    return this.parseBlock(properties, (bytes) => {
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

  private readFilter(): TableFilter | undefined {
    const { named } = this.layout
    const whole = named.get('fullfilter.rocksdb.BuiltinBloomFilter')
    if (whole !== undefined) return this.parseBlock(whole, (bytes) => new WholeTableFilter(bytes))
    // LevelDB in C++ writes the same filter under the second name; geth's own has the first.
    const ranged =
      named.get('filter.leveldb.BuiltinBloomFilter') ?? named.get('filter.leveldb.BuiltinBloomFilter2')
    // Its ranges are those of data blocks, which a two-level index, as no LevelDB writes it, does not have at hand.
    if (ranged === undefined || this.twoLevel) return undefined
    return this.parseBlock(ranged, (bytes) => new RangedFilter(bytes, this.index.offsets))
  }

  private readTombstones(): RangeTombstones | undefined {
    const { named } = this.layout
    const handle = named.get('rocksdb.range_del2') ?? named.get('rocksdb.range_del')
    if (handle === undefined) return undefined
    return this.parseBlock(handle, (bytes) => {
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
