// The public names of the package. Importing it has no effects; the server is the separate entry ./server.

export type { AbiInput } from './abi/abi-type.js'
export type { AbiEvent } from './abi/event-shape.js'
export type { BuildLogIndexParameters, LogIndexProgress } from './api/build-log-index.js'
export type { CallOptions } from './api/call-options.js'
export type { ExportResult, PlannedChunk } from './api/export.js'
export type { ExportOptions, ExportParameters, ExportProgress } from './api/export-options.js'
export type { StateExportParameters } from './api/export-state.js'
export type { ExportStreamOptions, ExportStreamParameters } from './api/export-stream.js'
export type { FeeHistoryParameters } from './api/fee-history.js'
export type { FollowExportOptions, FollowExportParameters, FollowedExport } from './api/follow-export.js'
export type {
  FinalizedEvent,
  FollowEvent,
  FollowedBlock,
  FollowOptions,
  ReorgEvent,
} from './api/follow-start.js'
export type { GethChain } from './api/geth-chain.js'
export type { LogBatch } from './api/log-batch.js'
export type { FinishedCall, MulticallParameters, MulticallResult } from './api/multicall.js'
export { type OpenDatadirOptions, openDatadir } from './api/open-datadir.js'
export {
  type Eip1193Provider,
  type ProviderEvents,
  type ProviderMessage,
  type ProviderRequest,
  ProviderRpcError,
} from './api/provider.js'
export type { ScanBlocksOptions, ScannedBlock } from './api/scan-blocks.js'
export type {
  DatasetBatch,
  DatasetScanProgress,
  ScanDatasetOptions,
  ScanDatasetParameters,
} from './api/scan-dataset.js'
export type {
  LogCount,
  LogPlan,
  LogPlanStep,
  LogRangeParameters,
  LogScan,
  LogScanStats,
  ScanLogsOptions,
  ScanProgress,
} from './api/scan-logs.js'
export type { ScannedAccount, ScannedSlot, ScanStateOptions, StateScanProgress } from './api/scan-state.js'
export type { BlockTraces, ScanTracesOptions, TraceScanProgress } from './api/scan-traces.js'
export type {
  BlockOfCallsParameters,
  SimulateBlocksParameters,
  SimulatedBlockResult,
  SimulatedCallResult,
} from './api/simulate-blocks.js'
export type { SqlOptions, SqlQueryRun, SqlRow, SqlScan } from './api/sql.js'
export type { TraceLimits } from './api/trace.js'
export type {
  FlatCallTrace,
  NoOptions,
  PrestateAccount,
  PrestateDiff,
  PrestateTrace,
  ResultOf,
  StructLog,
  StructLogTrace,
  TraceOf,
  TracerChoice,
  TracerName,
  TracerSet,
  TracerTypes,
  TracesOf,
  TransactionTrace,
  ValidationTrace,
} from './api/trace-results.js'
export type {
  AccessListItem,
  AccessListParameters,
  AccountProof,
  Block,
  BlockHeader,
  BlockOverridesParameters,
  BlockParameters,
  BlockRangeParameters,
  BlockTag,
  CallParameters,
  CreatedAccessList,
  FeeHistory,
  Log,
  LogFilterParameters,
  SignedAuthorization,
  StateOverrideEntry,
  StorageProof,
  Transaction,
  TransactionPlace,
  TransactionReceipt,
  TransactionTypeName,
  Withdrawal,
} from './api/types.js'
export type {
  LogIndexFault,
  LogIndexReport,
  LogIndexVerifyProgress,
  PrunedLogIndexSegment,
  VerifyLogIndexParameters,
} from './api/verify-log-index.js'
export type { BlockEvent, WatchBlocksOptions, WatchedBlock } from './api/watch-blocks.js'
export type {
  LogReorgEvent,
  LogsEvent,
  RemovedLog,
  WatchedLogs,
  WatchLogsOptions,
} from './api/watch-logs.js'
export type { Hex } from './bytes.js'
export type { DatadirOptions } from './datadir/directory-options.js'
export { defaultDatadir } from './datadir/locate.js'
export type { ReplayOptions, ReplayProgress } from './datadir/replay.js'
export type { ColumnSchema } from './datasets/choose-dataset.js'
export type { Column, ColumnBatch, ColumnType, ColumnValues } from './datasets/column.js'
export type { Compression } from './datasets/encoding/compression.js'
export type { FileFormat, StreamFormat } from './datasets/formats/open-writer.js'
export type { U256Form } from './datasets/output-column.js'
export {
  type ErrorCode,
  type ErrorFacts,
  errorCodes,
  GethReaderError,
  type GethReaderErrorOptions,
} from './errors.js'
export type { KeyValueEngine } from './ethdb/key-value-reader.js'
export type {
  LevelDescription,
  TableStoreDescription,
  WriteAheadLogDescription,
} from './ethdb/table-store-description.js'
export type {
  CallTrace,
  FlatTraceOptions,
  PrestateOptions,
  StructLogOptions,
  TracedLog,
  TraceOptions,
  ValidationTraceOptions,
} from './evm/engine.js'
export type { Logger } from './logger.js'
export type { LogColumns } from './logs/log-columns.js'
export type { LogIndex, LogSource } from './logs/plan.js'
export type { ScanStats } from './logs/scan-stats.js'
export type { StateScheme } from './rawdb/state.js'
export type { SqlColumn, SqlValue } from './sql/sql-value.js'
export type { StateLayout } from './state/state-values.js'
export type { BlockRange, StateRange } from './view/available-states.js'
export type { BlockPoint, DatadirInfo, FreezerTableInfo } from './view/datadir-info.js'
