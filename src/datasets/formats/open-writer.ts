// The writers of file formats, by name.
import { createArrowFileWriter, createArrowStreamWriter } from './arrow-file.js'
import { openParquetWriter } from './parquet-file.js'
import type { FileDescription, Sink, TableWriter } from './table-writer.js'
import { createCsvWriter, createJsonWriter } from './text-file.js'

/** Formats of files; each is also the extension. */
export const fileFormats = ['parquet', 'arrow', 'csv', 'jsonl'] as const
/** A format of files: Parquet, Arrow's IPC file, CSV with a header, or a JSON object on each line. */
export type FileFormat = (typeof fileFormats)[number]

/** Formats of streams. */
export const streamFormats = ['arrow', 'csv', 'jsonl'] as const
/** A format of streams: Arrow's IPC stream, CSV with a header, or a JSON object on each line. */
export type StreamFormat = (typeof streamFormats)[number]

/** A writer that hands the bytes of a file to a sink. */
export async function openFileWriter(
  format: FileFormat,
  table: FileDescription,
  sink: Sink,
): Promise<TableWriter> {
  if (format === 'parquet') return openParquetWriter(table, sink)
  return format === 'arrow' ? createArrowFileWriter(table, sink) : createStreamWriter(format, table, sink)
}

/** A writer that hands the bytes of a stream to a sink. */
export function createStreamWriter(format: StreamFormat, table: FileDescription, sink: Sink): TableWriter {
  if (format === 'arrow') return createArrowStreamWriter(table, sink)
  return format === 'csv' ? createCsvWriter(table, sink) : createJsonWriter(table, sink)
}
