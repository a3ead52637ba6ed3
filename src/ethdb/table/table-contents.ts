// Reads everything in a table file except its data blocks: footer, metaindex, index, filter, range deletions. Lookups are
// left to table.ts. Follows goleveldb's leveldb/table/reader.go and Pebble's sstable/reader.go and sstable/table.go.
import { BlockCursor, readUint32 } from './block-cursor.js'
import { RangedFilter, type TableFilter, WholeTableFilter } from './bloom-filter.js'
import { ByteReader, MalformedBytes } from './byte-reader.js'
import { damaged, unsupported } from './damage.js'
import { entryKind } from './entry-kind.js'
import { fileBytes, readExactly } from './file-access.js'
import { type RangeTombstone, RangeTombstones } from './range-tombstones.js'
import { type BlockFile, type BytesRead, readStoredBlock } from './stored-block.js'
import { TableIndex } from './table-index.js'

const levelDbMagic = '57fb808b247547db'
const rocksDbMagic = 'f7cff485b741e288'
const pebbleMagic = 'f09faab3f09faab3'
const magicBytes = 8
const levelDbFooterBytes = 48
const rocksDbFooterBytes = 53
const checksumCrc32c = 1
/** Value of the index type property for an index of indexes. */
const twoLevelIndex = 2

/** Where a block is: its offset, and its stored length without trailer. */
export interface BlockHandle {
  readonly offset: number
  readonly length: number
}

/** Named blocks of a table. */
type NamedBlocks = ReadonlyMap<string, BlockHandle>

export interface TableContents {
  /** The index of data blocks; with `twoLevel`, the index of such indexes. */
  readonly index: TableIndex
  readonly twoLevel: boolean
  readonly filter: TableFilter | undefined
  /** Range deletions; undefined for none. Tables of LevelDB have none. */
  readonly tombstones: RangeTombstones | undefined
}

/**
 * Reads the contents of an open table, whose length is `opened.bytes` by the MANIFEST. `sequence` is that of all entries of a
 * table that Pebble ingested, 0 for other tables. Throws DAMAGED or UNSUPPORTED_FORMAT.
 */
export function readTableContents(opened: BlockFile, sequence: number): TableContents {
  const bytes = fileBytes(opened.descriptor)
  if (bytes !== opened.bytes) {
    const reason = `it has ${bytes} bytes, the MANIFEST says ${opened.bytes}`
    throw damaged(opened.path, Math.min(bytes, opened.bytes), reason)
  }
  const file = { ...opened, ahead: readTail(opened) }
  const footer = readFooter(file)
  const named = readMetaindex(file, footer.metaindex)
  const twoLevel = readIndexType(file, named) === twoLevelIndex
  const index = parseBlock(file, footer.index, (block) => new TableIndex(block))
  return {
    index,
    twoLevel,
    // goleveldb's filter needs the offsets of all data blocks. A two-level index, which LevelDB never writes, has none.
    filter: readFilter(file, named, twoLevel ? undefined : index),
    tombstones: readTombstones(file, named, sequence),
  }
}

/** Most tables have all their blocks but those of data in so many last bytes. */
const tailBytes = 48 * 1024

const tailMemory = new Uint8Array(tailBytes)

/** Reads the end of a file at once, instead of five blocks and the footer. Its bytes are valid until the next end is read. */
function readTail({ descriptor, path, bytes }: BlockFile): BytesRead {
  const length = Math.min(bytes, tailBytes)
  const start = bytes - length
  readExactly(descriptor, tailMemory, 0, length, start, path)
  return {
    read: (_, offset, wanted) =>
      offset < start ? undefined : tailMemory.subarray(offset - start, offset - start + wanted),
  }
}

function newBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(length)
}

/** More than an index or a filter of the usual tables takes. */
const parsedMemory = new Uint8Array(64 * 1024)

/** Memory for a block that is parsed, until the next one is. */
function parsedBlock(length: number): Uint8Array {
  return length > parsedMemory.length ? new Uint8Array(length) : parsedMemory.subarray(0, length)
}

/**
 * Reads a block, verifies its checksum and parses it. Its bytes are valid while it is parsed, unless they are allocated otherwise. Throws
 * DAMAGED if it is malformed.
 */
export function parseBlock<T>(
  file: BlockFile,
  handle: BlockHandle,
  parse: (bytes: Uint8Array) => T,
  allocate = parsedBlock,
): T {
  const bytes = readStoredBlock(file, handle.offset, handle.length, allocate, file.ahead)
  try {
    return parse(bytes)
  } catch (error) {
    throw asDamage(error, file, handle.offset)
  }
}

/** DAMAGED with `offset` for MalformedBytes; other errors as they are. */
export function asDamage(error: unknown, file: BlockFile, offset: number): unknown {
  return error instanceof MalformedBytes ? damaged(file.path, offset, error.message) : error
}

function readFooter(file: Required<BlockFile>): {
  readonly metaindex: BlockHandle
  readonly index: BlockHandle
} {
  const { path, bytes } = file
  const length = Math.min(bytes, rocksDbFooterBytes)
  const tail = file.ahead.read(file, bytes - length, length)!
  const magic = Buffer.from(tail.subarray(Math.max(0, length - magicBytes))).toString('hex')
  const isLevelDb = magic === levelDbMagic
  if (!isLevelDb && magic !== rocksDbMagic && magic !== pebbleMagic) {
    throw damaged(path, Math.max(0, bytes - magicBytes), 'it does not end with the magic number of a table')
  }
  const footerBytes = isLevelDb ? levelDbFooterBytes : rocksDbFooterBytes
  if (length < footerBytes) throw damaged(path, 0, `${bytes} bytes are too few for a table`)
  const footer = tail.subarray(length - footerBytes)
  if (!isLevelDb) {
    const version = readUint32(footer, footerBytes - magicBytes - 4)
    const isRocksDb = magic === rocksDbMagic
    const known = isRocksDb ? version === 2 : version === 1 || version === 2
    if (!known) throw unsupported(path, `a table of format ${isRocksDb ? 'RocksDB' : 'Pebble'} ${version}`)
    if (footer[0] !== checksumCrc32c) throw unsupported(path, `checksums of type ${footer[0]}`)
  }
  try {
    const reader = new ByteReader(footer, isLevelDb ? 0 : 1)
    const metaindex = { offset: reader.varint(), length: reader.varint() }
    return { metaindex, index: { offset: reader.varint(), length: reader.varint() } }
  } catch (error) {
    throw asDamage(error, file, bytes - footerBytes)
  }
}

function readMetaindex(file: BlockFile, handle: BlockHandle): NamedBlocks {
  return parseBlock(file, handle, (bytes) => {
    const named = new Map<string, BlockHandle>()
    const cursor = new BlockCursor(bytes)
    while (cursor.next()) {
      const place = new ByteReader(bytes, cursor.valueStart, cursor.valueEnd)
      named.set(keyText(cursor), { offset: place.varint(), length: place.varint() })
    }
    return named
  })
}

function readIndexType(file: BlockFile, named: NamedBlocks): number {
  for (const name of ['pebble.range_key', 'pebble.value_index', 'pebble.blob_ref_index']) {
    if (named.has(name)) throw unsupported(file.path, `a block ${name}`)
  }
  const properties = named.get('rocksdb.properties')
  if (properties === undefined) return 0
  return parseBlock(file, properties, (bytes) => {
    const cursor = new BlockCursor(bytes)
    while (cursor.next()) {
      const isNumber = cursor.valueEnd - cursor.valueStart === 4
      if (isNumber && keyText(cursor) === 'rocksdb.block.based.table.index.type') {
        return readUint32(bytes, cursor.valueStart)
      }
    }
    return 0
  })
}

/** `index` is that of all data blocks, if there is one. */
function readFilter(
  file: BlockFile,
  named: NamedBlocks,
  index: TableIndex | undefined,
): TableFilter | undefined {
  const whole = named.get('fullfilter.rocksdb.BuiltinBloomFilter')
  if (whole !== undefined) return parseBlock(file, whole, (bytes) => new WholeTableFilter(bytes), newBytes)
  // goleveldb writes the first name, LevelDB in C++ the second for the same filter.
  const ranged =
    named.get('filter.leveldb.BuiltinBloomFilter') ?? named.get('filter.leveldb.BuiltinBloomFilter2')
  if (ranged === undefined || index === undefined) return undefined
  return parseBlock(file, ranged, (bytes) => new RangedFilter(bytes, index))
}

function readTombstones(file: BlockFile, named: NamedBlocks, sequence: number): RangeTombstones | undefined {
  const handle = named.get('rocksdb.range_del2') ?? named.get('rocksdb.range_del')
  if (handle === undefined) return undefined
  return parseBlock(
    file,
    handle,
    (bytes) => {
      const tombstones: RangeTombstone[] = []
      const cursor = new BlockCursor(bytes)
      while (cursor.next()) {
        const startEnd = cursor.keyStart + cursor.userKeyLength
        if (cursor.kind !== entryKind.rangeDelete) {
          throw new MalformedBytes(`kind ${cursor.kind} is no range deletion`)
        }
        tombstones.push({
          start: cursor.key.subarray(cursor.keyStart, startEnd),
          end: bytes.subarray(cursor.valueStart, cursor.valueEnd),
          sequence: sequence === 0 ? cursor.sequence : sequence,
        })
      }
      return tombstones.length === 0 ? undefined : new RangeTombstones(tombstones)
    },
    newBytes,
  )
}

function keyText({ key, keyStart, keyEnd }: BlockCursor): string {
  return Buffer.from(key.subarray(keyStart, keyEnd)).toString('latin1')
}
