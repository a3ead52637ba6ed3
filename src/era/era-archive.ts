// All blocks of a folder of era files, as the tables of a chain freezer: headers, hashes, bodies, receipts and total
// difficulties (`diffs`) from the first block of the first file to the last of the last.
import { LRUCache } from 'lru-cache'
import { GethReaderError } from '../errors.js'
import { fileError } from '../file-error.js'
import type { Allocate, BatchLimits, ItemBatch, TableDescription } from '../freezer/freezer-table.js'
import { keccak256 } from '../kernel/keccak.js'
import { decodeSnappy } from '../kernel/snappy.js'
import { encodeInteger } from '../rlp/encode.js'
import { type EraFile, epochBlocks } from './era-file.js'
import { EraFiles } from './era-files.js'

/** Most items of a batch, as of a table of a freezer. */
const maxBatchItems = 32_768

/** Headers in memory: scans read a block's hash soon after its header. */
const cachedHeaders = 1_024

/** Blocks of an archive. */
interface BlockBounds {
  /** Number of the first block. */
  readonly first: number
  /** Number of the block after the last. */
  readonly end: number
}

/** A folder of era files as of one moment. Owns the descriptors. */
export class EraArchive implements Disposable {
  readonly directory: string
  /** Number of the first block. */
  readonly first: number
  /** Number of the block after the last. */
  readonly head: number
  readonly #files: EraFiles
  readonly #tables: ReadonlyMap<string, EraArchiveTable>

  private constructor(files: EraFiles, { first, end }: BlockBounds) {
    this.#files = files
    this.directory = files.directory
    this.first = first
    this.head = end
    const headers = new LRUCache<number, Uint8Array>({ max: cachedHeaders })
    const header = (number: number) => {
      const cached = headers.get(number)
      if (cached !== undefined) return cached
      const found = this.#fileOf(number).readHeader(number)!
      headers.set(number, found)
      return found
    }
    const readers: Readonly<Record<string, ItemReader>> = {
      headers: { read: header, compressed: true },
      hashes: { read: (number) => keccak256(header(number)), compressed: false },
      bodies: { read: (number) => this.#fileOf(number).read('bodies', number), compressed: true },
      receipts: { read: (number) => this.#fileOf(number).read('receipts', number), compressed: true },
      diffs: { read: (number) => this.#totalDifficulty(number), compressed: false },
    }
    const fileEnd = (number: number) => this.#fileOf(number).end
    this.#tables = new Map(
      Object.entries(readers).map(([name, reader]) => [
        name,
        new EraArchiveTable({ ...reader, fileEnd }, { first, end }),
      ]),
    )
  }

  /**
   * Opens the folder; `bounds` are those of a view to open again, by default those of the files that are there. Throws
   * NOT_A_DATADIR if there are no era files, MISSING_FILE if there is none of an epoch between two others, and DAMAGED.
   */
  static open(directory: string, bounds?: BlockBounds): EraArchive {
    const files = new EraFiles(directory)
    try {
      return new EraArchive(files, bounds ?? boundsOf(files))
    } catch (error) {
      files[Symbol.dispose]()
      throw error
    }
  }

  /** Names of the files, in no order. Throws PERMISSION_DENIED. */
  names(): readonly string[] {
    return this.#files.names()
  }

  table(name: string): EraArchiveTable | undefined {
    return this.#tables.get(name)
  }

  /** The files, as one table. */
  describe(): Pick<TableDescription, 'name' | 'tail' | 'head' | 'files' | 'bytes'>[] {
    return [{ name: 'era', tail: this.first, head: this.head, ...this.#files.describe() }]
  }

  /** May be called twice. */
  close(): void {
    this.#files[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #totalDifficulty(number: number): Uint8Array | undefined {
    const total = this.#fileOf(number).readTotalDifficulty(number)
    return total === undefined ? undefined : encodeInteger(total)
  }

  /**
   * The file of a block that is within the bounds. Throws MISSING_FILE if it was deleted, and HISTORY_PRUNED if it ends
   * before the block: only the last file may, but an era1 file does at the merge.
   */
  #fileOf(number: number): EraFile {
    const epoch = Math.floor(number / epochBlocks)
    const file = this.#files.file(epoch)
    if (file === undefined) throw missingFile(this.directory, epoch)
    if (number < file.end) return file
    throw new GethReaderError(
      'HISTORY_PRUNED',
      `no era file has block ${number}: ${file.path} ends with block ${file.end - 1}`,
      { path: file.path, block: BigInt(number), earliest: BigInt((epoch + 1) * epochBlocks) },
    )
  }
}

interface ItemReader {
  /** Undefined if there is none. */
  read(number: number): Uint8Array | undefined
  /** Whether the table of a freezer has its items as Snappy blocks. */
  readonly compressed: boolean
}

interface ArchiveItemReader extends ItemReader {
  /** Number of the block after the last in the file of a block. Throws as the table. */
  fileEnd(number: number): number
}

/** Items of one kind. Those that a freezer compresses have the form of a Snappy block, as the kernel reads it. */
class EraArchiveTable {
  readonly tail: number
  readonly head: number
  readonly #reader: ArchiveItemReader

  constructor(reader: ArchiveItemReader, { first, end }: BlockBounds) {
    this.#reader = reader
    this.tail = first
    this.head = end
  }

  /**
   * Undefined if it is out of range, or of a kind that the file does not have. Throws HISTORY_PRUNED, DAMAGED, MISSING_FILE,
   * PERMISSION_DENIED, RESOURCE_EXHAUSTED and CLOSED.
   */
  read(item: number): Uint8Array | undefined {
    return item < this.tail || item >= this.head ? undefined : this.#reader.read(item)
  }

  /** The item as a freezer would store it, in the array from `allocate`; else as {@link read}. */
  readRaw(item: number, allocate?: Allocate): Uint8Array | undefined {
    const stored = this.#stored(item)
    if (stored === undefined || allocate === undefined) return stored
    const target = allocate(stored.length)
    target.set(stored)
    return target
  }

  /**
   * Consecutive items of one file as a freezer would store them; undefined if `first` is out of range. Throws as
   * {@link read}.
   */
  readBatch(first: number, { maxItems, maxBytes, allocate }: BatchLimits): ItemBatch | undefined {
    if (first < this.tail || first >= this.head) return undefined
    const items: Uint8Array[] = []
    const most = Math.min(maxItems, maxBatchItems, this.#reader.fileEnd(first) - first)
    let total = 0
    while (items.length < most) {
      const item = this.#stored(first + items.length)
      if (item === undefined || (items.length > 0 && total + item.length > maxBytes)) break
      items.push(item)
      total += item.length
    }
    if (items.length === 0) return undefined
    const bytes = allocate?.(total) ?? new Uint8Array(total)
    const offsets = new Uint32Array(items.length + 1)
    for (const [i, item] of items.entries()) {
      bytes.set(item, offsets[i]!)
      offsets[i + 1] = offsets[i]! + item.length
    }
    return { first, count: items.length, bytes, offsets }
  }

  /** What {@link readRaw} or {@link readBatch} returned of an item, as {@link read} returns it. */
  decodeItem(_item: number, stored: Uint8Array): Uint8Array {
    return this.#reader.compressed ? decodeSnappy(stored) : stored
  }

  #stored(item: number): Uint8Array | undefined {
    const bytes = this.read(item)
    return bytes && this.#reader.compressed ? literalBlock(bytes) : bytes
  }
}

function boundsOf(files: EraFiles): BlockBounds {
  const epochs = files.epochs()
  const path = files.directory
  if (epochs.length === 0) {
    throw new GethReaderError('NOT_A_DATADIR', `${path} holds no era files (NETWORK-EPOCH-….era1 or .ere)`, {
      path,
    })
  }
  const missing = epochs.findIndex((epoch, i) => epoch !== epochs[0]! + i)
  if (missing > 0) throw missingFile(path, epochs[missing - 1]! + 1)
  try {
    return { first: epochs[0]! * epochBlocks, end: files.file(epochs.at(-1)!)!.end }
  } catch (error) {
    throw fileError(error, path)
  }
}

function missingFile(path: string, epoch: number): GethReaderError {
  const message = `${path} has no file of epoch ${epoch} (blocks from ${epoch * epochBlocks} on)`
  return new GethReaderError('MISSING_FILE', message, { path, block: BigInt(epoch * epochBlocks) })
}

/** A Snappy block that holds the bytes as they are: their number as a varint, and one literal. */
function literalBlock(bytes: Uint8Array): Uint8Array {
  const head: number[] = []
  for (let rest = bytes.length; ; rest >>>= 7) {
    head.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80)
    if (rest < 0x80) break
  }
  if (bytes.length === 0) return Uint8Array.from(head)
  const last = bytes.length - 1
  // The tag of a literal whose length less one is in the next four bytes.
  head.push(0xfc, last & 0xff, (last >>> 8) & 0xff, (last >>> 16) & 0xff, last >>> 24)
  const block = new Uint8Array(head.length + bytes.length)
  block.set(head)
  block.set(bytes, head.length)
  return block
}
