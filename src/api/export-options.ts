// Parameters and options of `export`, and their names.
import type { AbiEvent } from '../abi/event-shape.js'
import type { Hex } from '../bytes.js'
import type { Members } from '../check.js'
import type { ColumnSchema } from '../datasets/choose-dataset.js'
import type { Compression } from '../datasets/encoding/compression.js'
import type { FileFormat } from '../datasets/formats/open-writer.js'
import type { U256Form } from '../datasets/output-column.js'
import { type StateExportParameters, stateExportMembers } from './export-state.js'
import { rangeMembers } from './members.js'
import type { BlockRangeParameters, LogFilterParameters } from './types.js'

/**
 * What `export` writes, and where. The default range is the whole chain up to the newest final block; of datasets of state alone,
 * that block.
 */
export interface ExportParameters extends BlockRangeParameters, LogFilterParameters, StateExportParameters {
  /**
   * In datasets of logs: the contract that made the log. In others that have accounts: one of them, such as sender or receiver.
   * Other datasets are exported whole.
   */
  readonly address?: Hex | readonly Hex[]
  /** Only rows of these senders, in the datasets that have senders. */
  readonly fromAddress?: Hex | readonly Hex[]
  /** Only rows of these receivers, in the datasets that have receivers. */
  readonly toAddress?: Hex | readonly Hex[]
  /** Names of datasets. */
  readonly datasets: readonly string[]
  /** Folder for the files; it is made if it does not exist. */
  readonly folder: string
}

/** Options of `export`. */
export interface ExportOptions {
  /** Format of the files; default `parquet`. */
  readonly format?: FileFormat
  /** Codec of Parquet files; default `zstd`, level 1. */
  readonly compression?: Compression
  /** Columns by name instead of the default ones; `all` for all. */
  readonly columns?: readonly string[]
  /** Also these columns; `all` for all. */
  readonly include?: readonly string[]
  /** Not these columns. */
  readonly exclude?: readonly string[]
  /** Bytes as `0x` and hex; default false. */
  readonly hex?: boolean
  /** Forms of 256-bit integers, each a column; default `binary`, `string` and `f64`. */
  readonly u256?: readonly U256Form[]
  /** `signed`: no unsigned integers, for Iceberg and Delta. Default `unsigned`. */
  readonly ints?: 'unsigned' | 'signed'
  /**
   * `etl`: the tables of ethereum-etl with its names of columns, with bytes as hex and 256-bit integers as digits: blocks,
   * transactions, receipts, logs, token_transfers, traces and contracts. Default `cryo`.
   */
  readonly schema?: ColumnSchema
  /** Events of `logs` in Solidity, such as `Transfer(address indexed from, …)`: each argument is a column. */
  readonly events?: readonly string[]
  /** The same for all events of a JSON ABI. */
  readonly abi?: readonly AbiEvent[]
  /** Folder with an earlier export of `transactions`, whose senders are taken after their hashes are compared. */
  readonly senders?: string
  /** Blocks of a file; default 1,000. */
  readonly chunkSize?: number
  /**
   * `date`: files are in folders `<dataset>/date=YYYY-MM-DD` and also end at midnight in UTC. Default `blocks`: all files are in
   * the folder itself.
   */
  readonly partitionBy?: 'blocks' | 'date'
  /**
   * The newest block is that many blocks below the head. Default: the finalized block, or the head if the directory records
   * none.
   */
  readonly reorgBuffer?: number
  /**
   * Writes chunks again that are done, which may have had other columns or rows. A folder with files of another chain is refused all
   * the same. Default false.
   */
  readonly overwrite?: boolean
  /** Only every `count`-th chunk: shards 1 to `count` are all of them. */
  readonly shard?: { readonly index: number; readonly count: number }
  /** Only the chunks with these ids, `FROM_TO`. */
  readonly chunks?: readonly string[]
  /** Cancels the export, which throws ABORTED; whole files remain. */
  readonly signal?: AbortSignal
  /** Called after every chunk. */
  readonly onProgress?: (progress: ExportProgress) => void
}

/** How far an export is. Chunks that were done before are counted as done. */
export interface ExportProgress {
  /** Chunks written or skipped so far. */
  readonly chunksDone: number
  /** Chunks of the export. */
  readonly chunksTotal: number
  /** Blocks of those chunks. */
  readonly blocksDone: number
  /** Blocks of the export. */
  readonly blocksTotal: number
  /** Rows and bytes written so far. */
  readonly rows: number
  /** Bytes of the files so far. */
  readonly bytes: number
  /** Of the chunks that are written now. */
  readonly blocksPerSecond: number
  /** Time to the end at that rate; 0 at the end. */
  readonly secondsLeft: number
}

export const exportParameterMembers: Members<ExportParameters> = {
  datasets: true,
  folder: true,
  address: true,
  topics: true,
  ...stateExportMembers,
  fromAddress: true,
  toAddress: true,
  ...rangeMembers,
}

export const exportOptionMembers: Members<ExportOptions> = {
  format: true,
  compression: true,
  columns: true,
  include: true,
  exclude: true,
  hex: true,
  u256: true,
  ints: true,
  schema: true,
  events: true,
  abi: true,
  senders: true,
  chunkSize: true,
  partitionBy: true,
  reorgBuffer: true,
  overwrite: true,
  shard: true,
  chunks: true,
  signal: true,
  onProgress: true,
}

const { compression: _compression, overwrite: _overwrite, ...streamMembers } = exportOptionMembers
/** The options that streams have as well. */
export const streamOptionMembers: Members<Omit<ExportOptions, 'compression' | 'overwrite'>> = streamMembers
