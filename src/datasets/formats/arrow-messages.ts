// The metadata of Arrow: messages and the footer of a file. Follows Message.fbs, Schema.fbs and File.fbs of apache/arrow
// (format/), version V5. The place of a member in a list is its id.
import type { OutputColumn } from '../output-column.js'
import { type FlatField, type FlatTable, flat, writeFlatbuffer } from './flatbuffer.js'
import type { FileDescription } from './table-writer.js'

const version = flat.i16(4)
const littleEndian = undefined
const noDictionaries = flat.structs([])

/** Ids in the unions of messages and of types. */
const messages = { schema: 1, recordBatch: 3 } as const
const types = { int: 2, float: 3, binary: 4, utf8: 5, bool: 6, decimal: 7 } as const
const doublePrecision = 2

/** Where a buffer is in the body of its message, without the padding after it. */
interface BufferPlace {
  readonly offset: number
  readonly length: number
}

/** Where a message with a batch is in a file. */
export interface MessagePlace {
  readonly offset: number
  /** With the bytes before the metadata and the padding after it. */
  readonly metadataBytes: number
  readonly bodyBytes: number
}

interface BatchDescription {
  readonly rows: number
  /** Number of nulls of each column. */
  readonly nullCounts: readonly number[]
  readonly buffers: readonly BufferPlace[]
  readonly bodyBytes: number
}

type SchemaDescription = Pick<FileDescription, 'columns' | 'metadata'>

/** The message before all batches. */
export function schemaMessage(table: SchemaDescription): Uint8Array {
  return message(messages.schema, schema(table), 0)
}

/** The message of a batch, whose buffers follow it. */
export function batchMessage({ rows, nullCounts, buffers, bodyBytes }: BatchDescription): Uint8Array {
  const batch = flat.table(
    flat.i64(rows),
    flat.structs(nullCounts.map((nulls) => [rows, nulls])),
    flat.structs(buffers.map(({ offset, length }) => [offset, length])),
  )
  return message(messages.recordBatch, batch, bodyBytes)
}

/** The footer of a file. */
export function fileFooter(table: SchemaDescription, batches: readonly MessagePlace[]): Uint8Array {
  const blocks = batches.map(({ offset, metadataBytes, bodyBytes }) => [offset, metadataBytes, bodyBytes])
  return writeFlatbuffer(flat.table(version, schema(table), noDictionaries, flat.structs(blocks)))
}

function message(kind: number, header: FlatTable, bodyBytes: number): Uint8Array {
  return writeFlatbuffer(flat.table(version, flat.u8(kind), header, flat.i64(bodyBytes)))
}

function schema({ columns, metadata }: SchemaDescription): FlatTable {
  const pairs = Object.entries(metadata).map(([key, value]) => flat.table(flat.text(key), flat.text(value)))
  return flat.table(littleEndian, flat.tables(columns.map(fieldOf)), flat.tables(pairs))
}

function fieldOf({ name, type, isNullable }: OutputColumn): FlatTable {
  const { id, members } = arrowTypes[type]
  const dictionary = undefined
  const children = flat.tables([])
  return flat.table(
    flat.text(name),
    flat.u8(isNullable ? 1 : 0),
    flat.u8(id),
    flat.table(...members),
    dictionary,
    children,
  )
}

interface ArrowType {
  readonly id: number
  readonly members: readonly (FlatField | undefined)[]
}

const arrowTypes: Readonly<Record<OutputColumn['type'], ArrowType>> = {
  bool: { id: types.bool, members: [] },
  u32: integer(32, false),
  i32: integer(32, true),
  u64: integer(64, false),
  i64: integer(64, true),
  f64: { id: types.float, members: [flat.i16(doublePrecision)] },
  binary: { id: types.binary, members: [] },
  string: { id: types.utf8, members: [] },
  // Precision, scale, bits.
  decimal: { id: types.decimal, members: [flat.i32(76), flat.i32(0), flat.i32(256)] },
}

function integer(bits: 32 | 64, isSigned: boolean): ArrowType {
  return { id: types.int, members: [flat.i32(bits), flat.u8(isSigned ? 1 : 0)] }
}
