// Files are read back by hyparquet and by DuckDB.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { column } from '../../src/datasets/dataset.js'
import { datasets } from '../../src/datasets/dataset-table.js'
import { type Compression, compressions } from '../../src/datasets/encoding/compression.js'
import { openParquetWriter } from '../../src/datasets/formats/parquet-file.js'
import { U256Builder } from '../../src/datasets/integer-builders.js'
import {
  checkSelection,
  type OutputColumn,
  outputColumns,
  selectColumns,
} from '../../src/datasets/output-column.js'
import { sample } from '../full-form.js'
import { query } from './duckdb.js'
import { makeBatch, makeRows, type Row, rowColumns } from './sample-rows.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parquet-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const outputs = outputColumns(rowColumns, {
  hex: false,
  u256: ['binary', 'string', 'f64'],
  ints: 'unsigned',
})

async function write(
  groups: readonly (readonly Row[])[],
  { compression = 'zstd', columns = outputs }: { compression?: Compression; columns?: OutputColumn[] } = {},
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  const table = {
    columns,
    sortedBy: ['block_number', 'log_index'],
    compression,
    metadata: { chain_id: '1' },
    writer: 'test',
  }
  const writer = await openParquetWriter(table, (bytes) => parts.push(bytes.slice()))
  writer.begin()
  for (const rows of groups) writer.write(makeBatch(rows))
  writer.finish()
  return new Uint8Array(Buffer.concat(parts))
}

const read = (file: Uint8Array) =>
  parquetReadObjects({
    file: file.buffer as ArrayBuffer,
    metadata: parquetMetadata(file.buffer as ArrayBuffer),
    compressors,
    utf8: false,
  })

/** A row as the file has it. */
function expected({ value, ...row }: Row) {
  const binary = new Uint8Array(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'))
  return { ...row, value_binary: binary, value_string: value.toString(), value_f64: Number(value) }
}

describe('a Parquet file', () => {
  it.each(sample(compressions, 2))('has every value, compressed by %s', async (compression) => {
    const rows = makeRows(3000)
    const file = await write([rows.slice(0, 2000), rows.slice(2000)], { compression })
    const found = await read(file)
    expect(found.length).toBe(3000)
    for (const [i, row] of rows.entries()) expect(found[i]).toEqual(expected(row))
  })

  it('is read by DuckDB with the right types', async () => {
    const rows = makeRows(1000)
    const path = join(folder, 'types.parquet')
    writeFileSync(path, await write([rows]))
    const types = await query(`select column_name, column_type from (describe select * from '${path}')`)
    expect(types.map((row) => `${row['column_name']} ${row['column_type']}`)).toEqual([
      'block_number UINTEGER',
      'nonce UBIGINT',
      'address BLOB',
      'topic0 BLOB',
      'data BLOB',
      'success BOOLEAN',
      'value_binary BLOB',
      'value_string VARCHAR',
      'value_f64 DOUBLE',
    ])
    const found = await query(`
      select block_number, nonce, lower(hex(topic0)) as topic0, success, value_string, lower(hex(data)) as data from '${path}'`)
    const hex = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('hex')
    expect(found).toEqual(
      rows.map((row) => ({
        block_number: row.block_number,
        nonce: row.nonce === null ? null : row.nonce.toString(),
        topic0: hex(row.topic0),
        success: row.success,
        value_string: row.value.toString(),
        data: hex(row.data),
      })),
    )
  })

  it('says in its statistics which values there are', async () => {
    const rows = makeRows(1000)
    const { row_groups } = parquetMetadata((await write([rows])).buffer as ArrayBuffer)
    const statistics = new Map(
      row_groups[0]!.columns.map(({ meta_data }) => [meta_data!.path_in_schema[0], meta_data!.statistics]),
    )
    expect(statistics.get('block_number')).toMatchObject({
      min_value: 17_000_000,
      max_value: 17_000_027,
      null_count: 0n,
    })
    expect(statistics.get('nonce')).toMatchObject({
      min_value: 2n ** 64n - 1000n,
      max_value: 2n ** 64n - 2n,
      null_count: 200n,
    })
    expect(statistics.get('success')).toMatchObject({ min_value: false, max_value: true, null_count: 143n })
    // Not cut.
    expect(statistics.get('address')!.is_max_value_exact).toBe(undefined)
    expect(row_groups[0]!.sorting_columns).toEqual([{ column_idx: 0, descending: false, nulls_first: false }])
  })

  it('has blooms by which DuckDB reads at most 2 % of the row groups for a rare value', async () => {
    const topic = (i: number) => (BigInt(i) * 0x9e3779b97f4a7c15n).toString(16).padStart(64, '0')
    const rows = makeRows(20_000).map((row, i) => ({
      ...row,
      topic0: new Uint8Array(Buffer.from(topic(i), 'hex')),
    }))
    const path = join(folder, 'blooms.parquet')
    // As text, because parquet_bloom_probe takes no bytes.
    const columns = outputs.map((column) =>
      column.name === 'topic0' ? { ...column, type: 'string' as const, form: 'hex' as const } : column,
    )
    const groups = Array.from({ length: 200 }, (_, i) => rows.slice(100 * i, 100 * i + 100))
    writeFileSync(path, await write(groups, { columns }))
    const probe = async (value: string) => {
      const found = await query(
        `select bloom_filter_excludes from parquet_bloom_probe('${path}', 'topic0', '0x${value}')`,
      )
      expect(found.length).toBe(200)
      return found.flatMap((group, i) => (group['bloom_filter_excludes'] === true ? [] : [i]))
    }
    for (const i of [0, 2500, 19_999]) {
      const read = await probe(topic(i))
      expect(read).toContain(Math.floor(i / 100))
      expect(read.length).toBeLessThanOrEqual(4)
    }
    expect((await probe('09'.repeat(32))).length).toBeLessThanOrEqual(4)
  })

  it('is the same for the same rows, also if other files were written between', async () => {
    const rows = makeRows(500)
    const first = await write([rows])
    await write([makeRows(2000)], { compression: 'snappy' })
    expect(await write([rows])).toEqual(first)
  })

  it('may have no rows', async () => {
    const file = await write([])
    expect(await read(file)).toEqual([])
    const path = join(folder, 'empty.parquet')
    writeFileSync(path, file)
    expect(await query(`select count(*)::int as n from '${path}'`)).toEqual([{ n: 0 }])
    // Field 3, no rows (zigzag 0), then field 4: a list (9) of no structs (12), as parquet-rs asks for.
    expect(Buffer.from(file).toString('hex')).toContain('1600190c')
  })

  it('has hex, decimals and signed integers if they are asked for', async () => {
    const chosen = rowColumns.filter(({ name }) => name !== 'nonce')
    const rows = makeRows(100)
    const file = await write([rows], {
      columns: outputColumns(chosen, { hex: true, u256: ['decimal'], ints: 'signed' }),
    })
    const path = join(folder, 'forms.parquet')
    writeFileSync(path, file)
    const types = await query(
      `select name, type, converted_type from parquet_schema('${path}') where name <> 'schema'`,
    )
    expect(types[0]).toEqual({
      name: 'block_number',
      type: 'INT32',
      converted_type: 'INT_32',
    })
    const [first] = await query(`select address, topic0 from '${path}' offset 1`)
    expect(first).toEqual({ address: `0x${Buffer.from(rows[1]!.address).toString('hex')}`, topic0: null })
  })

  it('refuses what does not fit a chosen type and names the row', async () => {
    const [, nonce] = rowColumns
    const signed = outputColumns([nonce!], {
      hex: false,
      u256: [],
      ints: 'signed',
    })
    await expect(write([makeRows(3)], { columns: signed })).rejects.toThrow(
      'nonce: expected at most 2^63 - 1 in row 1, got 18446744073709551614',
    )
  })

  it('has all columns but those that are excluded, if all are included', () => {
    const logs = datasets.find(({ name }) => name === 'logs')!
    const names = logs.columns.map(({ name }) => name).filter((name) => name !== 'data')
    const selected = selectColumns(logs, { include: ['all'], exclude: ['data'] })
    expect(selected.map(({ name }) => name)).toEqual(names)
    expect(() => checkSelection([logs], { include: ['all'], exclude: ['data'] })).not.toThrow()
  })

  it('has signed integers of 32 bits as 64 bits where values may need the highest bit by their meaning', () => {
    const columns = ['timestamp', 'decimals', 'transaction_index'].map((name) => column(name, 'u32', ''))
    const written = outputColumns(columns, { hex: false, u256: [], ints: 'signed' })
    expect(written.map(({ type }) => type)).toEqual(['i64', 'i64', 'i32'])
  })

  it('has signed integers of 256 bits in all forms, with statistics in their order', async () => {
    const values = [-(10n ** 75n), -1n, 0n, 1n, 10n ** 75n]
    const builder = new U256Builder('amount', 'i256')
    const hex = (value: bigint) => BigInt.asUintN(256, value).toString(16).padStart(64, '0')
    for (const value of values) builder.appendWord(Buffer.from(hex(value), 'hex'), 0)
    const column = { name: 'amount', type: 'i256', isNullable: false, isDefault: true, doc: '' } as const
    const forms = ['binary', 'string', 'f64', 'decimal'] as const
    const parts: Uint8Array[] = []
    const table = {
      columns: outputColumns([column], { hex: false, u256: forms, ints: 'unsigned' }),
      sortedBy: [],
      compression: 'none' as const,
      metadata: {},
      writer: 'test',
    }
    const writer = await openParquetWriter(table, (bytes) => parts.push(bytes.slice()))
    writer.begin()
    writer.write({ length: values.length, columns: [builder.view()] })
    writer.finish()
    const path = join(folder, 'signed.parquet')
    writeFileSync(path, Buffer.concat(parts))
    const rows = await query(
      `select lower(hex(amount_binary)) as hex, amount_string, amount_f64 from '${path}'`,
    )
    expect(rows.map((row) => [row['hex'], row['amount_string'], row['amount_f64']])).toEqual(
      values.map((value) => [hex(value), String(value), Number(value)]),
    )
    const { buffer } = new Uint8Array(Buffer.concat(parts))
    const [group] = parquetMetadata(buffer).row_groups
    const { statistics } = group!.columns.at(-1)!.meta_data!
    expect([statistics?.min_value, statistics?.max_value].map(Number)).toEqual([-1e75, 1e75])
  })
})
