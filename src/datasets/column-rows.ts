// What all builders of columns have: the number of rows, and which of them are null.
import type { Column, ColumnType, ColumnValues } from './column.js'

/** Rows for which a new builder has room. */
export const initialRows = 1024

/**
 * Counts rows and takes note of nulls. A class of its own, because the engine compiles its members for one shape of objects: as members
 * of builders of all types they took 7.5 % of the time of an export of transactions (2026-11-23).
 */
class RowCount {
  #length = 0
  #nulls = 0
  #validity = new Uint8Array(initialRows / 8)

  get length(): number {
    return this.#length
  }

  get nulls(): number {
    return this.#nulls
  }

  /** Adds a row with a value; returns its place. */
  add(): number {
    const row = this.#length++
    if (this.#nulls > 0) this.#mark(row)
    return row
  }

  /** Adds rows with values; returns the place of the first one. */
  addMany(count: number): number {
    const row = this.#length
    this.#length += count
    if (this.#nulls > 0) for (let i = row; i < this.#length; i++) this.#mark(i)
    return row
  }

  /** Makes the last row a null. */
  setNull(): void {
    const row = this.#length - 1
    if (this.#nulls === 0) {
      this.#validity.fill(0)
      for (let i = 0; i < row; i++) this.#mark(i)
    }
    this.#nulls++
    if (this.#validity.length > row >> 3) this.#validity[row >> 3]! &= ~(1 << (row & 7))
  }

  /** Takes the last row away; returns its place. */
  drop(): number {
    const row = --this.#length
    const isValue = ((this.#validity[row >> 3] ?? 0) & (1 << (row & 7))) !== 0
    if (this.#nulls > 0 && !isValue) this.#nulls--
    return row
  }

  /** A bit for each row, lowest first; undefined without nulls. */
  validity(): Uint8Array | undefined {
    if (this.#nulls === 0) return undefined
    const bitmap = new Uint8Array(Math.ceil(this.#length / 8))
    bitmap.set(this.#validity.subarray(0, bitmap.length))
    return bitmap
  }

  clear(): void {
    this.#length = 0
    this.#nulls = 0
  }

  #mark(row: number): void {
    if (row >> 3 >= this.#validity.length)
      this.#validity = grown(
        this.#validity,
        new Uint8Array(Math.max(2 * this.#validity.length, (row >> 3) + 1)),
      )
    this.#validity[row >> 3]! |= 1 << (row & 7)
  }
}

/** What all builders do. */
export abstract class ColumnRows {
  readonly name: string
  readonly type: ColumnType
  protected readonly rows = new RowCount()

  constructor(name: string, type: ColumnType) {
    this.name = name
    this.type = type
  }

  get length(): number {
    return this.rows.length
  }

  /** Bytes of the values so far. */
  abstract get byteLength(): number

  /** Adds a row of zeros, or of no bytes. */
  protected abstract addEmptyRow(): void
  protected abstract viewValues(): Pick<Column, 'values' | 'offsets'>

  appendNull(): void {
    this.addEmptyRow()
    this.rows.setNull()
  }

  appendNulls(count: number): void {
    for (let i = 0; i < count; i++) this.appendNull()
  }

  /** Takes the last row away. */
  dropLast(): void {
    this.dropValue(this.rows.drop())
  }

  /** Resets what the next append to a row does not overwrite. */
  protected dropValue(_row: number): void {}

  /** All rows as a column. Its arrays are views, valid until the builder is cleared or appended to. */
  view(): Column {
    return {
      name: this.name,
      type: this.type,
      nullCount: this.rows.nulls,
      validity: this.rows.validity(),
      ...this.viewValues(),
    }
  }

  /** Takes all rows away. */
  clear(): void {
    this.rows.clear()
    this.clearValues()
  }

  /** Resets what appends to an empty builder do not overwrite. */
  protected clearValues(): void {}
}

/** The values at the start of a larger array. */
export function grown<T extends ColumnValues>(values: T, larger: T): T {
  larger.set(values as never)
  return larger
}
