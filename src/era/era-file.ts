// One era file: its index, and the bodies and receipts of its blocks in the form of the freezer. Two formats, era1 and ere,
// see FORMAT.md. Follows internal/era/onedb and internal/era/execdb of geth.
import { closeSync, fstatSync, openSync } from 'node:fs'
import { bytesToBigInt, equalBytes } from '../bytes.js'
import { type ErrorFacts, GethReaderError } from '../errors.js'
import { fileError } from '../file-error.js'
import { type ReadCounter, readAt } from '../freezer/positional-read.js'
import {
  decodeRecordHeader,
  maxValueBytes,
  type RecordHeader,
  recordHeaderBytes,
  recordTypes,
} from './e2store.js'
import { storedFromNetworkReceipts, storedFromSlimReceipts } from './era-receipts.js'
import { decodeFramedSnappy } from './framed-snappy.js'
import { SequentialReads } from './sequential-reads.js'

/** Blocks of an epoch; a file may have fewer. */
export const epochBlocks = 8_192

/** The formats, by the ends of the names of files. */
type EraFormat = 'era1' | 'ere'

/** What is read from era files in the place of the freezer. */
export type EraTable = 'bodies' | 'receipts'

/** What a file has of a block, in the order of an era1 file. */
const parts = ['headers', 'bodies', 'receipts', 'totalDifficulty'] as const
type EraPart = (typeof parts)[number]

const wordBytes = 8
const accumulatorBytes = 32
/** Type and length of the record of an accumulator. */
const accumulatorHeader = Uint8Array.of(recordTypes.accumulator, 0, accumulatorBytes, 0, 0, 0, 0, 0)
/** A block has at most these: header, body, receipts, total difficulty, proof. */
const maxComponents = 5
/** Decoded bytes of a header or body, or of the receipts of a block: as of a record of the freezer. */
const maxDecodedBytes = 256 << 20

const types: Readonly<Record<EraFormat, Readonly<Record<EraPart, number>>>> = {
  era1: {
    headers: recordTypes.header,
    bodies: recordTypes.body,
    receipts: recordTypes.receipts,
    totalDifficulty: recordTypes.totalDifficulty,
  },
  ere: {
    headers: recordTypes.header,
    bodies: recordTypes.body,
    receipts: recordTypes.slimReceipts,
    totalDifficulty: recordTypes.totalDifficulty,
  },
}

/** The components of a block in an ere file, by the type of their records. */
const componentTypes: ReadonlySet<number> = new Set([...Object.values(types.ere), recordTypes.proof])

/** The index of a file. */
interface EraIndex {
  /** Number of the first block. */
  readonly first: number
  readonly blocks: number
  /** Offsets for each block: 1 in an era1 file. */
  readonly components: number
  /** Position of the record of the index, from which its offsets count. */
  readonly position: number
  /** Offsets of all blocks. */
  readonly offsets: DataView
}

/** A record and the bytes of its value. */
interface PlacedRecord {
  readonly position: number
  readonly length: number
}

/** An open era file. All reads are synchronous. */
export class EraFile implements Disposable {
  readonly path: string
  readonly #fd: number
  readonly #counter: ReadCounter
  readonly format: EraFormat
  readonly #index: EraIndex
  /** In an ere file, the types of the records of a block, in the order of their offsets. */
  readonly #components: readonly number[]
  /** What is read of records, by what they hold: in an ere file those of one kind follow each other. */
  readonly #ahead: Readonly<Record<EraPart, SequentialReads>>
  #isClosed = false

  private constructor(path: string, fd: number, counter: ReadCounter) {
    this.path = path
    this.#fd = fd
    this.#counter = counter
    this.format = path.endsWith('.era1') ? 'era1' : 'ere'
    this.#index = this.#readIndex()
    this.#components = this.format === 'era1' ? [] : this.#readComponents()
    const all = this.format === 'era1' ? this.#sequentialReads() : undefined
    const ofPart = () => all ?? this.#sequentialReads()
    this.#ahead = { headers: ofPart(), bodies: ofPart(), receipts: ofPart(), totalDifficulty: ofPart() }
  }

  /**
   * Opens the file of an epoch. Throws DAMAGED if it has no index that it can have, other blocks, or no headers or bodies;
   * MISSING_FILE, PERMISSION_DENIED and RESOURCE_EXHAUSTED.
   */
  static open(path: string, epoch: number, counter: ReadCounter = { calls: 0, bytes: 0 }): EraFile {
    let fd: number | undefined
    try {
      fd = openSync(path, 'r')
      const file = new EraFile(path, fd, counter)
      const { first } = file.#index
      if (first === epoch * epochBlocks) return file
      throw file.#damage(`begins with block ${first}, not with block ${epoch * epochBlocks}`)
    } catch (error) {
      if (fd !== undefined) closeSync(fd)
      throw typedError(error, path)
    }
  }

  /** Number of the first block. */
  get first(): number {
    return this.#index.first
  }

  /** Number of the block after the last. */
  get end(): number {
    return this.#index.first + this.#index.blocks
  }

  /** Whether it has receipts: the profile `noreceipts` of ere files leaves them out. */
  get hasReceipts(): boolean {
    return this.format === 'era1' || this.#components.includes(recordTypes.slimReceipts)
  }

  /** Throws DAMAGED if it has no receipts. */
  expectReceipts(): void {
    if (!this.hasReceipts) throw this.#damage('has no receipts')
  }

  /**
   * Body or receipts of a block, as the freezer stores them; undefined if the file does not have the block, or no receipts.
   * Throws DAMAGED.
   */
  read(table: EraTable, number: number): Uint8Array | undefined {
    if (table === 'receipts' && !this.hasReceipts) return undefined
    const rlp = this.#read(table, number)
    if (rlp === undefined || table === 'bodies') return rlp
    return this.#decoding(table, number, () =>
      this.format === 'era1' ? storedFromNetworkReceipts(rlp) : storedFromSlimReceipts(rlp),
    )
  }

  /** RLP of the header of a block; undefined if the file does not have it. Throws DAMAGED. */
  readHeader(number: number): Uint8Array | undefined {
    return this.#read('headers', number)
  }

  /** Sum of the difficulties up to a block and with it; undefined if the file does not have it. Throws DAMAGED. */
  readTotalDifficulty(number: number): bigint | undefined {
    if (this.format === 'ere' && !this.#components.includes(recordTypes.totalDifficulty)) return undefined
    const bytes = this.#readValue('totalDifficulty', number)
    return bytes && bytesToBigInt(bytes.toReversed())
  }

  /** Root over the blocks before the merge (the accumulator record); undefined if the file has none. Throws DAMAGED. */
  readAccumulator(): Uint8Array | undefined {
    const size = recordHeaderBytes + accumulatorBytes
    const record = this.#readBytes(this.#index.position - size, size)
    // In a file without one, part of another record is there.
    const isThere = equalBytes(record.subarray(0, recordHeaderBytes), accumulatorHeader)
    return isThere ? record.subarray(recordHeaderBytes) : undefined
  }

  /** Throws DAMAGED if the records do not follow each other from a version at the start to the index at the end. */
  checkRecords(): void {
    const reads = this.#sequentialReads()
    let position = 0
    while (position < this.#index.position) {
      const { type, length } = this.#recordHeaderAt(reads, position)
      if (position === 0 && (type !== recordTypes.version || length !== 0)) {
        throw this.#damage('does not begin with the record of a version', { offset: 0 })
      }
      position += recordHeaderBytes + length
    }
    if (position !== this.#index.position) {
      throw this.#damage('has no record that ends where its block index begins', {
        offset: this.#index.position,
      })
    }
  }

  /** Closes the file. May be called twice. */
  [Symbol.dispose](): void {
    if (this.#isClosed) return
    this.#isClosed = true
    closeSync(this.#fd)
  }

  #sequentialReads(): SequentialReads {
    return new SequentialReads((position, length) => {
      const bytes = Buffer.allocUnsafeSlow(length)
      const read = readAt(this.#fd, bytes, position, this.#counter)
      return new Uint8Array(bytes.buffer, 0, read)
    })
  }

  #readIndex(): EraIndex {
    const { size } = fstatSync(this.#fd)
    const counts = this.format === 'era1' ? 1 : 2
    const trailer = this.#readWords(size - wordBytes * counts, counts)
    const blocks = wordAt(trailer, counts - 1)
    const components = this.format === 'era1' ? 1 : wordAt(trailer, 0)
    if (!(blocks >= 1 && blocks <= epochBlocks && components >= 1 && components <= maxComponents)) {
      throw this.#damage('does not end with the counts of a block index', {
        offset: size - wordBytes * counts,
      })
    }
    const length = wordBytes * (1 + blocks * components + counts)
    const position = size - length - recordHeaderBytes
    const { type, length: stored } = this.#readRecordHeader(position)
    const expected = this.format === 'era1' ? recordTypes.blockIndex : recordTypes.dynamicBlockIndex
    if (type !== expected || stored !== length) {
      throw this.#damage(`has no block index of ${blocks} blocks at its end`, { offset: position })
    }
    const words = this.#readWords(position + recordHeaderBytes, 1 + blocks * components)
    const offsets = new DataView(words.buffer, words.byteOffset + wordBytes, words.byteLength - wordBytes)
    return { first: wordAt(words, 0), blocks, components, position, offsets }
  }

  #readComponents(): readonly number[] {
    const found = Array.from({ length: this.#index.components }, (_, component) => {
      return this.#readRecordHeader(this.#offset(0, component)).type
    })
    const unknown = found.find((type, i) => !componentTypes.has(type) || found.indexOf(type) !== i)
    if (unknown !== undefined) throw this.#damage(`has an unknown or repeated component of type ${unknown}`)
    const missing = [types.ere.headers, types.ere.bodies].find((type) => !found.includes(type))
    if (missing !== undefined) throw this.#damage(`has no component of type ${missing}`)
    return found
  }

  #read(part: EraPart, number: number): Uint8Array | undefined {
    const value = this.#readValue(part, number)
    return value && this.#decoding(part, number, () => decodeFramedSnappy(value, maxDecodedBytes))
  }

  /** The value of a record of a block; undefined if the file does not have the block. */
  #readValue(part: EraPart, number: number): Uint8Array | undefined {
    const block = number - this.#index.first
    if (block < 0 || block >= this.#index.blocks) return undefined
    return this.#decoding(part, number, () => {
      const { position, length } =
        this.format === 'era1' ? this.#after(part, block) : this.#component(part, block)
      return this.#recordBytes(part, position + recordHeaderBytes, length)
    })
  }

  /** A record of a block in an era1 file: the index names the header, and the others follow it. */
  #after(part: EraPart, block: number): PlacedRecord {
    let position = this.#offset(block, 0)
    for (const each of parts) {
      const record = this.#expectRecord(each, position, types.era1[each])
      if (each === part) return record
      position += recordHeaderBytes + record.length
    }
    throw new RangeError(`a block has no ${part}`)
  }

  #component(part: EraPart, block: number): PlacedRecord {
    const type = types.ere[part]
    return this.#expectRecord(part, this.#offset(block, this.#components.indexOf(type)), type)
  }

  #expectRecord(part: EraPart, position: number, expected: number): PlacedRecord {
    const { type, length } = decodeRecordHeader(this.#recordBytes(part, position, recordHeaderBytes))
    if (type !== expected) throw new RangeError(`expected a record of type ${expected}, found ${type}`)
    return { position, length }
  }

  /** Result of `decode`. What goes wrong in it is DAMAGED at this block. */
  #decoding<T>(part: EraPart, number: number, decode: () => T): T {
    try {
      return decode()
    } catch (error) {
      throw typedError(error, this.path, { table: part, block: BigInt(number) })
    }
  }

  /** Position in the file of a block's component. */
  #offset(block: number, component: number): number {
    const { components, offsets, position } = this.#index
    const offset = position + Number(offsets.getBigInt64(wordBytes * (block * components + component), true))
    if (offset >= 0 && offset < position) return offset
    throw this.#damage(`its index places block ${this.#index.first + block} outside of the file`, {
      offset: position,
    })
  }

  #readRecordHeader(position: number): RecordHeader {
    return decodeRecordHeader(this.#readBytes(position, recordHeaderBytes))
  }

  #recordHeaderAt(reads: SequentialReads, position: number): RecordHeader {
    try {
      return decodeRecordHeader(reads.bytes(position, recordHeaderBytes))
    } catch (error) {
      throw typedError(error, this.path, { offset: position })
    }
  }

  #readWords(position: number, count: number): DataView {
    const bytes = this.#readBytes(position, wordBytes * count)
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  #recordBytes(part: EraPart, position: number, length: number): Uint8Array {
    const bytes = this.#ahead[part].bytes(position, length)
    if (bytes.length < length) throw this.#endsBefore(position, length)
    return bytes
  }

  #readBytes(position: number, length: number): Uint8Array {
    if (position < 0 || length > maxValueBytes) throw this.#damage('is too short for an era file')
    const bytes = new Uint8Array(length)
    if (readAt(this.#fd, bytes, position, this.#counter) < length) {
      throw this.#endsBefore(position, length)
    }
    return bytes
  }

  #endsBefore(position: number, length: number): GethReaderError {
    return this.#damage(`ends before byte ${position + length}`, { offset: position })
  }

  #damage(message: string, facts: ErrorFacts = {}): GethReaderError {
    return new GethReaderError('DAMAGED', `${this.path} ${message}`, { path: this.path, ...facts })
  }
}

/** The typed form of what went wrong in a file, also of a decoder's RangeError. */
function typedError(error: unknown, path: string, facts: ErrorFacts = {}): Error {
  if (!(error instanceof RangeError)) return fileError(error, path, facts)
  const what = facts.table === undefined ? '' : ` ${facts.table} of block ${facts.block}:`
  return new GethReaderError('DAMAGED', `${path}:${what} ${error.message}`, { ...facts, path, cause: error })
}

/** A word that counts something; infinity beyond 2^53. */
function wordAt(words: DataView, index: number): number {
  const value = Number(words.getBigUint64(wordBytes * index, true))
  return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY
}
