// The values of a column without its nulls, as Parquet stores them.
import type { ColumnValues } from '../column.js'
import type { OutputValues } from '../output-values.js'

/** Values in a row: bytes between offsets, or values of one width in bytes; bits for `bool`. */
export interface PresentValues {
  readonly count: number
  readonly values: ColumnValues
  readonly offsets: Int32Array | undefined
  /** 0 for bits, and for bytes between offsets. */
  readonly width: number
}

const widths = { bool: 0, u32: 4, i32: 4, u64: 8, i64: 8, f64: 8, decimal: 32, binary: 0, string: 0 } as const

/** The values that are not null. A null has no bytes between its offsets. */
export function presentValues(column: OutputValues, rows: number): PresentValues {
  const { type, values, offsets, nullCount, validity } = column
  const width = widths[type]
  const count = rows - nullCount
  if (validity === undefined) return { count, values, offsets, width }
  const present = new Uint32Array(count)
  for (let i = 0, next = 0; i < rows; i++) if ((validity[i >> 3]! & (1 << (i & 7))) !== 0) present[next++] = i
  if (offsets) return { count, values, offsets: offsetsOf(present, offsets), width }
  if (type === 'bool') return { count, values: bitsOf(present, values as Uint8Array), offsets, width }
  return { count, values: valuesOf(present, values, width), offsets, width }
}

function offsetsOf(rows: Uint32Array, offsets: Int32Array): Int32Array {
  const result = new Int32Array(rows.length + 1)
  for (let i = 0; i < rows.length; i++) result[i + 1] = offsets[rows[i]! + 1]!
  return result
}

function bitsOf(rows: Uint32Array, bits: Uint8Array): Uint8Array {
  const result = new Uint8Array(Math.ceil(rows.length / 8))
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    if ((bits[row >> 3]! & (1 << (row & 7))) !== 0) result[i >> 3]! |= 1 << (i & 7)
  }
  return result
}

function valuesOf(rows: Uint32Array, { buffer, byteOffset }: ColumnValues, width: number): Uint8Array {
  // Widths are multiples of 4.
  const words = width / 4
  const source = new Uint32Array(buffer, byteOffset)
  const result = new Uint32Array(rows.length * words)
  for (let i = 0; i < rows.length; i++) {
    for (let j = 0; j < words; j++) result[i * words + j] = source[rows[i]! * words + j]!
  }
  return new Uint8Array(result.buffer)
}
