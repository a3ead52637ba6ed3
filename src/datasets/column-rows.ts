// What all builders of columns have: the number of rows, and which of them are null.
import type { Column, ColumnType, ColumnValues } from './column.js'

/** Rows for which a new builder has room. */
export const initialRows = 1024

/** What all builders do: count rows and take note of nulls. */
export abstract class ColumnRows {
  readonly name: string
  readonly type: ColumnType
  #length = 0
  #room = initialRows
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

/** The values at the start of a larger array. */
export function grown<T extends ColumnValues>(values: T, larger: T): T {
  larger.set(values as never)
  return larger
}
