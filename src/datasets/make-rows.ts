// Makes the rows of several datasets in one pass over a range of canonical blocks. Runs in a worker.
import { bytesToHex, type Hex } from '../bytes.js'
import type { LogFilter } from '../logs/filter.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import type { TaskSignal } from '../stop.js'
import type { View } from '../view/view.js'
import { type AccountFilter, accountColumns, accountTest } from './account-filter.js'
import { chooseDataset, type SchemaOptions } from './choose-dataset.js'
import type { ColumnBatch } from './column.js'
import { ChunkExecutor, type ExecutionOptions } from './execution/chunk-executor.js'
import type { ExecutionNeeds } from './execution/executed-block.js'
import { executionError } from './execution/execution-error.js'
import { LoadedBlock } from './loaded-block.js'
import { createProducer } from './producers/create-producer.js'
import { executionNeeds } from './producers/execution-columns.js'
import type { Producer } from './producers/producer.js'
import { type BatchSize, fileBatches, RowBuilder } from './row-builder.js'
import type { StateSelection } from './state-selection.js'
import { type StoredBlock, StoredBlocks } from './stored-blocks.js'

/** What decides which rows and columns there are; structured-cloneable. */
export interface RowOptions extends SchemaOptions {
  /** Logs that are used, in every dataset that is made of logs. */
  readonly filter: LogFilter
  /** Accounts of the rows, in every dataset that has such accounts. */
  readonly accounts: AccountFilter
  /** Folder with an earlier export of transactions, whose senders are taken. */
  readonly senders: string | undefined
}

/** Rows of the logs that match a filter, of any account, with cryo's columns. */
export function plainRows(filter: LogFilter): RowOptions {
  return {
    schema: 'cryo',
    filter,
    events: [],
    accounts: { addresses: [], from: [], to: [] },
    senders: undefined,
  }
}

/** Rows of a dataset that are made. */
export interface WantedRows {
  readonly dataset: string
  /** Names of the columns. */
  readonly columns: readonly string[]
  /** Of a dataset of state. */
  readonly selection?: StateSelection | undefined
  /** Gets the rows in order, perhaps with other columns too. */
  readonly take: (batch: ColumnBatch) => void
}

/** How blocks are executed; structured-cloneable. */
export interface ExecutionRequest extends Pick<ExecutionOptions, 'maxLead'> {
  /** The datasets that need it, for errors. */
  readonly datasets: readonly string[]
}

/** Rows of canonical blocks, both ends included. */
export interface RowRequest extends BlockSpan {
  readonly tables: readonly WantedRows[]
  readonly options: RowOptions
  /** Present if blocks are executed. */
  readonly execution?: ExecutionRequest | undefined
  /** Size of batches; default that of row groups of files. */
  readonly batches?: BatchSize
  /** The scan ends after the block with which the rows have so many bytes; default never. */
  readonly maxBytes?: number
}

/** The blocks whose rows were made. */
export interface BlocksRead {
  /** The last block. */
  readonly to: number
  /** Of the first and the last block. */
  readonly parentHash: Hex
  readonly lastHash: Hex
  /** Sums over the blocks; transactions and logs only if bodies and receipts were read. */
  readonly sums: BlockSums
  /** Roots that were derived from the records, or by execution, and compared with the headers. */
  readonly rootsChecked: readonly ('transactions' | 'receipts' | 'withdrawals' | 'state')[]
  /** By dataset: logs of none of the events whose arguments are columns. */
  readonly notDecoded: ReadonlyMap<string, number>
}

/** Sums by which ranges are compared with other sources. */
interface BlockSums {
  readonly transactions?: number
  readonly logs?: number
  /** Digits from 2^53 on. */
  readonly gas_used: number | string
}

/** Makes all rows of a scan. Throws ABORTED and what reading throws. */
export async function makeRows(view: View, scan: RowRequest, signal: TaskSignal): Promise<BlocksRead> {
  const tables = scan.tables.map((table) => openTable(view, table, { scan, signal }))
  const { execution } = scan
  const needs = execution ? executionNeeds : needsOf(tables)
  const blocks = new StoredBlocks(view.db, needs)
  const { filter, senders: folder } = scan.options
  const senders =
    folder === undefined ? undefined : await (await import('./sender-files.js')).readSenders(folder, scan)
  const context = { config: view.chain.config, filter, senders }
  const executor =
    execution &&
    new ChunkExecutor(view, { needs: executionNeedsOf(tables), maxLead: execution.maxLead }, signal)
  const sums = new Sums()
  let [first, last]: StoredBlock[] = []
  for (let number = scan.from; number <= scan.to; number++) {
    signal.throwIfAborted()
    const stored = blocks.read(number)
    first ??= stored
    last = stored
    // Before the block is loaded: both use the memory of the kernel.
    const executed = await executor?.execute(stored).catch((error) => {
      throw executionError(error, number, execution!.datasets)
    })
    const block = new LoadedBlock(stored, context, executed)
    for (const { producer } of tables) producer.append(block)
    sums.add(block)
    if (scan.maxBytes !== undefined && bytesOf(tables) >= scan.maxBytes) break
  }
  for (const { producer, rows } of tables) {
    producer.finish?.()
    rows.finish()
  }
  return {
    to: last!.number,
    parentHash: bytesToHex(first!.header.parentHash),
    lastHash: bytesToHex(last!.hash),
    sums: sums.total(needs),
    rootsChecked: [
      ...(needs.body ? (['transactions', 'withdrawals'] as const) : []),
      ...(needs.receipts ? (['receipts'] as const) : []),
      ...(executor?.hasComparedRoots ? (['state'] as const) : []),
    ],
    notDecoded: new Map(
      tables.flatMap(({ dataset, producer: { notDecoded } }) =>
        notDecoded ? [[dataset, notDecoded()]] : [],
      ),
    ),
  }
}

interface OpenTable {
  readonly dataset: string
  readonly rows: RowBuilder
  readonly producer: Producer
}

function openTable(
  view: View,
  { dataset, columns: names, selection, take }: WantedRows,
  { scan, signal }: { readonly scan: RowRequest; readonly signal: TaskSignal },
): OpenTable {
  const { options, batches = fileBatches } = scan
  const { events, accounts } = options
  const schema = chooseDataset(dataset, options)
  const compared = accountColumns(schema, accounts)
  const filled = schema.columns.flatMap((column) => {
    const { from: source = column } = column
    return names.includes(column.name) || compared.includes(source.name) ? [source] : []
  })
  const rows = new RowBuilder(filled, { chainId: view.chain.config.chainId, batches, flush: take })
  const accepts = accountTest(schema, accounts, rows)
  if (accepts) rows.filter(accepts)
  const context = { view, events, accounts, selection, signal }
  return { dataset, rows, producer: createProducer(schema.producer ?? dataset, rows, context) }
}

function needsOf(tables: readonly OpenTable[]): { readonly body: boolean; readonly receipts: boolean } {
  const needs = tables.map(({ producer }) => producer.needs)
  const receipts = needs.some(({ receipts }) => receipts)
  return { body: receipts || needs.some(({ body }) => body), receipts }
}

function executionNeedsOf(tables: readonly OpenTable[]): ExecutionNeeds {
  return Object.assign({}, ...tables.map(({ producer }) => producer.executes))
}

function bytesOf(tables: readonly OpenTable[]): number {
  return tables.reduce((sum, { rows }) => sum + rows.byteLength, 0)
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

  total({ body, receipts }: { readonly body: boolean; readonly receipts: boolean }): BlockSums {
    return {
      ...(body && { transactions: this.#transactions }),
      ...(receipts && { logs: this.#logs }),
      gas_used: this.#gasUsed <= Number.MAX_SAFE_INTEGER ? Number(this.#gasUsed) : this.#gasUsed.toString(),
    }
  }
}
