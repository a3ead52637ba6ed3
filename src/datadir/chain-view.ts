// What requests read from: one immutable view of the directory, held for as long as a request lasts, with the workers that do
// what is long. The blocks themselves are in `chain`.

import type { Abortable, Awaitable } from '../awaitable.js'
import { bytesToHex } from '../bytes.js'
import {
  type Block,
  type BlockSelector,
  decodeLocated,
  type HashedHeader,
  type LocatedTransaction,
} from '../chain/block.js'
import type { Chain } from '../chain/chain.js'
import { type LocatedReceipt, readReceipt, readReceipts, type StoredReceipts } from '../chain/receipts.js'
import { maxSearchedBlocks, type UnindexedBlocks } from '../chain/transaction-index.js'
import { GethReaderError } from '../errors.js'
import type { CallRequest } from '../evm/engine.js'
import type { LogFilter } from '../logs/filter.js'
import type { LogForm } from '../logs/log-forms.js'
import { blockOfLog, type LogJson } from '../logs/log-json.js'
import { type RangeResult, scanBlock } from '../logs/scan-range.js'
import { OnceForEach } from '../once-for.js'
import { firstPruned } from '../rawdb/block-data.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import type { StateReader } from '../state/state-source.js'
import type { Header } from '../types/header.js'
import type { Receipt } from '../types/receipt.js'
import type { StateRange } from '../view/available-states.js'
import { onStateOf, withNearestStates } from '../view/nearest-states.js'
import type { EncodedRequest, EvmAnswer, EvmMethod, EvmRequest } from '../view/run-evm.js'
import type { TraceInput } from '../view/trace.js'
import type { View } from '../view/view.js'
import { type CallAnswer, runCallGroups } from '../workers/call-groups.js'
import { OrderedScan, type ScannedPiece } from '../workers/scan-logs.js'
import { attemptTask, type TaskInput, type TaskName, type TaskOutput } from '../workers/tasks.js'
import type { WorkerPool } from '../workers/worker-pool.js'
import type { RememberedSenders } from './remembered-senders.js'
import type { Replays } from './replay.js'
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

/** Which logs: of a range of canonical blocks, both ends included and at most the head, or of one block by hash. */
export interface LogQuery extends LogFilter {
  readonly blocks: BlockSpan | { readonly hash: Uint8Array }
  /** Exactly this many succeed; one more is TOO_MANY_RESULTS. */
  readonly maxResults: number
  /** 0 for none. */
  readonly timeoutMilliseconds: number
}

/** The caller of a task, and how long it waits. */
interface TaskWaiter extends Abortable {
  /** Time limit, after which the task throws DEADLINE_EXCEEDED; default none, as 0. */
  readonly milliseconds?: number
}

/** What workers have found out about views. */
const statesOfViews = new OnceForEach<View, readonly StateRange[]>()
const tipsOfViews = new OnceForEach<View, bigint>()

/** Searches of one caller that may run at a time: each may keep a worker busy for a second. */
const searchesOfCaller = 8

/** Searches that run, by caller. */
const searches = new WeakMap<object, number>()

/** Transactions at least that are worth a worker of their own, which reads the block again: two milliseconds of work. */
const sendersOfPiece = 40

interface ChainViewParts {
  readonly view: View
  readonly pool: WorkerPool
  /** The caller of the request: callers take turns at the workers. */
  readonly caller: object | undefined
  readonly senders: RememberedSenders
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
  readonly #pool: WorkerPool
  readonly #caller: object | undefined
  readonly #senders: RememberedSenders
  readonly #replays: Replays | undefined
  readonly #traceReplays: Replays
  #release: (() => void) | undefined

  constructor({ view, pool, caller, senders, replays, traceReplays, release }: ChainViewParts) {
    this.snapshot = view
    this.#pool = pool
    this.#caller = caller
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
    const view = this.snapshot
    const attempt = attemptTask(name, { view, input })
    if (attempt !== undefined) return attempt.value
    const { signal, milliseconds = 0 } = waiter
    const deadline = milliseconds > 0 ? Date.now() + milliseconds : undefined
    const lane = { caller: this.#caller }
    return this.#pool.run(name, { view: view.descriptor, input }, { signal, deadline, lane })
  }

  /** Tip in wei that the newest blocks suggest. A worker reads them once for all requests to a snapshot. */
  suggestedTip(): Promise<bigint> {
    return tipsOfViews.get(this.snapshot, async () => this.run('suggestTip', undefined))
  }

  /** Blocks whose state can be read, newest range first. A worker finds them once for all requests to a snapshot. */
  availableStates(): Promise<readonly StateRange[]> {
    return statesOfViews.get(this.snapshot, async () => this.run('availableStates', undefined))
  }

  /** Senders of all transactions of a block, in order. */
  senders(block: Block): Awaitable<readonly Uint8Array[]> {
    const known = this.#senders.ofBlock(block)
    if (known) return known
    const input = { hash: block.hash, from: 0, to: block.transactionCount }
    const attempt = attemptTask('recoverSenders', { view: this.snapshot, input })
    if (attempt === undefined) return this.#senders.recover(block, () => this.#recoverInWorkers(block))
    this.#senders.set(block, attempt.value)
    return attempt.value
  }

  /** Recovers the senders of a block in as many pieces as there are idle workers for. */
  async #recoverInWorkers({ hash, transactionCount }: Block): Promise<readonly Uint8Array[]> {
    const idle = this.#pool.workers - this.#pool.busy
    const pieces = Math.max(1, Math.min(idle, Math.floor(transactionCount / sendersOfPiece)))
    const size = Math.ceil(transactionCount / pieces)
    const found = await Promise.all(
      Array.from({ length: pieces }, (_, i) =>
        this.run('recoverSenders', { hash, from: i * size, to: (i + 1) * size }),
      ),
    )
    return found.flat()
  }

  /** Undefined if the block is unknown or the index is past its last transaction. Throws as {@link Chain.block}. */
  transactionAt(selector: BlockSelector, index: number): MinedTransaction | undefined {
    return this.#withSender(this.chain.transactionAt(selector, index))
  }

  /** A canonical transaction; undefined if unknown. Throws INDEX_INCOMPLETE and HISTORY_PRUNED. */
  transaction(hash: Uint8Array): Awaitable<MinedTransaction | undefined> {
    return this.#readByHash(hash, (at) => this.#withSender(this.chain.transaction(hash, at)))
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
    return this.#readByHash(hash, (at) => {
      const found = this.chain.storedReceipt(hash, at)
      return found && { ...found, sender: this.#senderOf(found.located) }
    })
  }

  /** Receipt of a canonical transaction; absent and errors as {@link transaction}. */
  async receipt(hash: Uint8Array): Promise<Receipt | undefined> {
    const found = await this.storedReceipt(hash)
    return found && readReceipt(found, found.sender)
  }

  /** Reads what belongs to a transaction. The few blocks that the index may lack are searched by a worker. */
  #readByHash<T>(hash: Uint8Array, read: (at?: number) => T): Awaitable<T | undefined> {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof GethReaderError && error.code === 'INDEX_INCOMPLETE')) throw error
      const blocks = this.chain.unindexedBlocks()
      // On a chain of genesis alone geth says that it is still indexing.
      if (blocks === undefined || blocks.to === 0 || blocks.to - blocks.from >= maxSearchedBlocks) throw error
      return this.#searchTransaction(hash, blocks).then((at) => (at === undefined ? undefined : read(at)))
    }
  }

  async #searchTransaction(hash: Uint8Array, blocks: UnindexedBlocks): Promise<number | undefined> {
    const caller = this.#caller ?? {}
    const running = searches.get(caller) ?? 0
    if (running >= searchesOfCaller) {
      throw new GethReaderError('QUEUE_FULL', `${running} searches for transactions run already`, {
        limit: searchesOfCaller,
      })
    }
    searches.set(caller, running + 1)
    try {
      return await this.run('searchTransaction', { hash, blocks })
    } finally {
      searches.set(caller, searches.get(caller)! - 1)
    }
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
    const { blocks, maxResults, timeoutMilliseconds } = query
    if ('hash' in blocks) {
      const { json } = this.logsOfBlock(blocks.hash, query, 'json')
      if (json.length > maxResults) throw tooManyResults(maxResults, undefined)
      return [json]
    }
    const deadline = timeoutMilliseconds > 0 ? Date.now() + timeoutMilliseconds : undefined
    const bounds = { from: blocks.from, to: blocks.to, deadline, limit: maxResults + 1 }
    const scan = new OrderedScan({ filter: query, form: 'json', order: 'ascending', ...bounds })
    const first = scan.begin(this.snapshot)
    const found = first ? [first.json] : []
    if (scan.isOver) return noMoreThan(maxResults, found, blocks)
    return this.#finish(scan, found, waiter).then(() => noMoreThan(maxResults, found, blocks))
  }

  /** Leaves the rest of a scan to the workers, which adds to `found`. */
  async #finish(scan: OrderedScan<'json'>, found: LogJson[], { signal }: Abortable): Promise<void> {
    const waiter = { signal, caller: this.#caller }
    for await (const { json } of scan.finish(this.#pool, this.snapshot, waiter)) found.push(json)
  }

  /** Matching logs of one block of any chain. Throws BLOCK_NOT_FOUND for an unknown hash, HISTORY_PRUNED. */
  logsOfBlock<F extends LogForm>(hash: Uint8Array, filter: LogFilter, form: F): RangeResult<F> {
    const found = this.chain.header({ hash })
    if (!found) {
      throw new GethReaderError('BLOCK_NOT_FOUND', `block ${bytesToHex(hash)} is not in this directory`, {
        blockHash: bytesToHex(hash),
      })
    }
    return scanBlock(this.snapshot.db, { number: found.header.number, hash }, { filter, form })
  }

  /** The rest of a scan, piece by piece; see workers/scan-logs.ts. */
  scanLogs<F extends LogForm>(
    scan: OrderedScan<F>,
    signal?: AbortSignal,
  ): AsyncGenerator<ScannedPiece<F>, void, undefined> {
    return scan.run(this.#pool, this.snapshot, { signal, caller: this.#caller })
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

  /** Runs a task on top of the state after a block, which is made as for {@link trace}. Throws as {@link trace}. */
  async runOnState<N extends TaskName>(
    name: N,
    input: TaskInput<N>,
    base: Header,
    waiter?: TaskWaiter,
  ): Promise<TaskOutput<N>> {
    const view = this.snapshot
    const replays = this.#replays ?? (view.states.scheme === 'hash' ? this.#traceReplays : undefined)
    await ensureTraceState({ view, pool: this.#pool, replays }, base)
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
    const { states, descriptor: view } = this.snapshot
    onStateOf(this.snapshot, first.header, () => states.stateAt(first.header.stateRoot))
    yield* runCallGroups(this.#pool, { view, calls }, { signal, caller: this.#caller })
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
    const place = { view: this.snapshot, pool: this.#pool }
    return this.#replays.ensure(place, root, Number(block))
  }

  /** The error for the caller: one about a missing state says in facts.available which blocks have one. */
  async explain(error: unknown): Promise<unknown> {
    return withNearestStates(error, this.snapshot, () => this.availableStates())
  }

  [Symbol.dispose](): void {
    this.#release?.()
    this.#release = undefined
  }
}

/** The logs of a scan whose limit was one more than there may be. */
function noMoreThan(limit: number, found: readonly LogJson[], { from }: BlockSpan): readonly LogJson[] {
  const logs = found.reduce((sum, { length }) => sum + length, 0)
  if (logs <= limit) return found
  const last = found.at(-1)!
  throw tooManyResults(limit, { from, to: blockOfLog(last, last.length - 1) - 1 })
}

/** `fits` are the blocks before the one in which the limit is passed; there may be none. */
function tooManyResults(limit: number, fits: BlockSpan | undefined): GethReaderError {
  const isRange = fits !== undefined && fits.from <= fits.to
  return new GethReaderError('TOO_MANY_RESULTS', `query returned more than ${limit} results`, {
    limit,
    ...(isRange && { fromBlock: BigInt(fits.from), toBlock: BigInt(fits.to) }),
  })
}
