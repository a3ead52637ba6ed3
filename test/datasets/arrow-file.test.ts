// Arrow files and streams are read back by apache-arrow, which knows nothing of this project.
import { type RecordBatch, tableFromIPC, util } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { toArrow } from '../../src/arrow.js'
import { createArrowFileWriter, createArrowStreamWriter } from '../../src/datasets/formats/arrow-file.js'
import { arrowRows } from '../../src/datasets/formats/arrow-rows.js'
import type { OutputColumn } from '../../src/datasets/output-column.js'
import { outputColumns } from '../../src/datasets/output-column.js'
import { makeBatch, makeRows, type Row, rowColumns } from './sample-rows.js'

const forms = { hex: false, u256: ['binary', 'string', 'f64', 'decimal'], ints: 'unsigned' } as const
const outputs = outputColumns(rowColumns, forms)

function write(
  groups: readonly (readonly Row[])[],
  create = createArrowFileWriter,
  columns: readonly OutputColumn[] = outputs,
): Uint8Array {
  const parts: Uint8Array[] = []
  const metadata = { dataset: 'sample', chain_id: '1' }
  const table = { columns, sortedBy: [], compression: 'none', metadata, writer: 'test' } as const
  const writer = create(table, (bytes) => parts.push(bytes.slice()))
  writer.begin()
  for (const rows of groups) writer.write(makeBatch(rows))
  writer.finish()
  return new Uint8Array(Buffer.concat(parts))
}

/** A row as readers give it. Decimals are 256-bit integers of eight words, the lowest first. */
function expected({ value, ...row }: Row) {
  const binary = new Uint8Array(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'))
  const words = Uint32Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(32 * i)) & 0xffffffffn))
  return {
    ...row,
    value_binary: binary,
    value_string: value.toString(),
    value_f64: Number(value),
    value_decimal: words,
  }
}

function rowsOf(bytes: Uint8Array) {
  const table = tableFromIPC(bytes)
  return Array.from(table, (row) => {
    const { value_decimal, ...rest } = row!.toJSON() as Record<string, unknown>
    return { ...rest, value_decimal: Uint32Array.from(value_decimal as Uint32Array) }
  })
}

describe.each([
  ['file', createArrowFileWriter],
  ['stream', createArrowStreamWriter],
] as const)('an Arrow %s', (_, create) => {
  it('has every value of every batch', () => {
    const rows = makeRows(500)
    const bytes = write([rows.slice(0, 299), rows.slice(299, 300), rows.slice(300)], create)
    expect(rowsOf(bytes)).toEqual(rows.map(expected))
  })

  it('has types, nullability and facts of the dataset in its schema', () => {
    const { schema } = tableFromIPC(write([makeRows(3)], create))
    expect(schema.fields.map(({ name, type, nullable }) => `${name} ${type} ${nullable}`)).toEqual([
      'block_number Uint32 false',
      'nonce Uint64 true',
      'address Binary false',
      'topic0 Binary true',
      'data Binary false',
      'success Bool true',
      'value_binary Binary false',
      'value_string Utf8 false',
      'value_f64 Float64 false',
      'value_decimal Decimal[76e0] false',
    ])
    expect(Object.fromEntries(schema.metadata)).toEqual({ dataset: 'sample', chain_id: '1' })
  })

  it('may have no rows', () => {
    const table = tableFromIPC(write([], create))
    expect(table.numRows).toBe(0)
    expect(table.schema.fields.length).toBe(outputs.length)
  })

  it('may have many columns and batches', () => {
    const columns = Array.from({ length: 300 }, (_, i) => ({ ...outputs[0]!, name: `column_${i}` }))
    const groups = Array.from({ length: 60 }, () => makeRows(2))
    const table = tableFromIPC(write(groups, create, columns))
    expect([table.numRows, table.numCols, table.batches.length]).toEqual([120, 300, 60])
    expect(table.get(119)!.toJSON()).toMatchObject({ column_0: 17_000_000, column_299: 17_000_000 })
  })

  it('has signed integers and hex if they are asked for', () => {
    const rows = makeRows(40).map((row) => ({ ...row, nonce: row.nonce && row.nonce >> 1n }))
    const columns = outputColumns(rowColumns, { hex: true, u256: [], ints: 'signed' })
    const table = tableFromIPC(write([rows], create, columns))
    expect(table.schema.fields.slice(0, 4).map(({ type }) => String(type))).toEqual([
      'Int32',
      'Int64',
      'Utf8',
      'Utf8',
    ])
    expect(table.get(1)!.toJSON()).toMatchObject({
      nonce: rows[1]!.nonce,
      address: `0x${Buffer.from(rows[1]!.address).toString('hex')}`,
      topic0: null,
    })
  })

  it('has its buffers at multiples of 8', () => {
    const bytes = write([makeRows(77)], create)
    const { children } = tableFromIPC(bytes).batches[0]!.data
    for (const { values, valueOffsets, nullBitmap } of children) {
      for (const part of [values, valueOffsets, nullBitmap]) {
        if (part?.length) expect(((part as Uint8Array).byteOffset - bytes.byteOffset) % 8).toBe(0)
      }
    }
  })
})

describe('the rows of an Arrow file', () => {
  it.each([[[]], [[5]], [[2000, 1, 999]]])('are counted without reading them: %j', (lengths) => {
    const bytes = write(lengths.map(makeRows))
    const read = (at: number, length: number) => new DataView(bytes.buffer, at, length)
    expect(arrowRows(read, bytes.length)).toBe(lengths.reduce((sum, length) => sum + length, 0))
  })
})

describe('toArrow', () => {
  const rows = makeRows(100)
  const batch = makeBatch(rows)

  it('has the values and types of a batch', () => {
    const record: RecordBatch = toArrow(batch)
    expect(record.numRows).toBe(100)
    const found = rows.map((_, i) => record.get(i)!.toJSON())
    const bytes = (value: bigint) => new Uint8Array(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'))
    expect(found).toEqual(rows.map(({ value, ...row }) => ({ ...row, value: bytes(value) })))
  })

  it('copies no buffer', () => {
    const record = toArrow(batch)
    for (const [i, column] of batch.columns.entries()) {
      const data = record.data.children[i]!
      expect(data.values.buffer, column.name).toBe(column.values.buffer)
      if (column.offsets) expect(data.valueOffsets.buffer).toBe(column.offsets.buffer)
      if (column.validity) expect(data.nullBitmap.buffer).toBe(column.validity.buffer)
    }
  })

  it('gives batches of one schema', () => {
    const [first, second] = [toArrow(makeBatch(rows.slice(0, 1))), toArrow(batch)]
    expect(util.compareSchemas(first!.schema, second!.schema)).toBe(true)
  })
})
