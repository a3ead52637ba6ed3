// Makes the rows of several datasets of one block after the other. Runs in a worker.
import type { LogFilter } from '../logs/filter.js'
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
import { type BatchSize, fileBatches, leaveBuilders, RowBuilder } from './row-builder.js'
import type { KnownSenders } from './sender-files.js'
import type { StateSelection } from './state-selection.js'
import { type BlockNeeds, type BlockReading, StoredBlocks } from './stored-blocks.js'

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
  /** Gets the rows in order, perhaps with other columns too. Arrays are views, valid until it returns. */
  readonly take: (batch: ColumnBatch) => void
}

/** How blocks are executed; structured-cloneable. */
export interface ExecutionRequest extends Pick<ExecutionOptions, 'maxLead'> {
  /** The datasets that need it, for errors. */
  readonly datasets: readonly string[]
}

/** Which rows are made of the blocks. */
export interface RowTables {
  readonly tables: readonly WantedRows[]
  readonly options: RowOptions
  /** Present if blocks are executed. */
  readonly execution?: ExecutionRequest | undefined
  /** Size of batches; default that of row groups of files. */
  readonly batches?: BatchSize
}

/** How blocks are read, and what is known of them. */
interface BlockSource {
  /** Senders from an earlier export. */
  readonly senders?: KnownSenders | undefined
  readonly reading?: Omit<BlockReading, keyof BlockNeeds>
}

/** Blocks are added in ascending order, then finished. */
export class RowMaker {
  readonly #signal: TaskSignal
  readonly #tables: readonly OpenTable[]
  readonly #blocks: StoredBlocks
  readonly #context: ConstructorParameters<typeof LoadedBlock>[1]
  readonly #executor: ChunkExecutor | undefined
  readonly #executed: readonly string[]

  constructor(view: View, request: RowTables & BlockSource, signal: TaskSignal) {
    const { options, execution, senders, reading } = request
    this.#signal = signal
    this.#tables = request.tables.map((table) => openTable(view, table, { request, signal }))
    const needs = execution ? executionNeeds : needsOf(this.#tables)
    // Transactions that are executed are views of bodies.
    const areRecordsKept = execution !== undefined
    this.#blocks = new StoredBlocks(view.db, { ...needs, ...reading, areRecordsKept })
    this.#context = { config: view.chain.config, filter: options.filter, senders }
    this.#executor =
      execution &&
      new ChunkExecutor(view, { needs: executionNeedsOf(this.#tables), maxLead: execution.maxLead }, signal)
    this.#executed = execution?.datasets ?? []
  }

  /** Parts of the blocks that are read. */
  get needs(): BlockNeeds {
    return this.#blocks.needs
  }

  /** Bytes of the rows that were not handed over. */
  get byteLength(): number {
    return this.#tables.reduce((sum, { rows }) => sum + rows.byteLength, 0)
  }

  /** Whether states of executed blocks were compared with their headers. */
  get hasComparedStates(): boolean {
    return this.#executor?.hasComparedRoots === true
  }

  /** By dataset: logs of none of the events whose arguments are columns. */
  get notDecoded(): ReadonlyMap<string, number> {
    return new Map(
      this.#tables.flatMap(({ dataset, producer: { notDecoded } }) =>
        notDecoded ? [[dataset, notDecoded()]] : [],
      ),
    )
  }

  /** Makes the rows of a block. Throws ABORTED, and what reading and execution throw. */
  async add(number: number): Promise<LoadedBlock> {
    this.#signal.throwIfAborted()
    const stored = this.#blocks.read(number)
    // Before the block is loaded: both use the memory of the kernel.
    const executed = await this.#executor?.execute(stored).catch((error) => {
      throw executionError(error, number, this.#executed)
    })
    const block = new LoadedBlock(stored, this.#context, executed)
    for (const { producer } of this.#tables) producer.append(block)
    return block
  }

  /** Hands over the rest of the rows. No block may be added any more. */
  finish(): void {
    for (const { producer, rows } of this.#tables) {
      producer.finish?.()
      rows.finish()
    }
    leaveBuilders(this.#tables.map(({ rows }) => rows))
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
  { request, signal }: { readonly request: RowTables; readonly signal: TaskSignal },
): OpenTable {
  const { options, batches = fileBatches } = request
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

function needsOf(tables: readonly OpenTable[]): BlockNeeds {
  const needs = tables.map(({ producer }) => producer.needs)
  return { body: needs.some(({ body }) => body), receipts: needs.some(({ receipts }) => receipts) }
}

function executionNeedsOf(tables: readonly OpenTable[]): ExecutionNeeds {
  return Object.assign({}, ...tables.map(({ producer }) => producer.executes))
}
