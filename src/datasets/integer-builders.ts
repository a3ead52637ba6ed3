// Builders of columns of integers, most often appended straight from RLP in the kernel's memory.
import { ColumnRows, grown, initialRows } from './column-rows.js'

/** Builder of a `u32` column. Throws RangeError for a value that does not fit. */
export class U32Builder extends ColumnRows {
  #values = new Uint32Array(initialRows)

  constructor(name: string) {
    super(name, 'u32')
  }

  get byteLength(): number {
    return 4 * this.length
  }

  append(value: number): void {
    if (value >>> 0 !== value) throw tooLarge(this, 32, value)
    const row = this.#addRow()
    this.#values[row] = value
  }

  /** Appends one value `count` times. */
  appendRepeated(value: number, count: number): void {
    if (value >>> 0 !== value) throw tooLarge(this, 32, value)
    const row = this.#addRows(count)
    this.#values.fill(value, row, row + count)
  }

  appendAll(values: Uint32Array): void {
    const row = this.#addRows(values.length)
    this.#values.set(values, row)
  }

  /** Appends an integer of RLP: big-endian, without leading zeros. */
  appendBigEndian(source: Uint8Array, start: number, end: number): void {
    if (end - start > 4) throw tooLarge(this, 32, hex(source, start, end))
    let value = 0
    for (let i = start; i < end; i++) value = value * 256 + source[i]!
    const row = this.#addRow()
    this.#values[row] = value
  }

  protected addEmptyRow(): void {
    const row = this.#addRow()
    this.#values[row] = 0
  }

  #addRow(): number {
    const row = this.rows.add()
    if (row === this.#values.length) this.#values = grown(this.#values, new Uint32Array(2 * row))
    return row
  }

  #addRows(count: number): number {
    const row = this.rows.addMany(count)
    const length = row + count
    if (length > this.#values.length) this.#values = grown(this.#values, new Uint32Array(2 * length))
    return row
  }

  protected viewValues() {
    return { values: this.#values.subarray(0, this.length), offsets: undefined }
  }
}

/** Builder of a `u64` column. Throws RangeError for a value that does not fit. */
export class U64Builder extends ColumnRows {
  #values = new BigUint64Array(initialRows)
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
    this.#set(this.#addRow(), Math.floor(value / 2 ** 32), value >>> 0)
  }

  appendBigInt(value: bigint): void {
    if (value < 0n || value >= 2n ** 64n) throw tooLarge(this, 64, value)
    const row = this.#addRow()
    this.#values[row] = value
  }

  /** Appends one value `count` times. */
  appendRepeated(value: bigint, count: number): void {
    for (let i = 0; i < count; i++) this.appendBigInt(value)
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
    this.#set(this.#addRow(), high, low)
  }

  #set(row: number, high: number, low: number): void {
    this.#halves[2 * row] = low
    this.#halves[2 * row + 1] = high
  }

  protected addEmptyRow(): void {
    const row = this.#addRow()
    this.#values[row] = 0n
  }

  #addRow(): number {
    const row = this.rows.add()
    if (row === this.#values.length) {
      this.#values = grown(this.#values, new BigUint64Array(2 * row))
      this.#halves = new Uint32Array(this.#values.buffer)
    }
    return row
  }

  protected viewValues() {
    return { values: this.#values.subarray(0, this.length), offsets: undefined }
  }
}

/** Builder of an `i64` column. */
export class I64Builder extends ColumnRows {
  #values = new BigInt64Array(initialRows)

  constructor(name: string) {
    super(name, 'i64')
  }

  get byteLength(): number {
    return 8 * this.length
  }

  /** Appends the lowest 64 bits of 32 big-endian bytes. */
  appendWord(source: Uint8Array, start: number): void {
    const value = new DataView(source.buffer, source.byteOffset + start + 24, 8).getBigInt64(0)
    const row = this.#addRow()
    this.#values[row] = value
  }

  protected addEmptyRow(): void {
    const row = this.#addRow()
    this.#values[row] = 0n
  }

  #addRow(): number {
    const row = this.rows.add()
    if (row === this.#values.length) this.#values = grown(this.#values, new BigInt64Array(2 * row))
    return row
  }

  protected viewValues() {
    return { values: this.#values.subarray(0, this.length), offsets: undefined }
  }
}

/** Builder of a `u256` or `i256` column. Throws RangeError for a value that does not fit. */
export class U256Builder extends ColumnRows {
  #bytes = new Uint8Array(32 * initialRows)

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
    const row = this.#addRow()
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
    const row = this.#addRow()
    for (let from = start, to = 32 * (row + 1) - (end - start); from < end; ) {
      this.#bytes[to++] = source[from++]!
    }
  }

  protected addEmptyRow(): void {
    this.#addRow()
  }

  /** Adds a row of zeros. */
  #addRow(): number {
    const row = this.rows.add()
    if (32 * row === this.#bytes.length) this.#bytes = grown(this.#bytes, new Uint8Array(64 * row))
    this.#bytes.fill(0, 32 * row, 32 * row + 32)
    return row
  }

  protected viewValues() {
    return { values: this.#bytes.subarray(0, 32 * this.length), offsets: undefined }
  }
}

function tooLarge({ name, length }: ColumnRows, bits: number, value: unknown): RangeError {
  return new RangeError(`${name}: expected an integer of at most ${bits} bits in row ${length}, got ${value}`)
}

function hex(source: Uint8Array, start: number, end: number): string {
  return `0x${Buffer.from(source.subarray(start, end)).toString('hex')}`
}
