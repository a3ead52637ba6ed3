// The package's entry for users of apache-arrow, which is an optional peer: batches of datasets as its record batches.
import {
  Binary,
  Bool,
  type Data,
  type DataType,
  Field,
  FixedSizeBinary,
  Float64,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Uint32,
  Uint64,
  Utf8,
} from 'apache-arrow'
import type { Column, ColumnBatch, ColumnType } from './datasets/column.js'

/**
 * A batch of `scanDataset` as a record batch of apache-arrow, on the same buffers. Throws nothing.
 *
 * @example
 * ```ts
 * for await (const batch of chain.scanDataset('blocks', { fromBlock: 0n, toBlock: 9n })) {
 *   console.log(toArrow(batch).schema.names)
 * }
 * ```
 */
export function toArrow(batch: ColumnBatch): RecordBatch {
  const fields = batch.columns.map(({ name, type }) => new Field(name, arrowTypes[type], true))
  const type = new Struct(fields)
  const children = batch.columns.map((column) => dataOf(column, batch.length))
  const data = makeData({ type, length: batch.length, nullCount: 0, children })
  return new RecordBatch(new Schema(fields), data)
}

const arrowTypes: Readonly<Record<ColumnType, DataType>> = {
  bool: new Bool(),
  u32: new Uint32(),
  u64: new Uint64(),
  i32: new Int32(),
  i64: new Int64(),
  f64: new Float64(),
  u256: new FixedSizeBinary(32),
  i256: new FixedSizeBinary(32),
  binary: new Binary(),
  string: new Utf8(),
}

function dataOf({ type, nullCount, validity, values, offsets }: Column, length: number): Data {
  return makeData({
    type: arrowTypes[type],
    length,
    nullCount,
    data: values,
    ...(offsets && { valueOffsets: offsets }),
    ...(validity && { nullBitmap: validity }),
  } as never)
}
