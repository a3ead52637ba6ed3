// Exports one chunk of blocks: one pass over them feeds all datasets, whose files it writes. Runs in a worker, which goes on with the
// next chunk while the main thread has the files synced.
import { dirname } from 'node:path'
import { withLibraries } from '../evm/evm-thread.js'
import { makeFolder, OutputFile, type UnnamedFile } from '../output-file.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import type { TaskSignal } from '../stop.js'
import type { View } from '../view/view.js'
import { chooseDataset } from './choose-dataset.js'
import type { Compression } from './encoding/compression.js'
import { type FileFormat, openFileWriter } from './formats/open-writer.js'
import type { FileDescription } from './formats/table-writer.js'
import { type BlocksRead, makeRows } from './make-rows.js'
import { outputColumns, type ValueOptions } from './output-column.js'
import type { ExecutionRequest, RowOptions, WantedRows } from './row-maker.js'
import type { StateSelection } from './state-selection.js'

/** What all chunks of an export have in common; structured-cloneable. */
export interface ExportFormat extends ValueOptions, RowOptions {
  readonly format: FileFormat
  readonly compression: Compression
  /** Name and version of the writer. */
  readonly writer: string
}

/** A dataset that is written, and which columns of it. */
export interface DatasetTable {
  readonly dataset: string
  /** Names of the columns. */
  readonly columns: readonly string[]
  /** Of a dataset of state. */
  readonly selection?: StateSelection | undefined
}

/** A file to be written. */
interface DatasetFile extends DatasetTable {
  readonly path: string
}

export interface ChunkExport extends BlockSpan {
  readonly tables: readonly DatasetFile[]
  readonly format: ExportFormat
  /** Present if blocks are executed. */
  readonly execution?: ExecutionRequest | undefined
}

/** The file that was written for one dataset. */
interface ExportedTable extends UnnamedFile {
  readonly dataset: string
  readonly rows: number
}

export interface ExportedChunk extends BlocksRead {
  readonly tables: readonly ExportedTable[]
}

/** Version of names, types and meaning of all columns. */
export const schemaVersion = 1

/**
 * Writes the files of a chunk, which have no names yet. It begins again if a call of the chunk is the first of this thread that needs
 * a library.
 *
 * @throws GethReaderError ABORTED, NO_SPACE, PERMISSION_DENIED, and what reading throws
 */
export function exportChunk(view: View, chunk: ChunkExport, signal: TaskSignal): Promise<ExportedChunk> {
  return withLibraries(() => writeChunk(view, chunk, signal))
}

async function writeChunk(
  view: View,
  { tables, format, ...chunk }: ChunkExport,
  signal: TaskSignal,
): Promise<ExportedChunk> {
  using files = new ChunkFiles(format, view.chain.config.chainId)
  for (const table of tables) await files.open(table, chunk)
  const blocks = await makeRows(view, { ...chunk, tables: files.tables, options: format }, signal)
  return { ...blocks, tables: files.finish() }
}

/** What a file of a dataset is about. */
export function describeFile(
  { dataset: name, columns }: DatasetTable,
  format: ExportFormat,
  chainId: bigint,
): FileDescription {
  const dataset = chooseDataset(name, format)
  return {
    columns: outputColumns(
      dataset.columns.filter((column) => columns.includes(column.name)),
      format,
    ),
    sortedBy: dataset.sortedBy,
    compression: format.compression,
    writer: format.writer,
    metadata: {
      dataset: name,
      schema_version: String(schemaVersion),
      writer: format.writer,
      chain_id: String(chainId),
    },
  }
}

interface OpenFile extends WantedRows {
  /** Writes the end of the file. */
  finish(): ExportedTable
}

/** The files of a chunk, which are removed if it fails. */
class ChunkFiles implements Disposable {
  readonly #format: ExportFormat
  readonly #chainId: bigint
  readonly #files: OutputFile[] = []
  readonly #tables: OpenFile[] = []

  constructor(format: ExportFormat, chainId: bigint) {
    this.#format = format
    this.#chainId = chainId
  }

  get tables(): readonly WantedRows[] {
    return this.#tables
  }

  async open({ path, ...table }: DatasetFile, { from, to }: BlockSpan): Promise<void> {
    makeFolder(dirname(path))
    const file = new OutputFile(path)
    this.#files.push(file)
    const description = describeFile(table, this.#format, this.#chainId)
    const writer = await openFileWriter(this.#format.format, description, (bytes) => file.write(bytes))
    writer.begin()
    let rows = 0
    this.#tables.push({
      ...table,
      take(batch) {
        try {
          writer.write(batch)
        } catch (error) {
          if (!(error instanceof RangeError)) throw error
          const after = rows > 0 ? `, after ${rows} rows` : ''
          const place = `${table.dataset} of blocks ${from} to ${to}${after}`
          throw new RangeError(`${place}: ${error.message}`, { cause: error })
        }
        rows += batch.length
      },
      finish() {
        writer.finish()
        return { dataset: table.dataset, rows, ...file.finishUnnamed() }
      },
    })
  }

  finish(): ExportedTable[] {
    return this.#tables.map((table) => table.finish())
  }

  [Symbol.dispose](): void {
    for (const file of this.#files) file[Symbol.dispose]()
  }
}
