// Rows of every kind, as the writers of all file formats are tested with.
import type { ColumnBatch } from '../../src/datasets/column.js'
import { BoolBuilder, BytesBuilder } from '../../src/datasets/column-builder.js'
import type { DatasetColumn } from '../../src/datasets/dataset.js'
import { U32Builder, U64Builder, U256Builder } from '../../src/datasets/integer-builders.js'

export interface Row {
  readonly block_number: number
  readonly nonce: bigint | null
  readonly address: Uint8Array
  readonly topic0: Uint8Array | null
  readonly data: Uint8Array
  readonly success: boolean | null
  readonly value: bigint
}

/** Rows of every kind: runs, repeated values, values that never repeat, nulls alone and in rows. */
export function makeRows(count: number): Row[] {
  const bytes = (length: number, seed: number) =>
    Uint8Array.from({ length }, (_, i) => (seed * 31 + i * 7) & 255)
  return Array.from({ length: count }, (_, i) => ({
    block_number: 17_000_000 + Math.floor(i / 37),
    nonce: i % 5 === 0 ? null : 2n ** 64n - 1n - BigInt(i),
    address: bytes(20, i % 11),
    topic0: i % 3 === 1 ? null : bytes(32, i),
    data: new Uint8Array(Buffer.from(`${i} `.repeat(i % 50))),
    success: i % 7 === 0 ? null : i % 2 === 0,
    value: i % 9 === 0 ? 2n ** 250n - BigInt(i) : BigInt(i) * 10n ** 9n,
  }))
}

/** The columns of the rows. */
export const rowColumns = [
  { name: 'block_number', type: 'u32', isNullable: false },
  { name: 'nonce', type: 'u64', isNullable: true },
  { name: 'address', type: 'binary', isNullable: false },
  { name: 'topic0', type: 'binary', isNullable: true },
  { name: 'data', type: 'binary', isNullable: false },
  { name: 'success', type: 'bool', isNullable: true },
  { name: 'value', type: 'u256', isNullable: false },
].map((column) => ({ ...column, isDefault: true, doc: '' })) as readonly DatasetColumn[]

export function makeBatch(rows: readonly Row[]): ColumnBatch {
  const builders = {
    block_number: new U32Builder('block_number'),
    nonce: new U64Builder('nonce'),
    address: new BytesBuilder('address', 'binary'),
    topic0: new BytesBuilder('topic0', 'binary'),
    data: new BytesBuilder('data', 'binary'),
    success: new BoolBuilder('success'),
    value: new U256Builder('value'),
  }
  for (const row of rows) {
    builders.block_number.append(row.block_number)
    if (row.nonce === null) builders.nonce.appendNull()
    else builders.nonce.appendBigInt(row.nonce)
    builders.address.append(row.address)
    if (row.topic0 === null) builders.topic0.appendNull()
    else builders.topic0.append(row.topic0)
    builders.data.append(row.data)
    if (row.success === null) builders.success.appendNull()
    else builders.success.append(row.success)
    builders.value.appendBigInt(row.value)
  }
  return { length: rows.length, columns: Object.values(builders).map((builder) => builder.view()) }
}
