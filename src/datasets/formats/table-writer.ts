// What the writers of all file formats have in common.
import type { ColumnBatch } from '../column.js'
import type { Compression } from '../encoding/compression.js'
import type { OutputColumn } from '../output-column.js'

/** What a file is about. */
export interface FileDescription {
  readonly columns: readonly OutputColumn[]
  /** Names of columns by which rows are sorted. */
  readonly sortedBy: readonly string[]
  readonly compression: Compression
  /** Facts for readers, which formats with metadata store. */
  readonly metadata: Readonly<Record<string, string>>
  /** Name and version of the writer. */
  readonly writer: string
}

/** Takes the bytes of a file in order. It copies what it does not use at once. */
export type Sink = (bytes: Uint8Array) => void

/** Writes batches of a dataset: the begin, batches, the end. In a stream each part may be written by another thread. */
export interface TableWriter {
  /** Writes what comes before all rows. */
  begin(): void
  /** Writes rows; at most those of a row group. */
  write(batch: ColumnBatch): void
  /** Writes what comes after all rows. */
  finish(): void
}
