// What a request reads from: one immutable view of the directory, held until the request is answered. Short work is done on
// the main thread, long work by workers.

import type { Abortable, Awaitable } from '../awaitable.js'
import {
  type Block,
  type BlockSelector,
  decodeLocated,
  type HashedHeader,
  type LocatedTransaction,
} from '../chain/block.js'
import type { Chain } from '../chain/chain.js'
import { type LocatedReceipt, readReceipt, readReceipts, type StoredReceipts } from '../chain/receipts.js'
import type { PieceBlocks } from '../datasets/read-piece.js'
import type { ScannedRows } from '../datasets/scan-rows.js'
import { GethReaderError } from '../errors.js'
import type { CallRequest } from '../evm/engine.js'
import type { LogFilter } from '../logs/filter.js'
import type { LogForm } from '../logs/log-forms.js'
import type { LogJson } from '../logs/log-json.js'
import type { RangeResult } from '../logs/scan-range.js'
import { OnceForEach } from '../once-for.js'
import { firstPruned } from '../rawdb/block-data.js'
import type { StateReader } from '../state/state-source.js'
import type { Header } from '../types/header.js'
import type { Receipt } from '../types/receipt.js'
import type { AvailableStates } from '../view/available-states.js'
import { onStateOf, withNearestStates } from '../view/nearest-states.js'
import type { EncodedRequest, EvmAnswer, EvmMethod, EvmRequest } from '../view/run-evm.js'
import type { TraceInput } from '../view/trace.js'
import type { TracedRange } from '../view/trace-range.js'
import type { View } from '../view/view.js'
import { type CallAnswer, runCallGroups } from '../workers/call-groups.js'
import type { DatasetScan } from '../workers/scan-dataset.js'
import type { OrderedScan, ScannedPiece } from '../workers/scan-logs.js'
import type { OrderedRowScan } from '../workers/scan-rows.js'
import type { TraceScan } from '../workers/scan-traces.js'
import type { TaskInput, TaskName, TaskOutput } from '../workers/tasks.js'
import type { CachedSenders } from './cached-senders.js'
import { findLogs, type LogQuery, logsOfBlock } from './find-logs.js'
import { sendersOf } from './recover-senders.js'
import type { Replays } from './replay.js'
import { runTask, type TaskPlace, type TaskWaiter } from './run-task.js'
import { readByHash } from './search-unindexed.js'
import { ensureTraceState } from './trace-state.js'

/** A transaction with its sender and its place in the chain. */
export interface MinedTransaction extends LocatedTransaction {
  readonly from: Uint8Array
}

/** The receipts of a block as they are stored, with hashes and senders of its transactions. */
interface BlockReceipts {
  readonly stored: StoredReceipts
  /** 32 bytes each. */
  readonly joinedHashes: Uint8Array
  readonly senders: readonly Uint8Array[]
}

/** A receipt as it is stored, with the sender of its transaction. */
interface MinedReceipt extends LocatedReceipt {
  readonly sender: Uint8Array
}

/** What workers have found out about views. */
const statesOfViews = new OnceForEach<View, AvailableStates>()
const tipsOfViews = new OnceForEach<View, bigint>()

interface ChainViewParts extends TaskPlace {
  readonly senders: CachedSenders
  /** Makes states that are not on disk; undefined if that is off. */
  readonly replays: Replays | undefined
  /** Makes states for traces alone, in the hash scheme. */
  readonly traceReplays: Replays
  /** Called when the view is disposed. */
  readonly release: () => void
}

/**
 * The chain and its states as of one snapshot. Every member may throw DAMAGED, MISSING_FILE, PERMISSION_DENIED,
 * UNSUPPORTED_FORMAT or CLOSED in addition to what it names. Dispose it when the request is answered.
 */
export class ChainView implements Disposable {
  /** The same object for all requests that read the same snapshot of the directory. */
  readonly snapshot: View
  readonly #place: TaskPlace
  readonly #senders: CachedSenders
  readonly #replays: Replays | undefined
  readonly #traceReplays: Replays
  #release: (() => void) | undefined

  constructor({ view, pool, caller, senders, replays, traceReplays, release }: ChainViewParts) {
    this.snapshot = view
    this.#place = { view, pool, caller }
    this.#senders = senders
    this.#replays = replays
    this.#traceReplays = traceReplays
    this.#release = release
  }

  /** Headers, blocks and tags. Transactions and receipts, which need senders, are read by the members of this class. */
  get chain(): Chain {
    return this.snapshot.chain
  }

  /**
   * Runs a task of workers/tasks.ts: on the main thread if that is short, otherwise in a worker. Throws what the task throws;
   * DEADLINE_EXCEEDED, QUEUE_FULL, WORKER_FAILED; ABORTED.
   */
  run<N extends TaskName>(name: N, input: TaskInput<N>, waiter: TaskWaiter = {}): Awaitable<TaskOutput<N>> {
    return runTask(this.#place, { name, input }, waiter)
  }

  /** Tip in wei that the newest blocks suggest. A worker reads them once for all requests to a snapshot. */
  suggestedTip(): Promise<bigint> {
    return tipsOfViews.get(this.snapshot, async () => this.run('suggestTip', undefined))
  }

  /** Blocks whose states can be read, and those whose proofs can be made. A worker finds them once for all requests to a snapshot. */
  availableStates(): Promise<AvailableStates> {
    return statesOfViews.get(this.snapshot, async () => this.run('availableStates', undefined))
  }

  /** Senders of all transactions of a block, in order. */
  senders(block: Block): Awaitable<readonly Uint8Array[]> {
    return sendersOf(this.#place, block, this.#senders)
  }

  /** Undefined if the block is unknown or the index is past its last transaction. Throws as {@link Chain.block}. */
  transactionAt(selector: BlockSelector, index: number): MinedTransaction | undefined {
    return this.#withSender(this.chain.transactionAt(selector, index))
  }

  /** A canonical transaction; undefined if unknown. Throws INDEX_INCOMPLETE and HISTORY_PRUNED. */
  transaction(hash: Uint8Array): Awaitable<MinedTransaction | undefined> {
    return readByHash(this.#place, hash, (at) => this.#withSender(this.chain.transaction(hash, at)))
  }

  /**
   * The receipts of a block as they are stored, with what they are completed from; undefined if the block is unknown. Throws as
   * {@link Chain.storedReceipts}.
   */
  async storedReceipts(selector: BlockSelector): Promise<BlockReceipts | undefined> {
    const { chain } = this
    const stored = chain.storedReceipts(selector)
    const block = stored && chain.block({ hash: stored.block.hash })
    if (stored === undefined || block === undefined) return undefined
    return { stored, joinedHashes: block.joinedHashes, senders: await this.senders(block) }
  }

  /** All receipts of a block in order; absent and errors as {@link storedReceipts}. */
  async receipts(selector: BlockSelector): Promise<readonly Receipt[] | undefined> {
    const found = await this.storedReceipts(selector)
    return found && readReceipts(found.stored, found.senders)
  }

  /** Receipt of a canonical transaction as it is stored; absent and errors as {@link transaction}. */
  storedReceipt(hash: Uint8Array): Awaitable<MinedReceipt | undefined> {
    return readByHash(this.#place, hash, (at) => {
      const found = this.chain.storedReceipt(hash, at)
      return found && { ...found, sender: this.#senderOf(found.located) }
    })
  }

  /** Receipt of a canonical transaction; absent and errors as {@link transaction}. */
  async receipt(hash: Uint8Array): Promise<Receipt | undefined> {
    const found = await this.storedReceipt(hash)
    return found && readReceipt(found, found.sender)
  }

  #withSender(located: LocatedTransaction | undefined): MinedTransaction | undefined {
    return located && { ...located, from: this.#senderOf(located) }
  }

  #senderOf(located: LocatedTransaction): Uint8Array {
    try {
      return this.#senders.of(located)
    } catch (error) {
      // Says what is wrong with the transaction.
      decodeLocated(located)
      throw error
    }
  }

  /**
   * Matching logs by block number, then log index, as JSON.
   *
   * Throws BLOCK_NOT_FOUND for an unknown hash, HISTORY_PRUNED, TOO_MANY_RESULTS (facts.limit, and facts.fromBlock to
   * facts.toBlock for the first blocks that fit), DEADLINE_EXCEEDED, QUEUE_FULL, WORKER_FAILED; ABORTED.
   */
  logs(query: LogQuery, waiter: Abortable = {}): Awaitable<readonly LogJson[]> {
    return findLogs(this.#place, query, waiter)
  }

  /** Matching logs of one block of any chain. Throws BLOCK_NOT_FOUND for an unknown hash, HISTORY_PRUNED. */
  logsOfBlock<F extends LogForm>(hash: Uint8Array, filter: LogFilter, form: F): RangeResult<F> {
    return logsOfBlock(this.snapshot, hash, { filter, form })
  }

  /** The rest of a scan, piece by piece; see workers/scan-logs.ts. */
  scanLogs<F extends LogForm>(
    scan: OrderedScan<F>,
    signal?: AbortSignal,
  ): AsyncGenerator<ScannedPiece<F>, void, undefined> {
    const { view, pool, caller } = this.#place
    return scan.run(pool, view, { signal, caller })
  }

  /** The first block of a range that is pruned and in no era file; undefined if there is none. Both ends included. */
  firstPruned(from: number, to: number): number | undefined {
    return firstPruned(this.snapshot.db, from, to)
  }

  /**
   * State after a block. Throws STATE_UNAVAILABLE if it is not on disk, as do its reads for a missing node.
   */
  stateAt({ header }: HashedHeader): StateReader {
    const { states } = this.snapshot
    return onStateOf(this.snapshot, header, () => states.stateAt(header.stateRoot))
  }

  /**
   * Runs a method of the EVM on the state after a block. A gas cap of 0 is none for access lists and traces.
   *
   * Throws STATE_UNAVAILABLE as {@link stateAt}; CALL_REJECTED, CALL_FAILED, CALL_REVERTED (facts.data), DEADLINE_EXCEEDED
   * with geth's texts; as {@link run}.
   */
  runEvm<N extends EvmMethod>(
    name: N,
    request: EvmRequest<N> | EncodedRequest,
    waiter?: Abortable,
  ): Awaitable<EvmAnswer<N>> {
    return this.run('evm', { name, request }, waiter) as Awaitable<EvmAnswer<N>>
  }

  /**
   * UTF-8 of the JSON of a trace on top of the state after a block. In the hash scheme the state is made if it is not on disk,
   * as in geth. Throws STATE_UNAVAILABLE, CALL_REJECTED, DEADLINE_EXCEEDED and CALL_FAILED with geth's texts; as {@link run}.
   */
  trace(base: Header, input: TraceInput, waiter?: Abortable): Promise<Uint8Array> {
    return this.runOnState('trace', input, base, waiter)
  }

  /** Blocks that may be executed for a state that is not on disk, if something is traced on it. */
  get mostReplayedBlocks(): number {
    return (this.#replays ?? this.#traceReplays).maxBlocks
  }

  /** The rest of a scan of traces, piece by piece; see workers/scan-traces.ts. */
  scanTraces(scan: TraceScan, signal: AbortSignal): AsyncGenerator<TracedRange, void, undefined> {
    const { view, pool, caller } = this.#place
    return scan.run(pool, view, { signal, caller })
  }

  /** The rest of a scan of rows, piece by piece; see workers/scan-rows.ts. */
  scanRows(scan: OrderedRowScan, signal: AbortSignal): AsyncGenerator<ScannedRows, void, undefined> {
    const { view, pool, caller } = this.#place
    return scan.run(pool, view, { signal, caller })
  }

  /** The rest of a scan of a dataset, piece by piece; see workers/scan-dataset.ts. */
  scanDataset<Piece extends PieceBlocks>(
    scan: DatasetScan<Piece>,
    signal: AbortSignal,
  ): AsyncGenerator<Piece, void, undefined> {
    const { view, pool, caller } = this.#place
    return scan.run(pool, view, { signal, caller })
  }

  /** Runs a task on top of the state after a block, which is made as for {@link trace}. Throws as {@link trace}. */
  async runOnState<N extends TaskName>(
    name: N,
    input: TaskInput<N>,
    base: Header,
    waiter?: TaskWaiter,
  ): Promise<TaskOutput<N>> {
    const { view, pool } = this.#place
    const replays = this.#replays ?? (view.states.scheme === 'hash' ? this.#traceReplays : undefined)
    await ensureTraceState({ view, pool, replays }, base)
    return this.run(name, input, waiter)
  }

  /**
   * Answers of calls on the state after one block as they come, in groups over all workers. Throws STATE_UNAVAILABLE,
   * QUEUE_FULL and ABORTED; how a call ends is in its answer.
   */
  async *calls(
    calls: readonly CallRequest[],
    signal?: AbortSignal,
  ): AsyncGenerator<CallAnswer, void, undefined> {
    const [first] = calls
    if (first === undefined) return
    const { view, pool, caller } = this.#place
    onStateOf(view, first.header, () => view.states.stateAt(first.header.stateRoot))
    yield* runCallGroups(pool, { view: view.descriptor, calls }, { signal, caller })
  }

  /**
   * Makes the state that an error says is not on disk, if replay is on; true if what failed is worth a retry.
   * Throws STATE_UNAVAILABLE if the state is beyond the bounds of replay.
   */
  async restore(error: unknown): Promise<boolean> {
    if (!(error instanceof GethReaderError) || error.code !== 'STATE_UNAVAILABLE') return false
    const { root, block, key } = error.facts
    // If a key is named, only a node or a code of the state is missing.
    if (this.#replays === undefined || root === undefined || block === undefined || key !== undefined)
      return false
    return this.#replays.ensure(this.#place, root, Number(block))
  }

  /** The error for the caller: one about a missing state says in facts.available which blocks have one. */
  async explain(error: unknown): Promise<unknown> {
    return withNearestStates(error, this.snapshot, async () => (await this.availableStates()).states)
  }

  [Symbol.dispose](): void {
    this.#release?.()
    this.#release = undefined
  }
}
