// Encodes a column of a row group as a Parquet column chunk: pages with checksums, a dictionary if it saves space, statistics,
// and a bloom filter. Follows parquet-format; pages are of version 1, which every reader knows.
import { crc32 } from 'node:zlib'
import { optimalNumBytes } from 'hyparquet-writer/src/bloom.js'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import type { ColumnKernel } from '../encoding/column-kernel.js'
import type { Compress } from '../encoding/compression.js'
import { type PresentValues, presentValues } from '../encoding/present-values.js'
import type { OutputValues } from '../output-values.js'

/** Bytes of values in a page, about. */
const pageBytes = 1 << 20
/** Rows of a page are multiples of this, so that a page begins with a byte of the validity bitmap. */
const pageStep = 8
/** A dictionary is used if it and its indices have at most this share of the plain bytes, and at most so many bytes itself. */
const dictionaryShare = 0.8
const dictionaryBytes = 2 << 20
/** Share of absent values that a bloom filter reports as possibly present. */
const falsePositives = 0.01

const orders = { bool: 0, u32: 1, i32: 2, u64: 3, i64: 4, f64: 0, decimal: 0, binary: 0, string: 0 } as const

export interface ColumnEncoding {
  readonly kernel: ColumnKernel
  readonly compress: Compress
  /** Whether the column gets a bloom filter. */
  readonly hasBloom: boolean
}

/** A column chunk in parts, in the order of the file. */
export interface EncodedColumn {
  /** Pages with their headers. */
  readonly parts: readonly Uint8Array[]
  readonly compressedBytes: number
  readonly uncompressedBytes: number
  /** Bytes of the dictionary page, which comes first; undefined without one. */
  readonly dictionaryPageBytes: number | undefined
  readonly min: StatisticValue | undefined
  readonly max: StatisticValue | undefined
  /** Words of the filter; undefined without one. */
  readonly bloom: Uint8Array | undefined
}

type StatisticValue = boolean | number | bigint | Uint8Array

/** The distinct values of a column, in the memory of the kernel. */
interface Dictionary {
  readonly count: number
  readonly indicesAt: number
  readonly firstsAt: number
  readonly hashesAt: number
}

/** Values in the memory of the kernel. */
interface LoadedValues {
  readonly at: number
  /** 0 if the values have one width. */
  readonly offsetsAt: number
  readonly width: number
  readonly count: number
  /** Bytes of all values in PLAIN encoding. */
  readonly plainBytes: number
}

/** Encodes a column of a row group. */
export function encodeColumn(
  column: OutputValues,
  rows: number,
  { kernel, compress, hasBloom }: ColumnEncoding,
): EncodedColumn {
  const { top } = kernel
  const present = presentValues(column, rows)
  const pages = new PageWriter(kernel, compress, column, rows)
  if (column.type === 'bool') {
    pages.writeBits(present)
    return { ...pages.finish(), ...bitExtremes(present), bloom: undefined }
  }
  const loaded = load(kernel, present)
  const dictionary = loaded.count > 0 ? findDictionary(kernel, loaded, hasBloom) : undefined
  const bloom = hasBloom && dictionary ? bloomFilter(kernel, dictionary) : undefined
  const extremes = findExtremes(kernel, column, present, loaded)
  if (!(dictionary && pages.writeDictionary(loaded, dictionary))) pages.writePlain(present, loaded)
  kernel.release(top)
  return { ...pages.finish(), ...extremes, bloom }
}

function load(kernel: ColumnKernel, { count, values, offsets, width }: PresentValues): LoadedValues {
  const at = kernel.allocateCopy(values)
  const offsetsAt = offsets ? kernel.allocateCopy(offsets) : 0
  const plainBytes = offsets ? offsets[count]! + 4 * count : width * count
  return { at, offsetsAt, width, count, plainBytes }
}

/** The distinct values; undefined if they are too many for a dictionary and no filter needs them. */
function findDictionary(
  kernel: ColumnKernel,
  loaded: LoadedValues,
  isNeeded: boolean,
): Dictionary | undefined {
  const { at, offsetsAt, width, count } = loaded
  const limit = isNeeded ? count : count >> 1
  const slots = 2 ** Math.ceil(Math.log2(2 * count + 1))
  const firstsAt = kernel.allocate(4 * limit)
  const hashesAt = kernel.allocate(8 * limit)
  const indicesAt = kernel.allocate(4 * count)
  const { top } = kernel
  const tableAt = kernel.allocateZeros(4 * slots)
  const distinct = kernel.functions.buildDictionary(
    at,
    offsetsAt,
    width,
    count,
    limit,
    tableAt,
    slots,
    firstsAt,
    hashesAt,
    indicesAt,
  )
  kernel.release(top)
  return distinct < 0 ? undefined : { count: distinct, indicesAt, firstsAt, hashesAt }
}

/** A split-block filter of the distinct values, whose size is a power of two. */
function bloomFilter(kernel: ColumnKernel, { count, hashesAt }: Dictionary): Uint8Array {
  const { top } = kernel
  const byteLength = optimalNumBytes(count, falsePositives)
  const at = kernel.allocateZeros(byteLength)
  kernel.functions.bloomInsert(hashesAt, count, at, byteLength / 32)
  kernel.release(top)
  return kernel.bytes(at, byteLength).slice()
}

type Extremes = Pick<EncodedColumn, 'min' | 'max'>

function findExtremes(
  kernel: ColumnKernel,
  { type }: OutputValues,
  { values, offsets }: PresentValues,
  { at, offsetsAt, width, count }: LoadedValues,
): Extremes {
  if (count === 0) return { min: undefined, max: undefined }
  if (type === 'decimal' && hasNegative(values as Uint8Array, count)) {
    // The order of the kernel is that of unsigned bytes.
    let [min, max] = [decimalAt(values as Uint8Array, 0), decimalAt(values as Uint8Array, 0)]
    for (let at = 32; at < 32 * count; at += 32) {
      const value = decimalAt(values as Uint8Array, at)
      if (value < min) min = value
      if (value > max) max = value
    }
    return { min, max }
  }
  if (type === 'f64') {
    const numbers = new Float64Array(values.buffer, values.byteOffset, count)
    const [min, max] = [numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))]
    // By the specification a zero counts as both zeros.
    return { min: min === 0 ? -0 : min, max: max === 0 ? 0 : max }
  }
  const targetAt = kernel.allocate(8)
  kernel.functions.extremes(at, offsetsAt, width, count, orders[type], targetAt)
  const [least, most] = kernel.words(targetAt, 2)
  const valueAt = (row: number): StatisticValue => {
    const start = offsets ? offsets[row]! : row * width
    const end = offsets ? offsets[row + 1]! : start + width
    const bytes = new Uint8Array(values.buffer, values.byteOffset + start, end - start)
    if (type === 'binary' || type === 'string') return bytes.slice()
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    if (type === 'decimal') return decimalAt(bytes, 0)
    return width === 4 ? view.getInt32(0, true) : view.getBigInt64(0, true)
  }
  return { min: valueAt(least!), max: valueAt(most!) }
}

function hasNegative(values: Uint8Array, count: number): boolean {
  for (let at = 0; at < 32 * count; at += 32) if (values[at]! >= 0x80) return true
  return false
}

/** 32 bytes in two's complement. */
function decimalAt(values: Uint8Array, at: number): bigint {
  return BigInt.asIntN(256, BigInt(`0x${Buffer.from(values.subarray(at, at + 32)).toString('hex')}`))
}

function bitExtremes({ count, values }: PresentValues): Extremes {
  if (count === 0) return { min: undefined, max: undefined }
  let trues = 0
  for (const byte of values as Uint8Array) for (let bits = byte; bits > 0; bits &= bits - 1) trues++
  return { min: trues === count, max: trues > 0 }
}

/** The pages of one column chunk. */
class PageWriter {
  readonly #kernel: ColumnKernel
  readonly #compress: Compress
  readonly #column: OutputValues
  readonly #rows: number
  readonly #parts: Uint8Array[] = []
  #compressedBytes = 0
  #uncompressedBytes = 0
  #dictionaryPageBytes: number | undefined

  constructor(kernel: ColumnKernel, compress: Compress, column: OutputValues, rows: number) {
    this.#kernel = kernel
    this.#compress = compress
    this.#column = column
    this.#rows = rows
  }

  finish(): Omit<EncodedColumn, 'min' | 'max' | 'bloom'> {
    return {
      parts: this.#parts,
      compressedBytes: this.#compressedBytes,
      uncompressedBytes: this.#uncompressedBytes,
      dictionaryPageBytes: this.#dictionaryPageBytes,
    }
  }

  /** Writes one page of bits. */
  writeBits({ values, count }: PresentValues): void {
    const length = Math.ceil(count / 8)
    this.#writePage(0, this.#rows, length, 'PLAIN', (at) => {
      this.#kernel.bytes(at, length).set((values as Uint8Array).subarray(0, length))
      return at + length
    })
  }

  /** Writes a dictionary page and a page of indices; false if that would save little. */
  writeDictionary(loaded: LoadedValues, { count, indicesAt, firstsAt }: Dictionary): boolean {
    const kernel = this.#kernel
    const width = Math.max(1, Math.ceil(Math.log2(count)))
    const packedBytes = 16 + Math.ceil(loaded.count / 8) * (width + 1)
    if (packedBytes > dictionaryShare * loaded.plainBytes) return false
    const valuesAt = kernel.allocate(
      Math.min(loaded.plainBytes, this.#distinctBytes(loaded, count, firstsAt)),
    )
    const offsetsAt = kernel.allocate(4 * (count + 1))
    const { functions } = kernel
    const end = functions.gatherBytes(
      loaded.at,
      loaded.offsetsAt,
      loaded.width,
      firstsAt,
      count,
      valuesAt,
      offsetsAt,
    )
    const plainBytes = end - valuesAt + (loaded.offsetsAt === 0 ? 0 : 4 * count)
    if (plainBytes > dictionaryBytes || plainBytes + packedBytes > dictionaryShare * loaded.plainBytes) {
      return false
    }
    let plainAt = valuesAt
    if (loaded.offsetsAt !== 0) {
      plainAt = kernel.allocate(plainBytes)
      functions.writePlainBytes(valuesAt, offsetsAt, 0, count, plainAt)
    }
    this.#addPage(plainAt, plainBytes, {
      type: 'DICTIONARY_PAGE',
      dictionary_page_header: { num_values: count, encoding: 'PLAIN' },
    })
    this.#dictionaryPageBytes = this.#compressedBytes
    this.#writePage(0, this.#rows, packedBytes, 'RLE_DICTIONARY', (at) => {
      kernel.bytes(at, 1)[0] = width
      return functions.writeHybrid(indicesAt, loaded.count, width, at + 1)
    })
    return true
  }

  /** Bytes of the distinct values. */
  #distinctBytes({ offsetsAt, width }: LoadedValues, count: number, firstsAt: number): number {
    if (offsetsAt === 0) return width * count
    const firsts = this.#kernel.words(firstsAt, count)
    const offsets = this.#kernel.words(offsetsAt, 0)
    const all = new Uint32Array(offsets.buffer)
    let bytes = 0
    for (const row of firsts) bytes += all[offsetsAt / 4 + row + 1]! - all[offsetsAt / 4 + row]!
    return bytes
  }

  /** Writes pages of whole values, cut after a number of bytes. */
  writePlain({ offsets, width }: PresentValues, { at: valuesAt, offsetsAt }: LoadedValues): void {
    const kernel = this.#kernel
    const bytesUpTo = (value: number) => (offsets ? offsets[value]! + 4 * value : width * value)
    let [row, value] = [0, 0]
    while (row < this.#rows) {
      let [end, endValue] = [row, value]
      do {
        endValue += this.#presentIn(end)
        end += pageStep
      } while (end < this.#rows && bytesUpTo(endValue) - bytesUpTo(value) < pageBytes)
      const rows = Math.min(end, this.#rows) - row
      const [from, to] = [value, endValue]
      const length = bytesUpTo(to) - bytesUpTo(from)
      this.#writePage(row, rows, length, 'PLAIN', (at) => {
        if (offsets) return kernel.functions.writePlainBytes(valuesAt, offsetsAt, from, to, at)
        kernel.bytes(at, length).set(kernel.bytes(valuesAt + width * from, length))
        return at + length
      })
      ;[row, value] = [row + rows, to]
    }
  }

  /** Values in the next rows, of which a step is counted. */
  #presentIn(row: number): number {
    const { validity } = this.#column
    if (validity === undefined) return Math.min(pageStep, this.#rows - row)
    let present = 0
    for (let bits = validity[row >> 3]!; bits > 0; bits &= bits - 1) present++
    return present
  }

  /** Writes a data page: levels, if the column may have nulls, and what `write` writes to an address, up to its result. */
  #writePage(
    row: number,
    rows: number,
    byteLength: number,
    encoding: 'PLAIN' | 'RLE_DICTIONARY',
    write: (at: number) => number,
  ): void {
    const kernel = this.#kernel
    const { top } = kernel
    const levels = this.#levels(row, rows)
    const at = kernel.allocate(levels.length + byteLength)
    kernel.bytes(at, levels.length).set(levels)
    const end = write(at + levels.length)
    this.#addPage(at, end - at, {
      type: 'DATA_PAGE',
      data_page_header: {
        num_values: rows,
        encoding,
        definition_level_encoding: 'RLE',
        repetition_level_encoding: 'RLE',
      },
    })
    kernel.release(top)
  }

  /** Definition levels of a nullable column: which rows have a value, after the length. */
  #levels(row: number, rows: number): Uint8Array {
    const { validity, isNullable } = this.#column
    const levels = new ByteWriter()
    if (!isNullable) return levels.getBytes()
    levels.appendUint32(0)
    if (validity === undefined) {
      levels.appendVarInt(rows << 1)
      levels.appendUint8(1)
    } else {
      // Bit-packed levels of one bit are the bitmap itself.
      const groups = Math.ceil(rows / 8)
      levels.appendVarInt((groups << 1) | 1)
      levels.appendBytes(validity.subarray(row / 8, row / 8 + groups))
    }
    levels.view.setUint32(0, levels.offset - 4, true)
    return levels.getBytes()
  }

  #addPage(at: number, length: number, header: Pick<PageHeader, 'type'> & Partial<PageHeader>): void {
    const kernel = this.#kernel
    const compressed = this.#compress(kernel, at, length).slice()
    const writer = new ByteWriter()
    writePageHeader(writer, {
      ...header,
      uncompressed_page_size: length,
      compressed_page_size: compressed.length,
      crc: crc32(compressed) | 0,
    })
    this.#parts.push(writer.getBytes().slice(), compressed)
    this.#compressedBytes += writer.offset + compressed.length
    this.#uncompressedBytes += writer.offset + length
  }
}

type PageHeader = Parameters<typeof writePageHeader>[1]
