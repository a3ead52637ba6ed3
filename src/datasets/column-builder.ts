// Builders of columns: rows are appended one by one, most often straight from RLP in the kernel's memory, and taken as a
// column. A builder grows by doubling and is reused for the next batch.
import type { Column, ColumnType, ColumnValues } from './column.js'

/** Rows for which a new builder has room. */
const firstRows = 1024

/** Copies of up to this many bytes are faster in a loop than by `set`, which needs a view of the source (2026-11-22). */
const loopBytes = 64

const encoder = new TextEncoder()

/** What all builders do: count rows and take note of nulls. */
abstract class Rows {
  readonly name: string
  readonly type: ColumnType
  #length = 0
  #room = firstRows
  #nulls = 0
  #validity = new Uint8Array(0)

  constructor(name: string, type: ColumnType) {
    this.name = name
    this.type = type
  }

  get length(): number {
    return this.#length
  }

  /** Bytes of the values so far. */
  abstract get byteLength(): number

  /** Makes room for `rows` rows. */
  protected abstract resize(rows: number): void
  protected abstract takeValues(): Pick<Column, 'values' | 'offsets'>

  /** The place of the next row, which the caller fills. */
  protected addRow(): number {
    if (this.#length === this.#room) {
      this.#room *= 2
      this.resize(this.#room)
    }
    const row = this.#length++
    if (this.#nulls > 0) this.#mark(row)
    return row
  }

  appendNull(): void {
    const row = this.addNullRow()
    if (this.#nulls === 0) {
      this.#validity.fill(0)
      for (let i = 0; i < row; i++) this.#mark(i)
    }
    this.#nulls++
    if (this.#validity.length > row >> 3) this.#validity[row >> 3]! &= ~(1 << (row & 7))
  }

  /** Adds a row of zeros, or of no bytes. */
  protected abstract addNullRow(): number

  /** Takes the last row away. */
  dropLast(): void {
    const row = --this.#length
    const isValue = ((this.#validity[row >> 3] ?? 0) & (1 << (row & 7))) !== 0
    if (this.#nulls > 0 && !isValue) this.#nulls--
    this.dropValue(row)
  }

  /** Resets what the next append to a row does not overwrite. */
  protected dropValue(_row: number): void {}

  /** All rows as a column. The builder is empty afterwards. */
  take(): Column {
    const length = this.#length
    const validity = this.#nulls > 0 ? this.#validityOf(length) : undefined
    const column = {
      name: this.name,
      type: this.type,
      nullCount: this.#nulls,
      validity,
      ...this.takeValues(),
    }
    this.#length = 0
    this.#nulls = 0
    return column
  }

  #mark(row: number): void {
    if (row >> 3 >= this.#validity.length) {
      const grown = new Uint8Array(Math.max(2 * this.#validity.length, this.#room >> 3))
      grown.set(this.#validity)
      this.#validity = grown
    }
    this.#validity[row >> 3]! |= 1 << (row & 7)
  }

  #validityOf(length: number): Uint8Array {
    const bitmap = new Uint8Array(Math.ceil(length / 8))
    bitmap.set(this.#validity.subarray(0, bitmap.length))
    return bitmap
  }
}

/** Builder of a `bool` column. */
export class BoolBuilder extends Rows {
  #bits = new Uint8Array(firstRows / 8)

  constructor(name: string) {
    super(name, 'bool')
  }

  get byteLength(): number {
    return this.length / 8
  }

  append(value: boolean): void {
    const row = this.addRow()
    if (value) this.#bits[row >> 3]! |= 1 << (row & 7)
  }

  protected addNullRow(): number {
    return this.addRow()
  }

  protected override dropValue(row: number): void {
    this.#bits[row >> 3]! &= ~(1 << (row & 7))
  }

  protected resize(rows: number): void {
    this.#bits = grown(this.#bits, new Uint8Array(rows / 8))
  }

  protected takeValues() {
    const values = this.#bits.slice(0, Math.ceil(this.length / 8))
    this.#bits.fill(0)
    return { values, offsets: undefined }
  }
}

/** Builder of a `u32` column. Throws RangeError for a value that does not fit. */
export class U32Builder extends Rows {
  #values = new Uint32Array(firstRows)

  constructor(name: string) {
    super(name, 'u32')
  }

  get byteLength(): number {
    return 4 * this.length
  }

  append(value: number): void {
    if (value >>> 0 !== value) throw tooLarge(this, 32, value)
    const row = this.addRow()
    this.#values[row] = value
  }

  /** Appends an integer of RLP: big-endian, without leading zeros. */
  appendBigEndian(source: Uint8Array, start: number, end: number): void {
    if (end - start > 4) throw tooLarge(this, 32, hex(source, start, end))
    let value = 0
    for (let i = start; i < end; i++) value = value * 256 + source[i]!
    const row = this.addRow()
    this.#values[row] = value
  }

  protected addNullRow(): number {
    const row = this.addRow()
    this.#values[row] = 0
    return row
  }

  protected resize(rows: number): void {
    this.#values = grown(this.#values, new Uint32Array(rows))
  }

  protected takeValues() {
    return { values: this.#values.slice(0, this.length), offsets: undefined }
  }
}

/** Builder of a `u64` column. Throws RangeError for a value that does not fit. */
export class U64Builder extends Rows {
  #values = new BigUint64Array(firstRows)
  /** The same values in halves, low one first: no bigint is made of a value. */
  #halves = new Uint32Array(this.#values.buffer)

  constructor(name: string) {
    super(name, 'u64')
  }

  get byteLength(): number {
    return 8 * this.length
  }

  /** A whole number of at most 2^53 - 1. */
  append(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw tooLarge(this, 53, value)
    this.#set(this.addRow(), Math.floor(value / 2 ** 32), value >>> 0)
  }

  appendBigInt(value: bigint): void {
    if (value < 0n || value >= 2n ** 64n) throw tooLarge(this, 64, value)
    const row = this.addRow()
    this.#values[row] = value
  }

  /** Undefined is null. */
  appendOptional(value: bigint | undefined): void {
    if (value === undefined) this.appendNull()
    else this.appendBigInt(value)
  }

  /** Appends an integer of RLP: big-endian, without leading zeros. */
  appendBigEndian(source: Uint8Array, start: number, end: number): void {
    while (start < end && source[start] === 0) start++
    if (end - start > 8) throw tooLarge(this, 64, hex(source, start, end))
    const middle = Math.max(start, end - 4)
    let high = 0
    let low = 0
    for (let i = start; i < middle; i++) high = high * 256 + source[i]!
    for (let i = middle; i < end; i++) low = low * 256 + source[i]!
    this.#set(this.addRow(), high, low)
  }

  #set(row: number, high: number, low: number): void {
    this.#halves[2 * row] = low
    this.#halves[2 * row + 1] = high
  }

  protected addNullRow(): number {
    const row = this.addRow()
    this.#values[row] = 0n
    return row
  }

  protected resize(rows: number): void {
    this.#values = grown(this.#values, new BigUint64Array(rows))
    this.#halves = new Uint32Array(this.#values.buffer)
  }

  protected takeValues() {
    return { values: this.#values.slice(0, this.length), offsets: undefined }
  }
}

/** Builder of an `i64` column. */
export class I64Builder extends Rows {
  #values = new BigInt64Array(firstRows)

  constructor(name: string) {
    super(name, 'i64')
  }

  get byteLength(): number {
    return 8 * this.length
  }

  /** Appends the lowest 64 bits of 32 big-endian bytes. */
  appendWord(source: Uint8Array, start: number): void {
    const value = new DataView(source.buffer, source.byteOffset + start + 24, 8).getBigInt64(0)
    const row = this.addRow()
    this.#values[row] = value
  }

  protected addNullRow(): number {
    const row = this.addRow()
    this.#values[row] = 0n
    return row
  }

  protected resize(rows: number): void {
    this.#values = grown(this.#values, new BigInt64Array(rows))
  }

  protected takeValues() {
    return { values: this.#values.slice(0, this.length), offsets: undefined }
  }
}

/** Builder of a `u256` or `i256` column. Throws RangeError for a value that does not fit. */
export class U256Builder extends Rows {
  #bytes = new Uint8Array(32 * firstRows)

  constructor(name: string, type: 'u256' | 'i256' = 'u256') {
    super(name, type)
  }

  /** Appends 32 bytes as they are. */
  appendWord(source: Uint8Array, start: number): void {
    this.appendBigEndian(source, start, start + 32)
  }

  get byteLength(): number {
    return 32 * this.length
  }

  appendBigInt(value: bigint): void {
    if (value < 0n || value >= 2n ** 256n) throw tooLarge(this, 256, value)
    const row = this.addNullRow()
    for (let i = 32 * row + 31, rest = value; rest > 0n; i--, rest >>= 8n) {
      this.#bytes[i] = Number(rest & 0xffn)
    }
  }

  /** Undefined is null. */
  appendOptional(value: bigint | undefined): void {
    if (value === undefined) this.appendNull()
    else this.appendBigInt(value)
  }

  /** Appends a big-endian integer, with or without leading zeros. */
  appendBigEndian(source: Uint8Array, start: number, end: number): void {
    while (end - start > 32 && source[start] === 0) start++
    if (end - start > 32) throw tooLarge(this, 256, hex(source, start, end))
    const row = this.addNullRow()
    for (let from = start, to = 32 * (row + 1) - (end - start); from < end; ) {
      this.#bytes[to++] = source[from++]!
    }
  }

  protected addNullRow(): number {
    const row = this.addRow()
    this.#bytes.fill(0, 32 * row, 32 * row + 32)
    return row
  }

  protected resize(rows: number): void {
    this.#bytes = grown(this.#bytes, new Uint8Array(32 * rows))
  }

  protected takeValues() {
    return { values: this.#bytes.slice(0, 32 * this.length), offsets: undefined }
  }
}

/** Builder of a `binary` or `string` column. Its values may have 2 GiB together. */
export class BytesBuilder extends Rows {
  #offsets = new Int32Array(firstRows + 1)
  #bytes = new Uint8Array(32 * firstRows)
  #used = 0

  constructor(name: string, type: 'binary' | 'string') {
    super(name, type)
  }

  get byteLength(): number {
    return this.#used
  }

  /** Appends the bytes from `start` up to `end`, exclusive. */
  append(source: Uint8Array, start = 0, end = source.length): void {
    const row = this.addRow()
    const at = this.#used
    const used = at + end - start
    if (used > this.#bytes.length) this.#grow(used)
    const bytes = this.#bytes
    if (end - start > loopBytes) bytes.set(source.subarray(start, end), at)
    else for (let from = start, to = at; from < end; ) bytes[to++] = source[from++]!
    this.#used = used
    this.#offsets[row + 1] = used
  }

  /** Whether the last row has these bytes. */
  lastEquals(value: Uint8Array): boolean {
    const start = this.#offsets[this.length - 1]!
    if (this.#used - start !== value.length) return false
    for (let i = 0; i < value.length; i++) if (this.#bytes[start + i] !== value[i]) return false
    return true
  }

  protected override dropValue(row: number): void {
    this.#used = this.#offsets[row]!
  }

  /** Undefined is null. */
  appendOptional(source: Uint8Array | undefined): void {
    if (source === undefined) this.appendNull()
    else this.append(source)
  }

  /** Appends text as UTF-8. */
  appendText(text: string): void {
    this.append(encoder.encode(text))
  }

  /** Undefined is null. */
  appendOptionalText(text: string | undefined): void {
    if (text === undefined) this.appendNull()
    else this.appendText(text)
  }

  protected addNullRow(): number {
    const row = this.addRow()
    this.#offsets[row + 1] = this.#used
    return row
  }

  #grow(needed: number): void {
    if (needed > 0x7fffffff) throw new RangeError(`${this.name}: expected less than 2 GiB in one batch`)
    const bytes = new Uint8Array(Math.min(0x7fffffff, Math.max(2 * this.#bytes.length, needed)))
    bytes.set(this.#bytes.subarray(0, this.#used))
    this.#bytes = bytes
  }

  protected resize(rows: number): void {
    this.#offsets = grown(this.#offsets, new Int32Array(rows + 1))
  }

  protected takeValues() {
    const values = this.#bytes.slice(0, this.#used)
    const offsets = this.#offsets.slice(0, this.length + 1)
    this.#used = 0
    return { values, offsets }
  }
}

/** The builders of the types that producers fill. */
export type ColumnBuilder = BoolBuilder | U32Builder | U64Builder | I64Builder | U256Builder | BytesBuilder

function grown<T extends ColumnValues>(values: T, larger: T): T {
  larger.set(values as never)
  return larger
}

function tooLarge({ name, length }: Rows, bits: number, value: unknown): RangeError {
  return new RangeError(`${name}: expected an integer of at most ${bits} bits in row ${length}, got ${value}`)
}

function hex(source: Uint8Array, start: number, end: number): string {
  return `0x${Buffer.from(source.subarray(start, end)).toString('hex')}`
}
