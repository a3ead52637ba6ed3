// Exports one chunk of blocks: one pass over them feeds all datasets, whose files it writes. Runs in a worker.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { bytesToHex, type Hex } from '../bytes.js'
import { withLibraries } from '../evm/evm-thread.js'
import type { LogFilter } from '../logs/filter.js'
import type { TaskSignal } from '../stop.js'
import type { View } from '../view/view.js'
import { type AccountFilter, accountColumns, accountTest } from './account-filter.js'
import { chooseDataset, type SchemaOptions } from './choose-dataset.js'
import type { Compression } from './encoding/compression.js'
import { ChunkExecutor, type ExecutionOptions } from './execution/chunk-executor.js'
import type { ExecutionNeeds } from './execution/executed-block.js'
import { executionError } from './execution/execution-error.js'
import { type FileFormat, openWriter } from './formats/open-writer.js'
import { LoadedBlock } from './loaded-block.js'
import { outputColumns, type ValueOptions } from './output-column.js'
import { asOutput, OutputFile, type WrittenFile } from './output-file.js'
import { createProducer } from './producers/create-producer.js'
import { executionNeeds } from './producers/execution-columns.js'
import type { Producer } from './producers/producer.js'
import { RowBuilder } from './row-builder.js'
import type { StateSelection } from './state-selection.js'
import { type StoredBlock, StoredBlocks } from './stored-blocks.js'

/** What all chunks of an export have in common; structured-cloneable. */
export interface ExportFormat extends ValueOptions, SchemaOptions {
  readonly format: FileFormat
  readonly compression: Compression
  /** Logs that are exported, in every dataset that is made of logs. */
  readonly filter: LogFilter
  /** Accounts of the rows that are exported, in every dataset that has such accounts. */
  readonly accounts: AccountFilter
  /** Folder with an earlier export of transactions, whose senders are taken. */
  readonly senders: string | undefined
  /** Name and version of the writer. */
  readonly writer: string
}

/** A file to be written. */
interface DatasetFile {
  readonly dataset: string
  /** Names of the columns. */
  readonly columns: readonly string[]
  /** Of a dataset of state. */
  readonly selection?: StateSelection | undefined
  readonly path: string
}

export interface ChunkExport {
  /** Both ends included. */
  readonly from: number
  readonly to: number
  readonly tables: readonly DatasetFile[]
  readonly format: ExportFormat
  /** Present if blocks are executed. */
  readonly execution?: ChunkExecution
}

interface ChunkExecution extends Pick<ExecutionOptions, 'maxLead'> {
  /** The datasets of the export that need it, for errors. */
  readonly datasets: readonly string[]
}

/** What was written for one dataset. */
interface ExportedTable extends WrittenFile {
  readonly dataset: string
  readonly rows: number
  /** Logs of none of the events whose arguments are columns. */
  readonly notDecoded?: number
}

export interface ExportedChunk {
  readonly tables: readonly ExportedTable[]
  /** Of the first and the last block. */
  readonly parentHash: Hex
  readonly lastHash: Hex
  /** Sums over the blocks; transactions and logs only if bodies and receipts were read. */
  readonly sums: ChunkSums
  /** Roots that were derived from the records, or by execution, and compared with the headers. */
  readonly rootsChecked: readonly ('transactions' | 'receipts' | 'withdrawals' | 'state')[]
}

/** Sums by which chunks are compared with other sources. */
interface ChunkSums {
  readonly transactions?: number
  readonly logs?: number
  readonly gas_used: string
}

/** Version of names, types and meaning of all columns. */
export const schemaVersion = 1

/**
 * Writes the files of a chunk. It begins again if a call of the chunk is the first of this thread that needs a library.
 *
 * @throws GethReaderError ABORTED, NO_SPACE, PERMISSION_DENIED, and what reading throws
 */
export function exportChunk(view: View, chunk: ChunkExport, signal: TaskSignal): Promise<ExportedChunk> {
  return withLibraries(() => writeChunk(view, chunk, signal))
}

async function writeChunk(view: View, chunk: ChunkExport, signal: TaskSignal): Promise<ExportedChunk> {
  using tables = new OpenTables(view, signal)
  for (const table of chunk.tables) await tables.open(table, chunk.format)
  const { senders: folder, filter } = chunk.format
  const senders =
    folder === undefined ? undefined : await (await import('./sender-files.js')).readSenders(folder, chunk)
  const context = { config: view.chain.config, filter, senders }
  const { execution } = chunk
  const needs = execution ? executionNeeds : tables.needs
  const blocks = new StoredBlocks(view.db, needs)
  const executor =
    execution && new ChunkExecutor(view, { needs: tables.executionNeeds, maxLead: execution.maxLead }, signal)
  const sums = new Sums()
  let [first, last]: StoredBlock[] = []
  for (let number = chunk.from; number <= chunk.to; number++) {
    signal.throwIfAborted()
    const stored = blocks.read(number)
    first ??= stored
    last = stored
    // Before the block is loaded: both use the memory of the kernel.
    const executed = await executor?.execute(stored).catch((error) => {
      throw executionError(error, number, execution!.datasets)
    })
    const block = new LoadedBlock(stored, context, executed)
    tables.append(block)
    sums.add(block)
  }
  return {
    tables: tables.finish(),
    parentHash: bytesToHex(first!.header.parentHash),
    lastHash: bytesToHex(last!.hash),
    sums: sums.total(needs),
    rootsChecked: [
      ...(needs.body ? (['transactions', 'withdrawals'] as const) : []),
      ...(needs.receipts ? (['receipts'] as const) : []),
      ...(executor?.hasComparedRoots ? (['state'] as const) : []),
    ],
  }
}

interface OpenTable {
  readonly dataset: string
  readonly producer: Producer
  /** Writes the last rows and gives the file its name. */
  finish(): ExportedTable
}

/** The files of a chunk, which are removed if it fails. */
class OpenTables implements Disposable {
  readonly #view: View
  readonly #signal: TaskSignal
  readonly #files: OutputFile[] = []
  readonly #tables: OpenTable[] = []

  constructor(view: View, signal: TaskSignal) {
    this.#view = view
    this.#signal = signal
  }

  get needs(): { readonly body: boolean; readonly receipts: boolean } {
    const needs = this.#tables.map(({ producer }) => producer.needs)
    const receipts = needs.some(({ receipts }) => receipts)
    return { body: receipts || needs.some(({ body }) => body), receipts }
  }

  get executionNeeds(): ExecutionNeeds {
    return Object.assign({}, ...this.#tables.map(({ producer }) => producer.executes))
  }

  async open(
    { dataset: name, columns: names, selection, path }: DatasetFile,
    format: ExportFormat,
  ): Promise<void> {
    const dataset = chooseDataset(name, format)
    const columns = dataset.columns.filter((column) => names.includes(column.name))
    const { chainId } = this.#view.chain.config
    asOutput(path, () => mkdirSync(dirname(path), { recursive: true }))
    const file = new OutputFile(path)
    this.#files.push(file)
    const table = {
      columns: outputColumns(columns, format),
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
    const writer = await openWriter(format.format, table, (bytes) => file.write(bytes))
    let written = 0
    const compared = accountColumns(dataset, format.accounts)
    const filled = dataset.columns.filter(({ name }) => names.includes(name) || compared.includes(name))
    const rows = new RowBuilder(filled, chainId, (batch) => {
      writer.write(batch)
      written += batch.length
    })
    const accepts = accountTest(dataset, format.accounts, rows)
    if (accepts) rows.filter(accepts)
    const producer = createProducer(name, rows, {
      view: this.#view,
      events: format.events,
      accounts: format.accounts,
      selection,
      signal: this.#signal,
    })
    const finish = () => {
      rows.finish()
      writer.finish()
      const notDecoded = producer.notDecoded?.()
      const counts = { rows: written, ...(notDecoded !== undefined && { notDecoded }) }
      return { dataset: name, ...counts, ...file.finish() }
    }
    this.#tables.push({ dataset: name, producer, finish })
  }

  append(block: LoadedBlock): void {
    for (const { producer } of this.#tables) producer.append(block)
  }

  finish(): ExportedTable[] {
    // These may fail, so no file has its name before them.
    for (const { producer } of this.#tables) producer.finish?.()
    return this.#tables.map((table) => table.finish())
  }

  [Symbol.dispose](): void {
    for (const file of this.#files) file[Symbol.dispose]()
  }
}

class Sums {
  #transactions = 0
  #logs = 0
  #gasUsed = 0n

  add(block: LoadedBlock): void {
    const { header, body, receipts } = block.stored
    this.#gasUsed += header.gasUsed
    if (body) this.#transactions += block.transactionCount
    if (receipts) this.#logs += block.logCount
  }

  total({ body, receipts }: { readonly body: boolean; readonly receipts: boolean }): ChunkSums {
    return {
      ...(body && { transactions: this.#transactions }),
      ...(receipts && { logs: this.#logs }),
      gas_used: this.#gasUsed.toString(),
    }
  }
}
