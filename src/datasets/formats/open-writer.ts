// The writers of file formats, by name.
import { openParquetWriter } from './parquet-file.js'
import type { FileDescription, Sink, TableWriter } from './table-writer.js'
import { createCsvWriter, createJsonWriter } from './text-file.js'

/** Formats of files; each is also the extension. */
export const fileFormats = ['parquet', 'csv', 'jsonl'] as const
/** A format of files: Parquet, CSV with a header, or a JSON object on each line. */
export type FileFormat = (typeof fileFormats)[number]

/** A writer that hands the bytes of a file to a sink. */
export async function openWriter(
  format: FileFormat,
  table: FileDescription,
  sink: Sink,
): Promise<TableWriter> {
  if (format === 'parquet') return openParquetWriter(table, sink)
  return format === 'csv' ? createCsvWriter(table, sink) : createJsonWriter(table, sink)
}
