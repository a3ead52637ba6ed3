// Writes a Parquet file: a row group for each batch, blooms after it, and the footer. The footer's Thrift is that of
// hyparquet-writer.
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js'
import type { ColumnBatch } from '../column.js'
import { ColumnKernel } from '../encoding/column-kernel.js'
import { type Compress, type Compression, openCompression } from '../encoding/compression.js'
import type { OutputColumn } from '../output-column.js'
import { outputValues } from '../output-values.js'
import { type EncodedColumn, encodeColumn } from './parquet-column.js'
import type { FileDescription, Sink, TableWriter } from './table-writer.js'

type FileMetadata = Parameters<typeof writeMetadata>[1]
type RowGroup = FileMetadata['row_groups'][number]
type ColumnMetadata = NonNullable<RowGroup['columns'][number]['meta_data']>
type SchemaElement = FileMetadata['schema'][number]

/** Longer extremes of byte strings are cut. */
const statisticBytes = 64

/** Thrift's header of a list: no element, structs. */
const emptyListOfStructs = 0x0c

const magic = new TextEncoder().encode('PAR1')

/** Columns that are searched for single values. */
const bloomColumns: readonly string[] = [
  'transaction_hash',
  'address',
  'topic0',
  'topic1',
  'topic2',
  'topic3',
  'from_address',
  'to_address',
  'erc20',
]

/** Names of codecs in the format. */
const codecs: Readonly<Record<Compression, ColumnMetadata['codec']>> = {
  zstd: 'ZSTD',
  snappy: 'SNAPPY',
  lz4: 'LZ4_RAW',
  none: 'UNCOMPRESSED',
}

/** One kernel serves all files of a thread. */
let kernel: ColumnKernel | undefined

/** A writer, after its codec is loaded. */
export async function openParquetWriter(table: FileDescription, sink: Sink): Promise<TableWriter> {
  kernel ??= new ColumnKernel()
  return new ParquetWriter(table, sink, { kernel, compress: await openCompression(table.compression) })
}

interface Encoder {
  readonly kernel: ColumnKernel
  readonly compress: Compress
}

class ParquetWriter implements TableWriter {
  readonly #table: FileDescription
  readonly #sink: Sink
  readonly #encoder: Encoder
  readonly #rowGroups: RowGroup[] = []
  #offset = 0
  #rows = 0

  constructor(table: FileDescription, sink: Sink, encoder: Encoder) {
    this.#table = table
    this.#sink = sink
    this.#encoder = encoder
  }

  begin(): void {
    this.#write(magic)
  }

  write(batch: ColumnBatch): void {
    if (batch.length === 0) return
    const start = this.#offset
    const blooms: { readonly metadata: ColumnMetadata; readonly bloom: Uint8Array }[] = []
    const columns = this.#table.columns.map((output) => {
      const source = batch.columns.find(({ name }) => name === output.source)!
      const values = outputValues(source, output, batch.length)
      const hasBloom = bloomColumns.includes(output.source)
      const encoded = encodeColumn(values, batch.length, { ...this.#encoder, hasBloom })
      const metadata = this.#columnMetadata(output, encoded, batch.length, values.nullCount)
      for (const part of encoded.parts) this.#write(part)
      if (encoded.bloom) blooms.push({ metadata, bloom: encoded.bloom })
      return {
        file_offset: metadata.dictionary_page_offset ?? metadata.data_page_offset,
        meta_data: metadata,
      }
    })
    const sum = (of: (metadata: ColumnMetadata) => bigint) =>
      columns.reduce((total, { meta_data }) => total + of(meta_data), 0n)
    this.#rowGroups.push({
      columns,
      total_byte_size: sum((metadata) => metadata.total_uncompressed_size),
      num_rows: BigInt(batch.length),
      sorting_columns: sortingColumns(this.#table),
      file_offset: BigInt(start),
      total_compressed_size: BigInt(this.#offset - start),
    })
    for (const { metadata, bloom } of blooms) this.#writeBloom(metadata, bloom)
    this.#rows += batch.length
  }

  finish(): void {
    const { columns, metadata, writer } = this.#table
    const footer = footerOf({
      version: 2,
      schema: [{ name: 'schema', num_children: columns.length }, ...columns.map(schemaElement)],
      num_rows: BigInt(this.#rows),
      row_groups: this.#rowGroups,
      key_value_metadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
      created_by: writer,
      metadata_length: 0,
    })
    this.#write(footer)
    this.#write(magic)
  }

  #columnMetadata(
    { name, type }: OutputColumn,
    encoded: EncodedColumn,
    rows: number,
    nullCount: number,
  ): ColumnMetadata {
    const { dictionaryPageBytes, compressedBytes, uncompressedBytes, min, max } = encoded
    const hasDictionary = dictionaryPageBytes !== undefined
    return {
      type: elements[type].type!,
      encodings: hasDictionary ? ['PLAIN', 'RLE', 'RLE_DICTIONARY'] : ['PLAIN', 'RLE'],
      path_in_schema: [name],
      codec: codecs[this.#table.compression],
      num_values: BigInt(rows),
      total_uncompressed_size: BigInt(uncompressedBytes),
      total_compressed_size: BigInt(compressedBytes),
      data_page_offset: BigInt(this.#offset + (dictionaryPageBytes ?? 0)),
      ...(hasDictionary && { dictionary_page_offset: BigInt(this.#offset) }),
      statistics: {
        null_count: BigInt(nullCount),
        ...(min !== undefined && { min_value: min }),
        ...(max !== undefined && { max_value: max }),
      },
    }
  }

  #writeBloom(metadata: ColumnMetadata, bloom: Uint8Array): void {
    const header = new ByteWriter()
    // Split blocks, XXH64, uncompressed: the only kinds that the format has.
    serializeTCompactProtocol(header, {
      field_1: bloom.length,
      field_2: { field_1: {} },
      field_3: { field_1: {} },
      field_4: { field_1: {} },
    })
    metadata.bloom_filter_offset = BigInt(this.#offset)
    metadata.bloom_filter_length = header.offset + bloom.length
    this.#write(header.getBytes())
    this.#write(bloom)
  }

  #write(bytes: Uint8Array): void {
    this.#sink(bytes)
    this.#offset += bytes.length
  }
}

function schemaElement({ name, type, isNullable }: OutputColumn): SchemaElement {
  return { name, repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED', ...elements[type] }
}

const elements: Readonly<Record<OutputColumn['type'], Omit<SchemaElement, 'name'>>> = {
  bool: { type: 'BOOLEAN' },
  u32: integer(32, false),
  i32: integer(32, true),
  u64: integer(64, false),
  i64: integer(64, true),
  f64: { type: 'DOUBLE' },
  binary: { type: 'BYTE_ARRAY' },
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  decimal: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 32,
    converted_type: 'DECIMAL',
    precision: 76,
    scale: 0,
    logical_type: { type: 'DECIMAL', precision: 76, scale: 0 },
  },
}

function integer(bitWidth: 32 | 64, isSigned: boolean): Omit<SchemaElement, 'name'> {
  // Without the logical type, whose width hyparquet-writer 0.17 writes as i32 instead of i8, which DuckDB refuses.
  return { type: `INT${bitWidth}`, converted_type: `${isSigned ? 'INT' : 'UINT'}_${bitWidth}` }
}

/** The columns of the order that are in the file, up to the first that is not. */
function sortingColumns({ columns, sortedBy }: FileDescription): NonNullable<RowGroup['sorting_columns']> {
  const indexes = sortedBy.map((name) => columns.findIndex((column) => column.name === name))
  const missing = indexes.indexOf(-1)
  return (missing < 0 ? indexes : indexes.slice(0, missing)).map((column_idx) => ({
    column_idx,
    descending: false,
    nulls_first: false,
  }))
}

/** The footer with its length. */
function footerOf(description: FileMetadata): Uint8Array {
  const bytes = (row_groups: RowGroup[]) => {
    const writer = new ByteWriter()
    writeMetadata(writer, { ...description, row_groups }, statisticBytes)
    return writer.getBytes()
  }
  const footer = bytes(description.row_groups)
  if (description.row_groups.length > 0) return footer
  // hyparquet-writer 0.17 gives an empty list no type, which parquet-rs refuses. A list of one differs first in its header.
  const filled = bytes([{ columns: [], total_byte_size: 0n, num_rows: 0n }])
  footer[footer.findIndex((byte, i) => byte !== filled[i])] = emptyListOfStructs
  return footer
}
