// Copies rows of a batch to a chunk of DuckDB: whole arrays where both have the same layout, byte strings one by one.
import type duckdb from '@duckdb/node-bindings'
import type { OutputValues } from '../datasets/output-values.js'
import type { RowBatch } from '../datasets/scan-rows.js'

/** The functions of the bindings that are used. */
export type Bindings = Pick<
  typeof duckdb,
  | 'data_chunk_get_vector'
  | 'data_chunk_set_size'
  | 'vector_size'
  | 'copy_data_to_vector'
  | 'copy_data_to_vector_validity'
  | 'vector_ensure_validity_writable'
  | 'vector_assign_string_element_len'
>

interface Rows {
  /** The first one, a multiple of 8. */
  readonly from: number
  readonly length: number
}

/** Rows that follow each other in a batch. */
export interface RowsOfBatch extends Rows {
  readonly batch: RowBatch
}

/** Makes the rows the content of a chunk. */
export function fillChunk(
  bindings: Bindings,
  chunk: duckdb.DataChunk,
  { batch, from, length }: RowsOfBatch,
): void {
  bindings.data_chunk_set_size(chunk, length)
  for (const [i, column] of batch.columns.entries()) {
    const vector = bindings.data_chunk_get_vector(chunk, i)
    fillValues(bindings, vector, column, { from, length })
    if (column.validity) fillValidity(bindings, vector, column.validity, { from, length })
  }
}

function fillValues(
  bindings: Bindings,
  vector: duckdb.Vector,
  { type, values, validity, offsets }: OutputValues,
  { from, length }: Rows,
): void {
  if (offsets) {
    const bytes = values as Uint8Array
    for (let i = 0; i < length; i++) {
      const row = from + i
      if (validity && (validity[row >> 3]! & (1 << (row & 7))) === 0) continue
      const value = bytes.subarray(offsets[row], offsets[row + 1])
      bindings.vector_assign_string_element_len(vector, i, value)
    }
    return
  }
  const source = type === 'bool' ? toBytes(values as Uint8Array, { from, length }) : values
  const start = type === 'bool' ? 0 : from
  const width = source.BYTES_PER_ELEMENT
  bindings.copy_data_to_vector(
    vector,
    0,
    source.buffer as ArrayBuffer,
    source.byteOffset + width * start,
    width * length,
  )
}

/** Bits as bytes of 0 and 1. */
function toBytes(bits: Uint8Array, { from, length }: Rows): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (bits[(from + i) >> 3]! >> ((from + i) & 7)) & 1)
}

function fillValidity(
  bindings: Bindings,
  vector: duckdb.Vector,
  validity: Uint8Array,
  { from, length }: Rows,
): void {
  // DuckDB's words have 64 bits.
  const words = new Uint8Array(8 * Math.ceil(length / 64))
  words.set(validity.subarray(from >> 3, Math.ceil((from + length) / 8)))
  bindings.vector_ensure_validity_writable(vector)
  bindings.copy_data_to_vector_validity(vector, 0, words.buffer, 0, words.length)
}
