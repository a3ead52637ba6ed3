// Makes the rows of one dataset for a range of blocks, as batches for a reader of this process: some columns, perhaps only of the
// logs that match a filter, whose blocks an index or blooms find. No roots are compared, as in log scans. Runs in a worker.
import { withLibraries } from '../evm/evm-thread.js'
import type { LogFilter } from '../logs/filter.js'
import type { LogSource } from '../logs/plan.js'
import { possibleBlocks } from '../logs/scan-range.js'
import { newScanStats, type ScanStats } from '../logs/scan-stats.js'
import { type BlockSpan, blockCount, blocksAfter } from '../rawdb/block-span.js'
import type { TaskSignal } from '../stop.js'
import type { View } from '../view/view.js'
import { type ColumnBatch, copyBatch } from './column.js'
import type { Dataset, DatasetColumn } from './dataset.js'
import { findDataset } from './dataset-table.js'
import { makeRows } from './make-rows.js'
import { type OutputColumn, outputColumns } from './output-column.js'
import { type OutputValues, outputValues } from './output-values.js'
import { tokenTopics } from './producers/token-events.js'
import { appendStatePart, type StatePart, type StatePlace } from './producers/whole-state.js'
import { fileBatches, RowBuilder } from './row-builder.js'
import { plainRows, RowMaker, type WantedRows } from './row-maker.js'
import type { StateSelection } from './state-selection.js'

/** One piece of a scan; structured-cloneable. Both ends are included. */
export interface RowScan extends BlockSpan {
  readonly dataset: string
  /** Names of the columns as {@link scannedColumns} has them; none to count rows. */
  readonly columns: readonly string[]
  /** Logs of which rows are made, in a dataset that is made of logs. */
  readonly filter: LogFilter
  /** How the blocks to read are found. An index must cover the range. */
  readonly source: LogSource
  /** The scan ends after the block that completes this much work, in bytes. */
  readonly maxWork: number
  /** For a dataset for which blocks are executed: blocks that may be executed only for a state that is not on disk. */
  readonly maxLead?: number | undefined
  /** For a dataset of state: the accounts, tokens and calls that have rows. */
  readonly selection?: StateSelection | undefined
  /** Of the whole state after one block. */
  readonly part?: StatePart | undefined
}

/** Rows with the columns that were asked for, in that order. */
export interface RowBatch {
  readonly length: number
  readonly columns: readonly OutputValues[]
}

export interface ScannedRows {
  readonly batches: readonly RowBatch[]
  /** The blocks that were scanned. */
  readonly done: BlockSpan
  /** The other blocks of the range, if the work ended the scan early. */
  readonly rest?: BlockSpan
  /** Where the rest of a part of a state begins. */
  readonly restOfPart?: StatePlace | undefined
  readonly cost: RowScanCost
}

/** What a scan of rows cost. */
export interface RowScanCost {
  /** Of the index and the headers, by which blocks were found. */
  readonly search: ScanStats
  /** Blocks whose records were read. */
  readonly blocksRead: number
  readonly rows: number
  /** In bytes, by which the next pieces are cut. */
  readonly work: number
  /** Bytes of the records after decompression, with those of the index and the headers. */
  readonly bytes: number
}

/** How the values of all columns are given: as an export has them by default. */
const valueOptions = { hex: false, u256: ['binary', 'string', 'f64'], ints: 'unsigned' } as const

/** Bytes whose reading takes as long as the recovery of a sender. */
const senderWork = 8 * 1024

/** The columns that a scan of a dataset can give: all of them, in the order and with the types of an export. */
export function scannedColumns(dataset: Dataset): readonly OutputColumn[] {
  return outputColumns(dataset.columns, valueOptions)
}

/** The filter without the logs of which a dataset of tokens makes no row. */
export function narrowFilter(dataset: string, filter: LogFilter): LogFilter {
  const [first = [], ...others] = filter.topics
  const own = tokenTopics[dataset]
  return own === undefined || first.length > 0 ? filter : { ...filter, topics: [own, ...others] }
}

/** Throws ABORTED, what reading throws, and what execution throws for a dataset that needs it. */
export function scanRows(view: View, scan: RowScan, signal: TaskSignal): ScannedRows | Promise<ScannedRows> {
  if (scan.part) return scanStatePart(view, { ...scan, part: scan.part }, signal)
  if (scan.maxLead === undefined && !scan.selection) return scanRecords(view, scan, signal)
  return withLibraries(() => scanOnStates(view, scan, signal))
}

/** Bytes of rows after which a piece on states ends, so that the pieces that wait for the reader fit into memory. */
const onStatesBytes = 8 * 1024 * 1024

/** Executes the blocks, which are proven by the roots in their headers; or reads the state after each of them. */
async function scanOnStates(
  view: View,
  { from, to: end, filter, maxLead, ...scan }: RowScan,
  signal: TaskSignal,
): Promise<ScannedRows> {
  const { table, batches } = wantedRows(scan)
  const execution = maxLead === undefined ? undefined : { datasets: [scan.dataset], maxLead }
  const request = { tables: [table], options: plainRows(filter), execution }
  const { to } = await makeRows(view, { ...request, from, to: end, maxBytes: onStatesBytes }, signal)
  const cost = plainCost(batches, to - from + 1)
  return { batches, done: { from, to }, cost, ...(to < end && { rest: { from: to + 1, to: end } }) }
}

function plainCost(batches: readonly RowBatch[], blocksRead: number): RowScanCost {
  return { search: newScanStats(), blocksRead, rows: rowsOf(batches), bytes: 0, work: 0 }
}

/** Reads a part of the state after a block. */
function scanStatePart(
  view: View,
  { from, part, ...scan }: RowScan & { readonly part: StatePart },
  signal: TaskSignal,
): ScannedRows {
  const { table, batches, sources } = wantedRows(scan)
  const { chainId } = view.chain.config
  const rows = new RowBuilder(sources, { chainId, batches: fileBatches, flush: table.take })
  const { header } = view.chain.header({ number: from })!
  const restOfPart = appendStatePart(rows, { dataset: scan.dataset, view, signal }, { header, part })
  rows.finish()
  return { batches, done: { from, to: from }, restOfPart, cost: plainCost(batches, part.from ? 0 : 1) }
}

/** The rows of a scan, the batches that get them, and the columns of the dataset from which they are made. */
function wantedRows({
  dataset: name,
  columns,
  selection,
}: Pick<RowScan, 'dataset' | 'columns' | 'selection'>): {
  readonly table: WantedRows
  readonly batches: RowBatch[]
  readonly sources: readonly DatasetColumn[]
} {
  const dataset = findDataset(name)
  const all = scannedColumns(dataset)
  const outputs = columns.map((name) => all.find((column) => column.name === name)!)
  const sources = dataset.columns.filter(({ name }) => outputs.some(({ source }) => source === name))
  const batches: RowBatch[] = []
  const take = (batch: ColumnBatch) => batches.push(outputBatch(copyBatch(batch), outputs))
  const table = { dataset: name, columns: sources.map(({ name }) => name), selection, take }
  return { table, batches, sources }
}

function rowsOf(batches: readonly RowBatch[]): number {
  return batches.reduce((sum, { length }) => sum + length, 0)
}

/** Reads the records of the blocks that may have rows. */
async function scanRecords(view: View, scan: RowScan, signal: TaskSignal): Promise<ScannedRows> {
  const search = newScanStats()
  const numbers = [...possibleBlocks(view.db, scan, { stats: search, signal })]
  const { table, batches } = wantedRows(scan)
  const isSparse = numbers.length < blockCount(scan) / 4
  const reading = { areRootsChecked: false, isSparse }
  const maker = new RowMaker(view, { tables: [table], options: plainRows(scan.filter), reading }, signal)
  const hasSenders = scan.dataset === 'transactions' && scan.columns.includes('from_address')
  let blocksRead = 0
  let bytes = search.indexBytes + search.headerBytes
  let work = bytes / 4
  let last = scan.to
  for (const number of numbers) {
    const block = await maker.add(number)
    const { stored } = block
    blocksRead++
    const read = stored.headerRlp.length + (stored.body?.rlp.length ?? 0) + (stored.receipts?.rlp.length ?? 0)
    bytes += read
    work += read + (hasSenders ? senderWork * block.transactionCount : 0)
    if (work < scan.maxWork) continue
    last = number
    break
  }
  maker.finish()
  const done = { from: scan.from, to: last }
  const rows = rowsOf(batches)
  const cost = { search, blocksRead, rows, bytes, work }
  return { batches, done, cost, ...(last < scan.to && { rest: blocksAfter(scan, done, 'ascending') }) }
}

function outputBatch({ length, columns }: ColumnBatch, outputs: readonly OutputColumn[]): RowBatch {
  return {
    length,
    columns: outputs.map((output) =>
      outputValues(columns.find(({ name }) => name === output.source)!, output, length),
    ),
  }
}
