// One era file: its index, and the bodies and receipts of its blocks in the form of the freezer. Two formats, era1 and ere,
// see FORMAT.md. Follows internal/era/onedb and internal/era/execdb of geth.
import { closeSync, fstatSync, openSync } from 'node:fs'
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

/** Blocks of an epoch; a file may have fewer. */
export const epochBlocks = 8_192

/** What is read from era files. */
export type EraTable = 'bodies' | 'receipts'

const wordBytes = 8
/** A block has at most these: header, body, receipts, total difficulty, proof. */
const maxComponents = 5
/** Decoded bytes of a body or of the receipts of a block: as of a record of the freezer. */
const maxDecodedBytes = 256 << 20

const types: Readonly<Record<'era1' | 'ere', Readonly<Record<EraTable, number>>>> = {
  era1: { bodies: recordTypes.body, receipts: recordTypes.receipts },
  ere: { bodies: recordTypes.body, receipts: recordTypes.slimReceipts },
}

/** The components of a block in an ere file, by the type of their records. */
const componentTypes: ReadonlySet<number> = new Set([
  recordTypes.header,
  recordTypes.body,
  recordTypes.slimReceipts,
  recordTypes.totalDifficulty,
  recordTypes.proof,
])

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

/** An open era file. All reads are synchronous. */
export class EraFile implements Disposable {
  readonly path: string
  readonly #fd: number
  readonly #counter: ReadCounter
  readonly #format: 'era1' | 'ere'
  readonly #index: EraIndex
  /** In an ere file, which offset of a block is that of its body, and of its receipts. */
  readonly #component: Readonly<Record<EraTable, number>>
  #isClosed = false

  private constructor(path: string, fd: number, counter: ReadCounter) {
    this.path = path
    this.#fd = fd
    this.#counter = counter
    this.#format = path.endsWith('.era1') ? 'era1' : 'ere'
    this.#index = this.#readIndex()
    this.#component = this.#format === 'era1' ? { bodies: 0, receipts: 0 } : this.#readComponents()
  }

  /**
   * Opens the file of an epoch. Throws DAMAGED if it has no index that it can have, other blocks, or neither bodies nor
   * receipts; MISSING_FILE, PERMISSION_DENIED and RESOURCE_EXHAUSTED.
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

  /** Number of the block after the last. */
  get end(): number {
    return this.#index.first + this.#index.blocks
  }

  /**
   * Body or receipts of a block, as the freezer stores them; undefined if the file does not have the block. Throws DAMAGED.
   */
  read(table: EraTable, number: number): Uint8Array | undefined {
    const block = number - this.#index.first
    if (block < 0 || block >= this.#index.blocks) return undefined
    try {
      const value = decodeFramedSnappy(this.#readValue(table, block), maxDecodedBytes)
      if (table === 'bodies') return value
      return this.#format === 'era1' ? storedFromNetworkReceipts(value) : storedFromSlimReceipts(value)
    } catch (error) {
      throw typedError(error, this.path, { table, block: BigInt(number) })
    }
  }

  /** Closes the file. May be called twice. */
  [Symbol.dispose](): void {
    if (this.#isClosed) return
    this.#isClosed = true
    closeSync(this.#fd)
  }
  #readIndex(): EraIndex {
    const { size } = fstatSync(this.#fd)
    const counts = this.#format === 'era1' ? 1 : 2
    const trailer = this.#readWords(size - wordBytes * counts, counts)
    const blocks = wordAt(trailer, counts - 1)
    const components = this.#format === 'era1' ? 1 : wordAt(trailer, 0)
    if (!(blocks >= 1 && blocks <= epochBlocks && components >= 1 && components <= maxComponents)) {
      throw this.#damage('does not end with the counts of a block index', {
        offset: size - wordBytes * counts,
      })
    }
    const length = wordBytes * (1 + blocks * components + counts)
    const position = size - length - recordHeaderBytes
    const { type, length: stored } = this.#readRecordHeader(position)
    const expected = this.#format === 'era1' ? recordTypes.blockIndex : recordTypes.dynamicBlockIndex
    if (type !== expected || stored !== length) {
      throw this.#damage(`has no block index of ${blocks} blocks at its end`, { offset: position })
    }
    const words = this.#readWords(position + recordHeaderBytes, 1 + blocks * components)
    const offsets = new DataView(words.buffer, words.byteOffset + wordBytes, words.byteLength - wordBytes)
    return { first: wordAt(words, 0), blocks, components, position, offsets }
  }

  #readComponents(): Readonly<Record<EraTable, number>> {
    const found = Array.from({ length: this.#index.components }, (_, component) => {
      return this.#readRecordHeader(this.#offset(0, component)).type
    })
    const unknown = found.find((type, i) => !componentTypes.has(type) || found.indexOf(type) !== i)
    if (unknown !== undefined) throw this.#damage(`has an unknown or repeated component of type ${unknown}`)
    const missing = [recordTypes.header, recordTypes.body, recordTypes.slimReceipts].find(
      (type) => !found.includes(type),
    )
    if (missing !== undefined) throw this.#damage(`has no component of type ${missing}`)
    return { bodies: found.indexOf(types.ere.bodies), receipts: found.indexOf(types.ere.receipts) }
  }

  /** The compressed value of a record. Throws RangeError if another record is there. */
  #readValue(table: EraTable, block: number): Uint8Array {
    let position = this.#offset(block, this.#component[table])
    let record = this.#readRecordHeader(position)
    const type = types[this.#format][table]
    if (this.#format === 'era1') {
      // The offset is that of the header. The body is the next record, and the receipts follow it.
      for (const before of table === 'bodies'
        ? [recordTypes.header]
        : [recordTypes.header, recordTypes.body]) {
        if (record.type !== before)
          throw new RangeError(`expected a record of type ${before}, found ${record.type}`)
        position += recordHeaderBytes + record.length
        record = this.#readRecordHeader(position)
      }
    }
    if (record.type !== type) throw new RangeError(`expected a record of type ${type}, found ${record.type}`)
    return this.#readBytes(position + recordHeaderBytes, record.length)
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

  #readWords(position: number, count: number): DataView {
    const bytes = this.#readBytes(position, wordBytes * count)
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  #readBytes(position: number, length: number): Uint8Array {
    if (position < 0 || length > maxValueBytes) throw this.#damage('is too short for an era file')
    const bytes = new Uint8Array(length)
    if (readAt(this.#fd, bytes, position, this.#counter) < length) {
      throw this.#damage(`ends before byte ${position + length}`, { offset: position })
    }
    return bytes
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
