// Builders of columns: rows are appended one by one, most often straight from RLP in the kernel's memory, and seen as a
// column. A builder grows by doubling and is reused for the next batch.
import { ColumnRows, grown, initialRows } from './column-rows.js'
import type { I64Builder, U32Builder, U64Builder, U256Builder } from './integer-builders.js'

/** Copies of up to this many bytes are faster in a loop than by `set`, which needs a view of the source (2026-11-22). */
const loopBytes = 64

const encoder = new TextEncoder()

/** Builder of a `bool` column. */
export class BoolBuilder extends ColumnRows {
  #bits = new Uint8Array(initialRows / 8)

  constructor(name: string) {
    super(name, 'bool')
  }

  get byteLength(): number {
    return this.length / 8
  }

  append(value: boolean): void {
    const row = this.#addRow()
    if (value) this.#bits[row >> 3]! |= 1 << (row & 7)
  }

  protected addEmptyRow(): void {
    this.#addRow()
  }

  protected override dropValue(row: number): void {
    this.#bits[row >> 3]! &= ~(1 << (row & 7))
  }

  #addRow(): number {
    const row = this.rows.add()
    if (row === 8 * this.#bits.length) this.#bits = grown(this.#bits, new Uint8Array(row / 4))
    return row
  }

  protected viewValues() {
    return { values: this.#bits.subarray(0, Math.ceil(this.length / 8)), offsets: undefined }
  }

  protected override clearValues(): void {
    this.#bits.fill(0)
  }
}

/** Builder of a `binary` or `string` column. Its values may have 2 GiB together. */
export class BytesBuilder extends ColumnRows {
  #offsets = new Int32Array(initialRows + 1)
  #bytes = new Uint8Array(32 * initialRows)
  #used = 0

  constructor(name: string, type: 'binary' | 'string') {
    super(name, type)
  }

  get byteLength(): number {
    return this.#used
  }

  /** Appends the bytes from `start` up to `end`, exclusive. */
  append(source: Uint8Array, start = 0, end = source.length): void {
    const row = this.#addRow()
    const at = this.#used
    const used = at + end - start
    if (used > this.#bytes.length) this.#grow(used)
    const bytes = this.#bytes
    if (end - start > loopBytes) bytes.set(source.subarray(start, end), at)
    else for (let from = start, to = at; from < end; ) bytes[to++] = source[from++]!
    this.#used = used
    this.#offsets[row + 1] = used
  }

  /** Appends `count` values of `width` bytes, which are one after the other in `source` from `start` on. */
  appendFixed(source: Uint8Array, start: number, width: number, count: number): void {
    const row = this.rows.addMany(count)
    const bytes = source.subarray(start, start + width * count)
    const offsets = this.#place(row, count, bytes)
    for (let i = 1; i <= count; i++) offsets[row + i] = offsets[row + i - 1]! + width
  }

  /** Appends values that are one after the other in `source`, of which each ends at one of `ends` and the first begins at `start`. */
  appendParts(source: Uint8Array, start: number, ends: Uint32Array): void {
    if (ends.length === 0) return
    const row = this.rows.addMany(ends.length)
    const base = this.#used - start
    const offsets = this.#place(row, ends.length, source.subarray(start, ends.at(-1)))
    for (let i = 0; i < ends.length; i++) offsets[row + i + 1] = base + ends[i]!
  }

  /** Appends one value `count` times. */
  appendRepeated(value: Uint8Array, count: number): void {
    for (let i = 0; i < count; i++) this.append(value)
  }

  /** Copies the bytes of rows, and makes room for their offsets, which it returns. */
  #place(row: number, count: number, bytes: Uint8Array): Int32Array {
    if (row + count >= this.#offsets.length)
      this.#offsets = grown(this.#offsets, new Int32Array(2 * (row + count) + 1))
    const used = this.#used + bytes.length
    if (used > this.#bytes.length) this.#grow(used)
    this.#bytes.set(bytes, this.#used)
    this.#used = used
    return this.#offsets
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

  protected addEmptyRow(): void {
    const row = this.#addRow()
    this.#offsets[row + 1] = this.#used
  }

  #grow(needed: number): void {
    if (needed > 0x7fffffff) throw new RangeError(`${this.name}: expected less than 2 GiB in one batch`)
    const length = Math.min(0x7fffffff, Math.max(2 * this.#bytes.length, needed))
    this.#bytes = grown(this.#bytes.subarray(0, this.#used), new Uint8Array(length))
  }

  #addRow(): number {
    const row = this.rows.add()
    if (row + 1 === this.#offsets.length) this.#offsets = grown(this.#offsets, new Int32Array(2 * row + 1))
    return row
  }

  protected viewValues() {
    return {
      values: this.#bytes.subarray(0, this.#used),
      offsets: this.#offsets.subarray(0, this.length + 1),
    }
  }

  protected override clearValues(): void {
    this.#used = 0
  }
}

/** The builders of the types that producers fill. */
export type ColumnBuilder = BoolBuilder | U32Builder | U64Builder | I64Builder | U256Builder | BytesBuilder
