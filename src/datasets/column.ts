// Rows as columns in the memory layout of Apache Arrow (FORMAT.md). Arrow can use the buffers
// without a copy.

/** How a column stores its values. */
export type ColumnType =
  | 'bool'
  | 'u32'
  | 'u64'
  | 'i32'
  | 'i64'
  | 'f64'
  | 'u256'
  | 'i256'
  | 'binary'
  | 'string'

/** The values of one column. Every array starts at offset 0 of its own buffer. */
export interface Column {
  readonly name: string
  readonly type: ColumnType
  /** Rows that are null. */
  readonly nullCount: number
  /** One bit for each row, lowest bit first: 1 for a value, 0 for null. Undefined if no row is null. */
  readonly validity: Uint8Array | undefined
  /** A value for each row; for `binary` and `string` the bytes of all rows. */
  readonly values: ColumnValues
  /** For `binary` and `string`: length + 1 offsets into `values`; row i ends where row i + 1 starts. */
  readonly offsets: Int32Array | undefined
}

/**
 * `bool`: one bit for each row. `u256` and `i256`: 32 bytes for each row, big-endian, `i256` in two's complement. `binary` and
 * `string`: the bytes of all rows. The slot of a null holds zeros, or no bytes.
 */
export type ColumnValues =
  | Uint8Array
  | Uint32Array
  | Int32Array
  | BigUint64Array
  | BigInt64Array
  | Float64Array

/** Rows of one table, in its order. */
export interface ColumnBatch {
  /** Number of rows. */
  readonly length: number
  /** In the order of the dataset, or of the option `columns`. */
  readonly columns: readonly Column[]
}

/** The buffers of columns, which may share some, to move them to another thread. */
export function buffersOfColumns(
  columns: readonly Pick<Column, 'values' | 'validity' | 'offsets'>[],
): ArrayBuffer[] {
  const arrays = columns.flatMap(({ values, validity, offsets }) => [values, validity, offsets])
  return [...new Set(arrays.flatMap((array) => (array ? [array.buffer as ArrayBuffer] : [])))]
}

/** A batch whose arrays are views, with arrays of its own. */
export function copyBatch({ length, columns }: ColumnBatch): ColumnBatch {
  return {
    length,
    columns: columns.map((column) => ({
      ...column,
      values: column.values.slice(),
      offsets: column.offsets?.slice(),
    })),
  }
}

/** Whether row i of a column is null. */
export function isNull({ validity }: Column, i: number): boolean {
  return validity !== undefined && (validity[i >> 3]! & (1 << (i & 7))) === 0
}

/** Row i of a `binary`, `string` or 256-bit column, as a view. */
export function bytesAt({ values, offsets }: Column, i: number): Uint8Array {
  const bytes = values as Uint8Array
  return offsets ? bytes.subarray(offsets[i], offsets[i + 1]) : bytes.subarray(32 * i, 32 * (i + 1))
}
