// Makes the rows of one dataset for a piece of a scan: as a batch, or as bytes of a stream. Runs in a worker.
import { concatBytes } from '../bytes.js'
import { withLibraries } from '../evm/evm-thread.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import type { TaskSignal } from '../stop.js'
import type { View } from '../view/view.js'
import { type ColumnBatch, copyBatch } from './column.js'
import { type DatasetTable, describeFile, type ExportFormat } from './export-chunk.js'
import { createStreamWriter, type StreamFormat } from './formats/open-writer.js'
import { makeRows } from './make-rows.js'
import type { ExecutionRequest, RowOptions } from './row-maker.js'

/** Bytes of rows after which a piece ends, so that the pieces that wait for the reader fit into memory. */
const pieceBytes = 8 * 1024 * 1024

/** Which rows of which blocks; structured-cloneable. */
export interface PieceScan extends BlockSpan {
  readonly table: DatasetTable
  readonly options: RowOptions
  /** Present if blocks are executed. */
  readonly execution?: ExecutionRequest | undefined
}

/** The blocks of a piece, which may end before those that were asked for. */
export interface PieceBlocks extends BlockSpan {
  /** Of the first block. */
  readonly parentHash: string
  /** Of the last block. */
  readonly lastHash: string
  readonly rows: number
}

/** A piece as columns; undefined without rows. */
export interface BatchPiece extends PieceBlocks {
  readonly batch: ColumnBatch | undefined
}

/** A piece as bytes: neither the begin nor the end of the stream. */
export interface EncodedPiece extends PieceBlocks {
  readonly bytes: Uint8Array
}

/** Options of a stream; structured-cloneable. */
export interface StreamOptions extends ExportFormat {
  readonly format: StreamFormat
}

/** Reads the first blocks of a range. Throws ABORTED and what reading throws. */
export function readBatch(view: View, scan: PieceScan, signal: TaskSignal): Promise<BatchPiece> {
  return withLibraries(() => readRowsOf(view, scan, signal))
}

async function readRowsOf(
  view: View,
  { table, ...scan }: PieceScan,
  signal: TaskSignal,
): Promise<BatchPiece> {
  let batch: ColumnBatch | undefined
  const whole = { rows: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }
  const take = ({ length, columns }: ColumnBatch) => {
    // A filter of accounts adds the columns that it compares.
    batch = copyBatch({ length, columns: columns.filter(({ name }) => table.columns.includes(name)) })
  }
  const tables = [{ ...table, take }]
  const blocks = await makeRows(view, { ...scan, tables, batches: whole, maxBytes: pieceBytes }, signal)
  const { parentHash, lastHash } = blocks
  return { from: scan.from, to: blocks.to, parentHash, lastHash, rows: batch?.length ?? 0, batch }
}

/** As {@link readBatch}, encoded. */
export async function encodeBatch(
  view: View,
  scan: PieceScan & { readonly options: StreamOptions },
  signal: TaskSignal,
): Promise<EncodedPiece> {
  const { batch, ...piece } = await readBatch(view, scan, signal)
  const parts: Uint8Array[] = []
  const table = describeFile(scan.table, scan.options, view.chain.config.chainId)
  if (batch) createStreamWriter(scan.options.format, table, (part) => parts.push(part)).write(batch)
  // In a buffer of its own, which can be moved to another thread.
  return { ...piece, bytes: concatBytes(...parts) }
}
