// The typed API over an open data directory, with viem's argument objects and result shapes: signatures and documentation. The
// work is done by functions of the other files here, each of which reads one view. Owns the datadir.
import type { Hex } from '../bytes.js'
import type { Datadir } from '../datadir/datadir.js'
import { blobGasPrice } from '../types/blob-fee.js'
import type { DatadirInfo } from '../view/datadir-info.js'
import { type BuildLogIndexParameters, buildLogIndex, type LogIndexProgress } from './build-log-index.js'
import { accessListAt, callAt, estimateGasAt } from './call.js'
import type { CallOptions } from './call-options.js'
import { type ExportResult, exportDatasets, type PlannedChunk, planExport } from './export.js'
import type { ExportOptions, ExportParameters } from './export-options.js'
import { type ExportStreamOptions, type ExportStreamParameters, exportStream } from './export-stream.js'
import { type FeeHistoryParameters, getFeeHistory } from './fee-history.js'
import {
  type FollowExportOptions,
  type FollowExportParameters,
  type FollowedExport,
  followExport,
} from './follow-export.js'
import {
  type FinishedCall,
  type MulticallParameters,
  type MulticallResult,
  multicall,
  scanCalls,
} from './multicall.js'
import type { ChainProvider, Eip1193Provider } from './provider.js'
import { getBlock, getHeader, getUncle } from './read-block.js'
import {
  getBalance,
  getCode,
  getProof,
  getStorageAt,
  getStorageValues,
  getTransactionCount,
} from './read-state.js'
import {
  getBlockReceipts,
  getRawTransaction,
  getTransaction,
  getTransactionReceipt,
} from './read-transaction.js'
import { type ScanBlocksOptions, type ScannedBlock, scanBlocks } from './scan-blocks.js'
import {
  type DatasetBatch,
  type ScanDatasetOptions,
  type ScanDatasetParameters,
  scanDataset,
} from './scan-dataset.js'
import {
  countLogs,
  getLogs,
  type LogCount,
  type LogPlan,
  type LogRangeParameters,
  type LogScan,
  planLogs,
  type ScanLogsOptions,
  scanLogs,
} from './scan-logs.js'
import {
  type ScannedAccount,
  type ScannedSlot,
  type ScanStateOptions,
  scanAccounts,
  scanStorage,
} from './scan-state.js'
import { type BlockTraces, type ScanTracesOptions, scanTraces } from './scan-traces.js'
import {
  type SimulateBlocksParameters,
  type SimulatedBlockResult,
  simulateBlocks,
} from './simulate-blocks.js'
import { type SqlOptions, type SqlQueryRun, sql } from './sql.js'
import { type TraceLimits, traceOfCall, traceOfTransaction, tracesOfBlock } from './trace.js'
import type { TraceOf, TracerChoice, TracerSet, TransactionTrace } from './trace-results.js'
import type {
  AccessListParameters,
  AccountProof,
  Block,
  BlockHeader,
  BlockParameters,
  BlockRangeParameters,
  CallParameters,
  CreatedAccessList,
  FeeHistory,
  Log,
  LogFilterParameters,
  Transaction,
  TransactionPlace,
  TransactionReceipt,
} from './types.js'
import { type LogIndexReport, type VerifyLogIndexParameters, verifyLogIndex } from './verify-log-index.js'
import { type WatchBlocksOptions, type WatchedBlock, watchBlocks } from './watch-blocks.js'
import { type WatchedLogs, type WatchLogsOptions, watchLogs } from './watch-logs.js'

/**
 * An open data directory. A thing that does not exist is undefined. If the directory cannot say whether it exists, the
 * method throws a GethReaderError: HISTORY_PRUNED, STATE_UNAVAILABLE, BLOCK_NOT_FOUND (for the state of an unknown block),
 * INDEX_INCOMPLETE, DAMAGED, MISSING_FILE or CLOSED. Wrong arguments throw TypeError or RangeError.
 */
export class GethChain implements AsyncDisposable {
  /**
   * EIP-1193 provider with the server's JSON-RPC methods, filters and subscriptions, for viem's `custom` and ethers'
   * BrowserProvider.
   *
   * @example
   * ```ts
   * const chainId = await chain.provider.request({ method: 'eth_chainId' })
   * console.log(chainId)
   * ```
   */
  readonly provider: Eip1193Provider
  readonly #provider: ChainProvider
  /** @internal for the server */
  readonly datadir: Datadir

  /** @internal use openDatadir */
  constructor(datadir: Datadir, provider: ChainProvider) {
    this.datadir = datadir
    this.provider = provider
    this.#provider = provider
  }

  /**
   * What the directory holds in the current view. A worker reads it, once for each view.
   *
   * @example
   * ```ts
   * const { stateScheme, head, available } = await chain.getInfo()
   * console.log(stateScheme, head.number, available.states)
   * ```
   */
  async getInfo(): Promise<DatadirInfo> {
    return this.datadir.info()
  }

  /**
   * Number of the head block.
   *
   * @example
   * ```ts
   * console.log(await chain.getBlockNumber())
   * ```
   */
  async getBlockNumber(): Promise<bigint> {
    return this.datadir.ask(async (view) => BigInt(view.chain.head().header.number))
  }

  /**
   * A block by number, hash or tag (default `latest`), with transaction hashes or objects; undefined if unknown.
   *
   * @example
   * ```ts
   * const block = await chain.getBlock({ blockNumber: 1n, includeTransactions: true })
   * console.log(block?.hash, block?.transactions[0]?.from)
   * ```
   */
  async getBlock(
    parameters: BlockParameters & { readonly includeTransactions: true },
  ): Promise<Block<Transaction> | undefined>
  async getBlock(
    parameters?: BlockParameters & { readonly includeTransactions?: false },
  ): Promise<Block<Hex> | undefined>
  async getBlock(
    parameters?: BlockParameters & { readonly includeTransactions?: boolean },
  ): Promise<Block<Hex> | Block<Transaction> | undefined>
  async getBlock(
    parameters: BlockParameters & { readonly includeTransactions?: boolean } = {},
  ): Promise<Block<Hex> | Block<Transaction> | undefined> {
    return getBlock(this.datadir, parameters)
  }

  /**
   * A header by number, hash or tag (default `latest`); undefined if unknown.
   *
   * @example
   * ```ts
   * const header = await chain.getHeader({ blockTag: 'finalized' })
   * console.log(header?.number, header?.stateRoot)
   * ```
   */
  async getHeader(parameters: BlockParameters = {}): Promise<BlockHeader | undefined> {
    return getHeader(this.datadir, parameters)
  }

  /**
   * Header of an uncle of a block by its index from 0; undefined if there is none.
   *
   * @example
   * ```ts
   * const uncle = await chain.getUncle({ blockNumber: 1n, index: 0 })
   * console.log(uncle?.miner ?? 'block 1 has no uncle')
   * ```
   */
  async getUncle(parameters: BlockParameters & { readonly index: number }): Promise<BlockHeader | undefined> {
    return getUncle(this.datadir, parameters)
  }

  /**
   * A canonical transaction by hash, or a transaction of any block by its index from 0; undefined if unknown. By hash it
   * throws INDEX_INCOMPLETE if the transaction may be in a block that geth has not indexed.
   *
   * @example
   * ```ts
   * const transaction = await chain.getTransaction({ blockNumber: 1n, index: 0 })
   * console.log(transaction?.from, transaction?.to, transaction?.value)
   * ```
   */
  async getTransaction(parameters: TransactionPlace): Promise<Transaction | undefined> {
    return getTransaction(this.datadir, parameters)
  }

  /**
   * A transaction in the form of EIP-2718, whose keccak is its hash. Undefined and errors as {@link getTransaction}.
   *
   * @example
   * ```ts
   * console.log(await chain.getRawTransaction({ blockNumber: 1n, index: 0 }))
   * ```
   */
  async getRawTransaction(parameters: TransactionPlace): Promise<Hex | undefined> {
    return getRawTransaction(this.datadir, parameters)
  }

  /**
   * Receipt of a canonical transaction; undefined if unknown. Throws INDEX_INCOMPLETE as {@link getTransaction} does.
   *
   * @example
   * ```ts
   * const block = await chain.getBlock({ blockNumber: 1n })
   * const hash = block?.transactions[0]
   * const receipt = hash && (await chain.getTransactionReceipt({ hash }))
   * console.log(receipt?.status, receipt?.gasUsed)
   * ```
   */
  async getTransactionReceipt(parameters: { readonly hash: Hex }): Promise<TransactionReceipt | undefined> {
    return getTransactionReceipt(this.datadir, parameters)
  }

  /**
   * Receipts of a block in transaction order; undefined if the block is unknown.
   *
   * @example
   * ```ts
   * const receipts = await chain.getBlockReceipts({ blockNumber: 1n })
   * for (const { transactionHash, logs } of receipts ?? []) console.log(transactionHash, logs.length)
   * ```
   */
  async getBlockReceipts(parameters: BlockParameters = {}): Promise<TransactionReceipt[] | undefined> {
    return getBlockReceipts(this.datadir, parameters)
  }

  /**
   * Logs of a range of blocks (both ends included, default only the head) or of one block by hash, ordered by block and log
   * index. The whole result is in memory; use {@link scanLogs} for large ones. Throws INVALID_RANGE for a range beyond the
   * head, BLOCK_NOT_FOUND for an unknown hash, and ABORTED.
   *
   * @example
   * ```ts
   * const logs = await chain.getLogs({ address: token, fromBlock: 0n })
   * console.log(logs.length, logs[0]?.topics[0])
   * ```
   */
  async getLogs(
    parameters: LogFilterParameters &
      (BlockRangeParameters | { readonly blockHash: Hex }) & { readonly signal?: AbortSignal } = {},
  ): Promise<Log[]> {
    return getLogs(this.datadir, parameters)
  }

  /**
   * Logs of a range of blocks (both ends included, default the whole chain) as an async iterable of batches in order, with
   * their cost in `stats`. A slow reader slows the scan; leaving the loop ends it. Throws INVALID_RANGE for a range beyond
   * the head, QUEUE_FULL, WORKER_FAILED, DAMAGED, and VIEW_UNSTABLE if geth reorganises the range during the scan.
   *
   * @example
   * ```ts
   * const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
   * for await (const batch of chain.scanLogs({ topics: [transfer] }, { order: 'descending', limit: 10 })) {
   *   for (const log of batch) console.log(log.blockNumber, log.address, BigInt(log.data))
   * }
   * ```
   */
  scanLogs(parameters: LogRangeParameters = {}, options: ScanLogsOptions = {}): LogScan {
    return scanLogs(this.datadir, parameters, options)
  }

  /**
   * Number of logs that {@link scanLogs} would yield. Faster than to scan, and needs no memory for logs. Throws as it does.
   *
   * @example
   * ```ts
   * const { logs } = await chain.countLogs({ address: token })
   * console.log(logs)
   * ```
   */
  async countLogs(parameters: LogRangeParameters = {}, options: ScanLogsOptions = {}): Promise<LogCount> {
    return countLogs(this.datadir, parameters, options)
  }

  /**
   * How {@link scanLogs} would search a range: by which source it finds the blocks to read. Throws INVALID_RANGE.
   *
   * @example
   * ```ts
   * const { steps } = await chain.planLogs({ address: token })
   * for (const { source, fromBlock, toBlock } of steps) console.log(source, fromBlock, toBlock)
   * ```
   */
  async planLogs(
    parameters: LogRangeParameters = {},
    options: Pick<ScanLogsOptions, 'sources'> = {},
  ): Promise<LogPlan> {
    return planLogs(this.datadir, parameters, options)
  }

  /**
   * Blocks of a range (both ends included, default the whole chain), one by one in order. A slow reader slows the scan;
   * leaving the loop ends it. Throws INVALID_RANGE for a range beyond the head.
   *
   * @example
   * ```ts
   * for await (const { block } of chain.scanBlocks({ fromBlock: 1n, toBlock: 9n })) {
   *   console.log(block.number, block.transactions.length)
   * }
   * ```
   */
  scanBlocks(range: BlockRangeParameters = {}, options: ScanBlocksOptions = {}): AsyncIterable<ScannedBlock> {
    return scanBlocks(this.datadir, range, options)
  }

  /**
   * Rows of a dataset of a range of blocks (both ends included, default the whole chain) in its order, as batches of columns in
   * the memory layout of Apache Arrow; `geth-reader datasets` lists datasets and columns. Batches without rows are left out. The
   * roots of the blocks are checked on the way. A slow reader slows the scan; leaving the loop ends it. Throws INVALID_RANGE
   * for a range beyond the head, HISTORY_PRUNED, STATE_UNAVAILABLE, DAMAGED, QUEUE_FULL, WORKER_FAILED, ABORTED, and VIEW_UNSTABLE if geth
   * reorganises the range during the scan.
   *
   * @example
   * ```ts
   * const range = { fromBlock: 0n, toBlock: 99n }
   * for await (const batch of chain.scanDataset('blocks', range, { columns: ['block_number', 'gas_used'] })) {
   *   console.log(batch.length, batch.columns[1]?.values)
   * }
   * ```
   */
  scanDataset(
    dataset: string,
    parameters: ScanDatasetParameters = {},
    options: ScanDatasetOptions = {},
  ): AsyncIterable<DatasetBatch> {
    return scanDataset(this.datadir, dataset, { parameters, options })
  }

  /**
   * Blocks as geth writes them, each canonical block once and in order, from `fromBlock` or after a `cursor` on: first those
   * that are there, then new ones. A `reorg` event says which blocks were dropped, before the blocks that replace them; a
   * `finalized` event that a newer block is final. A slow reader gets all blocks later; leaving the loop ends it. Throws
   * BRANCH_UNKNOWN if the directory does not know the cursor's block any more, HISTORY_PRUNED, ABORTED.
   *
   * @example
   * ```ts
   * for await (const event of chain.watchBlocks({ fromBlock: 1n })) {
   *   if (event.type === 'reorg') console.log('dropped', event.dropped.length, 'blocks')
   *   if (event.type !== 'block') continue
   *   console.log(event.block.number, event.block.hash)
   *   break
   * }
   * ```
   */
  watchBlocks(options: WatchBlocksOptions = {}): AsyncIterable<WatchedBlock> {
    return watchBlocks(this.datadir, options)
  }

  /**
   * Logs as geth writes them, those of each canonical block once and in order: history as {@link scanLogs} yields it, then
   * each new block. A `reorg` event has the logs of dropped blocks with `removed: true`, newest first. Else as
   * {@link watchBlocks}.
   *
   * @example
   * ```ts
   * for await (const event of chain.watchLogs({ address: token }, { fromBlock: 0n })) {
   *   if (event.type !== 'logs') continue
   *   for (const log of event.logs) console.log(log.blockNumber, log.topics[0])
   *   break
   * }
   * ```
   */
  watchLogs(
    parameters: LogFilterParameters = {},
    options: WatchLogsOptions = {},
  ): AsyncIterable<WatchedLogs> {
    return watchLogs(this.datadir, parameters, options)
  }

  /**
   * All accounts after a block (default the head), ordered by the hashes of their addresses. A scan can be resumed by hash.
   * geth stores accounts under these hashes, and addresses only in some setups ({@link ScannedAccount}). A slow reader slows
   * the scan; leaving the loop ends it. Throws STATE_UNAVAILABLE as reads do, and for a state that only state history has if
   * it is more than 1,024 blocks before the newest state on disk.
   *
   * @example
   * ```ts
   * for await (const { address, hash, balance } of chain.scanAccounts({ blockTag: 'latest' })) {
   *   if (balance > 10n ** 21n) console.log(address ?? hash, balance)
   * }
   * ```
   */
  scanAccounts(
    parameters: BlockParameters = {},
    options: ScanStateOptions = {},
  ): AsyncIterable<ScannedAccount> {
    return scanAccounts(this.datadir, parameters, options)
  }

  /**
   * All non-zero slots of an account after a block (default the head), ordered by their hashes; else as {@link scanAccounts}.
   *
   * @example
   * ```ts
   * for await (const { slot, hash, value } of chain.scanStorage({ address: token })) {
   *   console.log(slot ?? hash, value)
   * }
   * ```
   */
  scanStorage(
    parameters: { readonly address: Hex } & BlockParameters,
    options: ScanStateOptions = {},
  ): AsyncIterable<ScannedSlot> {
    return scanStorage(this.datadir, parameters, options)
  }

  /**
   * Suggested gas price in wei: the base fee of the head plus {@link estimateMaxPriorityFeePerGas}.
   *
   * @example
   * ```ts
   * console.log(await chain.getGasPrice(), 'wei')
   * ```
   */
  async getGasPrice(): Promise<bigint> {
    return this.datadir.ask(async (view) => {
      return (await view.suggestedTip()) + (view.chain.newestHeader().baseFeePerGas ?? 0n)
    })
  }

  /**
   * Suggested tip in wei for each gas, from the tips in the newest blocks, as geth suggests it.
   *
   * @example
   * ```ts
   * console.log(await chain.estimateMaxPriorityFeePerGas(), 'wei')
   * ```
   */
  async estimateMaxPriorityFeePerGas(): Promise<bigint> {
    return this.datadir.ask(async (view) => view.suggestedTip())
  }

  /**
   * Price of blob gas in the head block, in wei; undefined before Cancun.
   *
   * @example
   * ```ts
   * console.log((await chain.getBlobBaseFee()) ?? 'no blobs before Cancun')
   * ```
   */
  async getBlobBaseFee(): Promise<bigint | undefined> {
    return this.datadir.ask(async (view) => blobGasPrice(view.chain.config, view.chain.head().header))
  }

  /**
   * Base fees, blob fees, gas used and tips of up to 1,024 blocks. Throws BLOCK_NOT_FOUND, HISTORY_PRUNED if tips are asked
   * for, and ABORTED.
   *
   * @example
   * ```ts
   * const { baseFeePerGas } = await chain.getFeeHistory({ blockCount: 5, rewardPercentiles: [50] })
   * console.log(baseFeePerGas)
   * ```
   */
  async getFeeHistory(
    parameters: FeeHistoryParameters,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<FeeHistory> {
    return getFeeHistory(this.datadir, parameters, options)
  }

  /**
   * Values of slots of several accounts after a block (default the head), in order: 32 bytes each, zeros if not set. Throws
   * STATE_UNAVAILABLE and ABORTED.
   *
   * @example
   * ```ts
   * const requests = [{ address: token, slots: ['0x0', '0x1'] as const }]
   * const [values] = await chain.getStorageValues({ requests })
   * console.log(values)
   * ```
   */
  async getStorageValues(
    parameters: {
      readonly requests: readonly { readonly address: Hex; readonly slots: readonly Hex[] }[]
    } & BlockParameters,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Hex[][]> {
    return getStorageValues(this.datadir, parameters, options)
  }

  /**
   * Value of a storage slot after a block (default the head): 32 bytes, zeros if it is not set.
   *
   * @example
   * ```ts
   * console.log(await chain.getStorageAt({ address: token, slot: '0x0', blockNumber: 100n }))
   * ```
   */
  async getStorageAt(
    parameters: { readonly address: Hex; readonly slot: Hex } & BlockParameters,
  ): Promise<Hex> {
    return getStorageAt(this.datadir, parameters)
  }

  /**
   * Balance of an account in wei after a block (default the head); 0 for an absent account.
   *
   * @example
   * ```ts
   * console.log(await chain.getBalance({ address: token, blockTag: 'latest' }), 'wei')
   * ```
   */
  async getBalance(parameters: { readonly address: Hex } & BlockParameters): Promise<bigint> {
    return getBalance(this.datadir, parameters)
  }

  /**
   * Code of an account after a block (default the head); undefined if it has none.
   *
   * @example
   * ```ts
   * const code = await chain.getCode({ address: token })
   * console.log(code === undefined ? 'no contract' : code.length / 2 - 1)
   * ```
   */
  async getCode(parameters: { readonly address: Hex } & BlockParameters): Promise<Hex | undefined> {
    return getCode(this.datadir, parameters)
  }

  /**
   * Nonce of an account after a block (default the head); 0 for an absent account.
   *
   * @example
   * ```ts
   * console.log(await chain.getTransactionCount({ address: token, blockTag: 'latest' }))
   * ```
   */
  async getTransactionCount(parameters: { readonly address: Hex } & BlockParameters): Promise<number> {
    return getTransactionCount(this.datadir, parameters)
  }

  /**
   * Merkle proofs of an account, present or absent, and of its slots (default none) after a block (default the head). Needs
   * the trie nodes of the state: throws STATE_UNAVAILABLE if only its values are on disk.
   *
   * @example
   * ```ts
   * const { balance, accountProof } = await chain.getProof({ address: token, storageKeys: ['0x0'] })
   * console.log(balance, accountProof.length)
   * ```
   */
  async getProof(
    parameters: { readonly address: Hex; readonly storageKeys?: readonly Hex[] } & BlockParameters,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<AccountProof> {
    return getProof(this.datadir, parameters, options)
  }

  /**
   * Runs a call on the state after a block (default the head). `data` is undefined if the call returns nothing. A call that
   * fails throws CALL_REVERTED (with the payload in `facts.data`), CALL_FAILED or CALL_REJECTED with geth's texts; a call
   * that exceeds its time limit throws DEADLINE_EXCEEDED.
   *
   * @example
   * ```ts
   * const balanceOf = `0x70a08231${'d8da6bf26964af9d7eed9e03e53415d37aa96045'.padStart(64, '0')}` as const
   * const usdt = '0xdac17f958d2ee523a2206206994597c13d831ec7'
   * const { data } = await chain.call({ to: usdt, data: balanceOf, blockTag: 'latest' })
   * console.log(data === undefined ? 'no such token' : BigInt(data))
   * ```
   */
  async call(
    parameters: CallParameters & BlockParameters,
    options: CallOptions = {},
  ): Promise<{ data: Hex | undefined }> {
    return callAt(this.datadir, parameters, options)
  }

  /**
   * Runs many calls on the state after one block (default the head), on all workers. The options limit each call. Results
   * are in the order of the calls; a call that fails has the error that {@link call} would throw.
   *
   * @example
   * ```ts
   * const calls = ['0x18160ddd', '0x313ce567'].map((data) => ({ to: token, data: data as Hex }))
   * for (const result of await chain.multicall({ calls, blockNumber: 1n })) {
   *   console.log(result.status === 'success' ? result.data : result.error.message)
   * }
   * ```
   */
  async multicall(
    parameters: MulticallParameters & BlockParameters,
    options: CallOptions = {},
  ): Promise<MulticallResult[]> {
    return multicall(this.datadir, parameters, options)
  }

  /**
   * As {@link multicall}, but yields each result when it is ready. Leaving the loop cancels the calls that still run.
   *
   * @example
   * ```ts
   * const calls = ['0x18160ddd', '0x313ce567'].map((data) => ({ to: token, data: data as Hex }))
   * for await (const { index, status } of chain.scanCalls({ calls })) console.log(index, status)
   * ```
   */
  scanCalls(
    parameters: MulticallParameters & BlockParameters,
    options: CallOptions = {},
  ): AsyncIterable<FinishedCall> {
    return scanCalls(this.datadir, parameters, options)
  }

  /**
   * The gas limit that a call needs on the state after a block (default the head), at most 1.5 % above the lowest, as geth
   * estimates it. The time limit covers all runs of the estimate. Throws as {@link call}.
   *
   * @example
   * ```ts
   * console.log(await chain.estimateGas({ to: '0x00000000000000000000000000000000000000aa', value: 0n }))
   * ```
   */
  async estimateGas(
    parameters: CallParameters & BlockParameters,
    options: CallOptions = {},
  ): Promise<bigint> {
    return estimateGasAt(this.datadir, parameters, options)
  }

  /**
   * The accounts and slots that a call accesses, and its gas if they are its access list. As in geth, a call without fees
   * pays what the newest blocks suggest, so its sender needs the funds. A call that fails has a list too. Throws
   * CALL_REJECTED for a call that is refused before it runs, and DEADLINE_EXCEEDED.
   *
   * @example
   * ```ts
   * const transaction = await chain.getTransaction({ blockNumber: 1n, index: 0 })
   * const account = transaction?.from ?? token
   * const { accessList, gasUsed } = await chain.createAccessList({ account, to: token, data: '0x18160ddd' })
   * console.log(accessList, gasUsed)
   * ```
   */
  async createAccessList(
    parameters: AccessListParameters & BlockParameters,
    options: CallOptions = {},
  ): Promise<CreatedAccessList> {
    return accessListAt(this.datadir, parameters, options)
  }

  /**
   * Simulates blocks of calls on top of a block (default the head), each on the state after the one before, as viem's
   * `simulateBlocks` does without ABIs. The gas cap and the time limit are for all calls together. A call that fails has its
   * error as a result. Throws CALL_REJECTED with geth's text if the simulation is refused, DEADLINE_EXCEEDED, STATE_UNAVAILABLE,
   * CALL_FAILED for results of more than 256 Mi characters.
   *
   * @example
   * ```ts
   * const blocks = [{ calls: [{ to: token, data: '0x18160ddd' as const }] }]
   * const [simulated] = await chain.simulateBlocks({ blocks })
   * console.log(simulated?.calls[0]?.status)
   * ```
   */
  async simulateBlocks(
    parameters: SimulateBlocksParameters,
    options: CallOptions = {},
  ): Promise<readonly SimulatedBlockResult[]> {
    return simulateBlocks(this.datadir, parameters, options)
  }

  /**
   * The trace of a transaction by one of geth's native tracers, with geth's names and hex values; undefined if the transaction is
   * unknown. The transactions before it in its block are executed first. In the hash scheme a state that is not on disk is made
   * from one up to 128 blocks before. Throws STATE_UNAVAILABLE, DEADLINE_EXCEEDED, ABORTED, CALL_REJECTED for genesis, CALL_FAILED
   * for a trace of more than 256 Mi characters, and INDEX_INCOMPLETE as {@link getTransaction} does.
   *
   * @example
   * ```ts
   * const block = await chain.getBlock({ blockNumber: 1n })
   * const hash = block?.transactions[0]
   * const trace = hash && (await chain.traceTransaction({ hash }, { tracer: 'prestateTracer' }))
   * console.log(trace)
   * ```
   */
  async traceTransaction<const Choice extends TracerChoice & TraceLimits = object>(
    parameters: TransactionPlace,
    options?: Choice,
  ): Promise<TraceOf<Choice> | undefined> {
    return traceOfTransaction(this.datadir, parameters, options ?? {}) as Promise<TraceOf<Choice> | undefined>
  }

  /**
   * Builds an index of the logs of canonical blocks (default all that are not pruned) in a folder outside of the directory, by
   * all workers; what is there already is not built again, so that it can be extended and resumed. The option `index` of
   * openDatadir uses it. Throws UNSUPPORTED_FORMAT if the folder holds the index of another chain, INVALID_RANGE, ABORTED,
   * DAMAGED, and errors of the system if the folder cannot be written.
   *
   * @example
   * ```ts
   * const { blocksDone, bytes } = await chain.buildLogIndex({ directory: folder })
   * console.log(blocksDone, bytes)
   * ```
   */
  async buildLogIndex(parameters: BuildLogIndexParameters): Promise<LogIndexProgress> {
    return buildLogIndex(this.datadir, parameters)
  }

  /**
   * Compares an index that {@link buildLogIndex} wrote with the blocks of the directory, by all workers: each segment is built
   * again. Throws UNSUPPORTED_FORMAT if the folder holds the index of another chain, HISTORY_PRUNED if the receipts of its blocks
   * are not there, MISSING_FILE, ABORTED, and DAMAGED for blocks that cannot be read.
   *
   * @example
   * ```ts
   * await chain.buildLogIndex({ directory: folder })
   * const { segments, faults } = await chain.verifyLogIndex({ directory: folder })
   * console.log(segments, faults.length)
   * ```
   */
  async verifyLogIndex(parameters: VerifyLogIndexParameters): Promise<LogIndexReport> {
    return verifyLogIndex(this.datadir, parameters)
  }

  /**
   * The traces of all transactions of a block (default the head), in order; undefined if the block is unknown. Else as
   * {@link traceTransaction}; for many blocks {@link scanTraces} is faster.
   *
   * @example
   * ```ts
   * const traces = await chain.traceBlock({ blockNumber: 1n }, { tracer: '4byteTracer' })
   * for (const { txHash, result } of traces ?? []) console.log(txHash, result)
   * ```
   */
  async traceBlock<const Choice extends TracerChoice & TraceLimits = object>(
    parameters: BlockParameters = {},
    options?: Choice,
  ): Promise<readonly TransactionTrace<TraceOf<Choice>>[] | undefined> {
    type Traces = readonly TransactionTrace<TraceOf<Choice>>[]
    return tracesOfBlock(this.datadir, parameters, options ?? {}) as Promise<Traces | undefined>
  }

  /**
   * The trace of a call on the state after a block (default the head). A call that fails has a trace too. Throws CALL_REJECTED
   * for a call that is refused before it runs; else as {@link traceTransaction}.
   *
   * @example
   * ```ts
   * const trace = await chain.traceCall({ to: token, data: '0x18160ddd' }, { tracer: 'callTracer' })
   * console.log(trace.type, trace.gasUsed)
   * ```
   */
  async traceCall<const Choice extends TracerChoice & CallOptions = object>(
    parameters: CallParameters & BlockParameters,
    options?: Choice,
  ): Promise<TraceOf<Choice>> {
    return traceOfCall(this.datadir, parameters, options ?? {}) as Promise<TraceOf<Choice>>
  }

  /**
   * The traces of a range of blocks (both ends included, default the whole chain), block by block in order. The blocks are executed
   * once for all tracers, by all workers, in pieces; within a piece the state is carried from block to block. A piece begins at a
   * state that is on disk, or up to 128 blocks after one (`replay.maxBlocks` if that is set). A slow reader slows the scan;
   * leaving the loop ends it. Throws INVALID_RANGE for a range beyond the head, STATE_UNAVAILABLE, HISTORY_PRUNED, DAMAGED for a
   * block that does not use the gas of its header, ABORTED, and VIEW_UNSTABLE if geth reorganises the range during the scan.
   *
   * @example
   * ```ts
   * const range = { fromBlock: 1n, toBlock: 3n }
   * for await (const { blockNumber, traces } of chain.scanTraces(range, { tracers: { callTracer: {} } })) {
   *   for (const { result } of traces) console.log(blockNumber, result.callTracer.type, result.callTracer.to)
   * }
   * ```
   */
  scanTraces<const Set extends TracerSet>(
    range: BlockRangeParameters,
    options: ScanTracesOptions<Set>,
  ): AsyncIterable<BlockTraces<Set>> {
    return scanTraces(this.datadir, range, options)
  }

  /**
   * Writes datasets of a range of blocks as files, a chunk of blocks in each, with a manifest for every file; the roots of
   * the blocks are checked on the way. What is done already is skipped, so that an export that was stopped can be run again.
   * Throws HISTORY_PRUNED, STATE_UNAVAILABLE, DAMAGED, NO_SPACE, PERMISSION_DENIED, WORKER_FAILED and ABORTED.
   *
   * @example
   * ```ts
   * const range = { fromBlock: 0n, toBlock: 99n }
   * const { rows, bytes } = await chain.export({ datasets: ['blocks', 'logs'], folder, ...range })
   * console.log(rows, bytes)
   * ```
   */
  async export(parameters: ExportParameters, options: ExportOptions = {}): Promise<ExportResult> {
    return exportDatasets(this.datadir, parameters, options)
  }

  /**
   * Runs a query of DuckDB's SQL over the datasets: each is a view of all its rows, and a function whose arguments select blocks and
   * logs, `logs(blocks := '18M:+1000', address := '0x…', topic0 := '0x…')`. Columns have the names and types of an export.
   * Only the columns that the query uses are made, and with an address or topics, also in a simple `where`, only the blocks are read
   * that the log index or the blooms let through. Datasets of states need their arguments, `balances(address := '0x…')`, and have the
   * newest block by default. The query sees the chain up to the head, and no file unless `files` is set. It needs the package
   * `@duckdb/node-api`, which is installed separately. Throws TypeError for what DuckDB refuses, MISSING_PACKAGE, INVALID_RANGE,
   * HISTORY_PRUNED, STATE_UNAVAILABLE, DAMAGED, RESOURCE_EXHAUSTED, ABORTED, and VIEW_UNSTABLE if geth reorganises the blocks during
   * the query.
   *
   * @example
   * ```ts
   * const run = chain.sql("select count(*) as n from logs(blocks := '-100:')")
   * for await (const { n } of run) console.log(n)
   * ```
   */
  sql(query: string, options: SqlOptions = {}): SqlQueryRun {
    return sql(this.datadir, query, options)
  }

  /**
   * The bytes of a dataset as one stream, Arrow's IPC stream, CSV or JSON lines, for a response or a pipe. They depend on the
   * chain, the range and the options alone. Ranges and errors as {@link export}; a slow reader slows the scan.
   *
   * @example
   * ```ts
   * const stream = chain.exportStream({ dataset: 'blocks', fromBlock: 0n, toBlock: 9n }, { format: 'csv' })
   * for await (const bytes of stream) console.log(new TextDecoder().decode(bytes))
   * ```
   */
  exportStream(parameters: ExportStreamParameters, options: ExportStreamOptions): AsyncIterable<Uint8Array> {
    return exportStream(this.datadir, parameters, options)
  }

  /**
   * Exports beside a running node, as long as it is iterated: whole chunks of final blocks as {@link export} writes them, and the
   * blocks from there to the head as one file of each dataset, `…__tip.parquet`, which is replaced as a whole. No row is there
   * twice, also after a reorganisation. The next run continues. Leaving the loop ends it; errors as {@link export}.
   *
   * @example
   * ```ts
   * for await (const { finishedBlock, tip } of chain.followExport({ datasets: ['blocks'], folder })) {
   *   console.log(finishedBlock, tip?.toBlock)
   *   break
   * }
   * ```
   */
  followExport(
    parameters: FollowExportParameters,
    options: FollowExportOptions = {},
  ): AsyncIterable<FollowedExport> {
    return followExport(this.datadir, parameters, options)
  }

  /**
   * The chunks that {@link export} would write, also those that are done.
   *
   * @example
   * ```ts
   * const chunks = await chain.planExport({ datasets: ['blocks'], folder })
   * console.log(chunks.length)
   * ```
   */
  async planExport(parameters: ExportParameters, options: ExportOptions = {}): Promise<PlannedChunk[]> {
    return planExport(this.datadir, parameters, options)
  }

  /**
   * Opens a new view if the directory has changed, and returns whether it has. Methods in flight keep their view.
   *
   * @example
   * ```ts
   * const isNewer = await chain.refresh()
   * console.log(isNewer, await chain.getBlockNumber())
   * ```
   */
  async refresh(): Promise<boolean> {
    return this.datadir.refresh()
  }

  /**
   * Ends unfinished iterators and calls without a time limit, which then throw CLOSED, and the subscriptions of
   * {@link provider}; waits for other methods in flight, then releases files, workers and temporary files. May be called twice.
   *
   * @example
   * ```ts
   * const other = await openDatadir('/var/lib/geth')
   * console.log(await other.getBlockNumber())
   * await other.close()
   * ```
   */
  async close(): Promise<void> {
    this.#provider.close()
    await this.datadir.close()
  }

  /** The same as {@link close}, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
