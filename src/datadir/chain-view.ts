// What requests read from: one immutable view of the directory, held for as long as a request lasts. Short reads are
// done on this thread, long ones by the worker pool.

import type { Abortable, Awaitable } from '../awaitable.js'
import { bytesToHex } from '../bytes.js'
import {
  type Block,
  type BlockSelector,
  type BlockTag,
  decodeLocated,
  type HashedHeader,
  type LocatedTransaction,
} from '../chain/block.js'
import { type ChainForks, chainForks } from '../chain/fork-config.js'
import {
  encodeReceipts,
  type LocatedReceipt,
  readReceipt,
  readReceipts,
  type StoredReceipts,
} from '../chain/receipts.js'
import { maxSearchedBlocks, type UnindexedBlocks } from '../chain/transaction-index.js'
import { GethReaderError } from '../errors.js'
import type { LogFilter } from '../logs/filter.js'
import type { LogForm } from '../logs/log-forms.js'
import { blockOfLog, type LogJson } from '../logs/log-json.js'
import { type RangeResult, scanBlock } from '../logs/scan-range.js'
import { OnceForEach } from '../once-for.js'
import { firstPruned } from '../rawdb/block-data.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import { decodeRecord } from '../rawdb/chain-database.js'
import { readHeaderRecord } from '../rawdb/headers.js'
import { readTransactionIndexTail } from '../rawdb/transaction-lookup.js'
import { stateUnavailable } from '../state/state-errors.js'
import { proveState, type StateProof } from '../state/state-proof.js'
import type { StateReader } from '../state/state-source.js'
import { type StateTotals, type VerifyStateOptions, verifyState } from '../state/verify-state.js'
import { encodeBlock } from '../types/body.js'
import type { ChainConfig } from '../types/chain-config.js'
import { encodeHeader, type Header } from '../types/header.js'
import type { Receipt } from '../types/receipt.js'
import type { StateRange } from '../view/available-states.js'
import type { DatadirInfo } from '../view/datadir-info.js'
import type { EncodedCall } from '../view/encoded-call.js'
import type { NamedAccount, NamedSlot } from '../view/list-state.js'
import { withBlockOfState, withNearestStates } from '../view/nearest-states.js'
import { newestBlockWithState } from '../view/newest-state.js'
import type { EvmAnswer, EvmMethod } from '../view/run-evm.js'
import type { ChainFolders, View } from '../view/view.js'
import type { CallAnswer } from '../workers/call-groups.js'
import { type LogSearch, OrderedScan, type ScannedPiece } from '../workers/scan-logs.js'
import type { TaskInput, TaskName, TaskOutput } from '../workers/tasks.js'
import type { WorkerPool } from '../workers/worker-pool.js'
import {
  type EncodedViewCall,
  runCalls,
  runEvmMethod,
  type ViewCall,
  type ViewRequest,
  type WorkPlace,
} from './call-runner.js'
import type { RememberedSenders } from './remembered-senders.js'
import type { Replays } from './replay.js'

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
  readonly blocks: { readonly from: number; readonly to: number } | { readonly hash: Uint8Array }
  /** Exactly this many succeed; one more is TOO_MANY_RESULTS. */
  readonly maxResults: number
  /** 0 for none. */
  readonly timeoutMilliseconds: number
}

/** An account and slots of 32 bytes, to be proved against the state root of a block. */
interface ViewProof {
  readonly block: HashedHeader
  readonly address: Uint8Array
  readonly slots: readonly Uint8Array[]
}

/** A piece of a listing: from which hash on (default the lowest), and how many entries at most. */
export interface ViewListing {
  readonly start?: Uint8Array
  readonly limit: number
  readonly signal?: AbortSignal
}

/** How a task is run for a request. */
interface InWorker extends Abortable {
  /** 0 for no limit. */
  readonly milliseconds: number
  /** The block whose state the task reads, if it reads one. */
  readonly block?: HashedHeader
}

/** What workers have found out about views. */
const statesOfViews = new OnceForEach<View, readonly StateRange[]>()
const infoOfViews = new OnceForEach<View, DatadirInfo>()
const tipsOfViews = new OnceForEach<View, bigint>()

/** Slots that are proved on this thread: about a millisecond of work. */
const slotsProvedHere = 16

/** Searches of one caller that may run at a time: each may keep a worker busy for a second. */
const searchesOfCaller = 8

/** Searches that run, by caller. */
const searches = new WeakMap<object, number>()

/** Transactions of a block whose senders are recovered on this thread: about a millisecond of work. */
const sendersRecoveredHere = 20

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
  /** Called when the view is disposed. */
  readonly release: () => void
}

/**
 * The chain and its states as of one moment. Every member may throw DAMAGED, MISSING_FILE, PERMISSION_DENIED,
 * UNSUPPORTED_FORMAT or CLOSED in addition to what it names. Dispose it when the request is answered.
 */
export class ChainView implements Disposable {
  /** The same object for all views of one moment. */
  readonly moment: object
  readonly config: ChainConfig
  /** First block whose body is retained: 0, or the cutoff of pruned history. */
  readonly historyCutoff: number
  readonly #view: View
  readonly #pool: WorkerPool
  readonly #caller: object | undefined
  readonly #senders: RememberedSenders
  readonly #replays: Replays | undefined
  #release: (() => void) | undefined

  constructor({ view, pool, caller, senders, replays, release }: ChainViewParts) {
    this.moment = view
    this.config = view.chain.config
    this.historyCutoff = view.chain.historyCutoff
    this.#view = view
    this.#pool = pool
    this.#caller = caller
    this.#senders = senders
    this.#replays = replays
    this.#release = release
  }

  /** The head block. */
  head(): HashedHeader {
    return this.#view.chain.head()
  }

  /** Number of the block a tag names; undefined for `safe` and `finalized` if the directory records none. */
  tagNumber(tag: BlockTag): number | undefined {
    return this.#view.chain.tagNumber(tag)
  }

  /** Undefined if the block is unknown. Throws NOT_CANONICAL. */
  header(selector: BlockSelector): HashedHeader | undefined {
    return this.#view.chain.header(selector)
  }

  /** Undefined if the block is unknown. Throws HISTORY_PRUNED and NOT_CANONICAL. */
  block(selector: BlockSelector): Block | undefined {
    return this.#view.chain.block(selector)
  }

  /** Forks of the chain by the time of the head. */
  forks(): ChainForks {
    return chainForks(this.#view.chain)
  }

  /** Tip in wei that the newest blocks suggest. A worker reads them once for all requests to a snapshot. */
  suggestedTip(): Promise<bigint> {
    return tipsOfViews.get(this.#view, () => this.#runInWorker('suggestTip', undefined))
  }

  /** RLP of the header of a block, as it is stored. */
  rawHeader({ header, hash }: HashedHeader): Uint8Array {
    return readHeaderRecord(this.#view.db, header.number, hash)?.rlp ?? encodeHeader(header)
  }

  /** RLP of a block: header, transactions, uncles and withdrawals. */
  rawBlock(block: Block): Uint8Array {
    const { rlp, place } = block.storedBody
    return decodeRecord(place, rlp, (body) => encodeBlock(this.rawHeader(block), body))
  }

  /** Receipts of a block in their consensus form. Undefined and errors as {@link storedReceipts}. */
  rawReceipts(selector: BlockSelector): readonly Uint8Array[] | undefined {
    const stored = this.#view.chain.storedReceipts(selector)
    return stored && encodeReceipts(stored)
  }

  /** Senders of all transactions of a block, in order. */
  senders(block: Block): Awaitable<readonly Uint8Array[]> {
    const known = this.#senders.ofBlock(block)
    if (known) return known
    if (block.transactionCount <= sendersRecoveredHere) {
      const senders = this.#view.chain.senders(block)
      this.#senders.set(block, senders)
      return senders
    }
    return this.#senders.recover(block, () => this.#recoverInWorkers(block))
  }

  /** Recovers the senders of a block in as many pieces as there are idle workers for. */
  async #recoverInWorkers({ hash, transactionCount }: Block): Promise<readonly Uint8Array[]> {
    const idle = this.#pool.workers - this.#pool.busy
    const pieces = Math.max(1, Math.min(idle, Math.floor(transactionCount / sendersOfPiece)))
    const size = Math.ceil(transactionCount / pieces)
    const found = await Promise.all(
      Array.from({ length: pieces }, (_, i) =>
        this.#runInWorker('recoverSenders', { hash, from: i * size, to: (i + 1) * size }),
      ),
    )
    return found.flat()
  }

  /** Undefined if the block is unknown or the index is past its last transaction. Throws as {@link block}. */
  transactionAt(selector: BlockSelector, index: number): MinedTransaction | undefined {
    return this.#withSender(this.#view.chain.transactionAt(selector, index))
  }

  /** A canonical transaction; undefined if unknown. Throws INDEX_INCOMPLETE and HISTORY_PRUNED. */
  transaction(hash: Uint8Array): Awaitable<MinedTransaction | undefined> {
    const { chain } = this.#view
    return this.#readByHash(hash, (at) => this.#withSender(chain.transaction(hash, at)))
  }

  /** Reads what belongs to a transaction. The few blocks that the index may lack are searched by a worker. */
  #readByHash<T>(hash: Uint8Array, read: (at?: number) => T): Awaitable<T | undefined> {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof GethReaderError && error.code === 'INDEX_INCOMPLETE')) throw error
      const blocks = this.#view.chain.unindexedBlocks()
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
      return await this.#runInWorker('searchTransaction', { hash, blocks })
    } finally {
      searches.set(caller, searches.get(caller)! - 1)
    }
  }

  /**
   * The receipts of a block as they are stored, with what they are completed from; undefined if the block is unknown. Throws as
   * {@link block}.
   */
  async storedReceipts(selector: BlockSelector): Promise<BlockReceipts | undefined> {
    const { chain } = this.#view
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
    const { chain } = this.#view
    return this.#readByHash(hash, (at) => {
      const found = chain.storedReceipt(hash, at)
      return found && { ...found, sender: this.#senderOf(found.located) }
    })
  }

  /** Receipt of a canonical transaction; absent and errors as {@link transaction}. */
  async receipt(hash: Uint8Array): Promise<Receipt | undefined> {
    const found = await this.storedReceipt(hash)
    return found && readReceipt(found, found.sender)
  }

  /**
   * Matching logs by block number, then log index, as JSON.
   *
   * Throws BLOCK_NOT_FOUND for an unknown hash, HISTORY_PRUNED, TOO_MANY_RESULTS (facts.limit, and facts.fromBlock to
   * facts.toBlock for the first blocks that fit), DEADLINE_EXCEEDED,
   * QUEUE_FULL, WORKER_FAILED; ABORTED.
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
    const first = scan.begin(this.#view)
    const found = first ? [first.json] : []
    if (scan.isOver) return noMoreThan(maxResults, found, blocks)
    return this.#finish(scan, found, waiter).then(() => noMoreThan(maxResults, found, blocks))
  }

  /** Leaves the rest of a scan to the workers, which adds to `found`. */
  async #finish(scan: OrderedScan<'json'>, found: LogJson[], { signal }: Abortable): Promise<void> {
    const caller = this.#caller
    for await (const { json } of scan.finish(this.#pool, this.#view, { signal, caller })) found.push(json)
  }

  /** Matching logs of one block of any chain. Throws BLOCK_NOT_FOUND for an unknown hash, HISTORY_PRUNED. */
  logsOfBlock<F extends LogForm>(hash: Uint8Array, filter: LogFilter, form: F): RangeResult<F> {
    const found = this.#view.chain.header({ hash })
    if (!found) {
      throw new GethReaderError('BLOCK_NOT_FOUND', `block ${bytesToHex(hash)} is not in this directory`, {
        blockHash: bytesToHex(hash),
      })
    }
    return scanBlock(this.#view.db, { number: found.header.number, hash }, { filter, form })
  }

  /** The rest of a scan, piece by piece; see workers/scan-logs.ts. */
  scanLogs<F extends LogForm>(
    scan: OrderedScan<F>,
    signal?: AbortSignal,
  ): AsyncGenerator<ScannedPiece<F>, void, undefined> {
    return scan.run(this.#pool, this.#view, { signal, caller: this.#caller })
  }

  /** The first block of a range that is pruned and in no era file; undefined if there is none. Both ends included. */
  firstPruned(from: number, to: number): number | undefined {
    return firstPruned(this.#view.db, from, to)
  }

  /** How {@link scanLogs} goes about a search. */
  planLogs(search: LogSearch<LogForm>): ReturnType<OrderedScan<LogForm>['plan']> {
    return new OrderedScan(search).plan(this.#view)
  }

  /**
   * State root of a block without transactions on top of the state that its header names. Undefined if the trie nodes of
   * that state are not on disk, or the rules of the block are not supported.
   */
  async pendingRoot(header: Header): Promise<Uint8Array | undefined> {
    try {
      return await this.#runInWorker('pendingRoot', header)
    } catch (error) {
      const code = error instanceof GethReaderError ? error.code : undefined
      if (code === 'STATE_UNAVAILABLE' || code === 'UNSUPPORTED_FORK') return undefined
      throw error
    }
  }

  /**
   * State after a block. Throws STATE_UNAVAILABLE if it is not on disk, as do its reads for a missing node.
   */
  stateAt({ header }: HashedHeader): StateReader {
    try {
      return this.#view.states.stateAt(header.stateRoot)
    } catch (error) {
      throw withBlockOfState(error, header.number, this.#view)
    }
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
    const place = { view: this.#view, pool: this.#pool }
    return this.#replays.ensure(place, root, Number(block))
  }

  /** Blocks whose state can be read, newest range first. A worker finds them once for all requests to a snapshot. */
  availableStates(): Promise<readonly StateRange[]> {
    return statesOfViews.get(this.#view, () => this.#runInWorker('availableStates', undefined))
  }

  /** First block whose transactions are found by hash; undefined if there is none. */
  firstIndexedBlock(): number | undefined {
    const tail = readTransactionIndexTail(this.#view.db)
    return tail === undefined ? undefined : Math.max(tail, this.historyCutoff)
  }

  /** The error for the caller: one about a missing state says in facts.available which blocks have one. */
  async explain(error: unknown): Promise<unknown> {
    return withNearestStates(error, this.#view, () => this.availableStates())
  }

  /** What the directory holds. A worker finds it out. */
  async info({ chaindata, ancient }: ChainFolders): Promise<DatadirInfo> {
    const view = this.#view
    return infoOfViews.get(view, () =>
      this.#pool.run('info', { view: view.descriptor, input: { chaindata, ancient } }),
    )
  }

  /**
   * Proves an account and slots, in a worker if there are many. Throws STATE_UNAVAILABLE as {@link stateAt}, also if
   * only values of the state are on disk and not the nodes of its tries.
   */
  async proof(
    { block: { header }, address, slots }: ViewProof,
    { signal }: Abortable = {},
  ): Promise<StateProof> {
    const { states } = this.#view
    try {
      const tries = states.triesAt(header.stateRoot)
      if (slots.length <= slotsProvedHere) return proveState(tries, { address, slots })
      return await this.#runInWorker('prove', { root: header.stateRoot, address, slots }, signal)
    } catch (error) {
      throw withBlockOfState(error, header.number, this.#view)
    }
  }

  /** A piece of the accounts of a block's state, in a worker. Throws STATE_UNAVAILABLE as {@link stateAt}. */
  async listAccounts(
    { header }: HashedHeader,
    { signal, ...piece }: ViewListing,
  ): Promise<readonly NamedAccount[]> {
    return this.#onState(header, (root) =>
      this.#pool.run('listAccounts', { view: this.#view.descriptor, input: { root, ...piece } }, { signal }),
    )
  }

  /** A piece of the slots of the account whose address has the hash `owner`; else as {@link listAccounts}. */
  async listSlots(
    { header }: HashedHeader,
    owner: Uint8Array,
    { signal, ...piece }: ViewListing,
  ): Promise<readonly NamedSlot[]> {
    return this.#onState(header, (root) =>
      this.#pool.run(
        'listSlots',
        { view: this.#view.descriptor, input: { root, owner, ...piece } },
        { signal },
      ),
    )
  }

  /** Number of the newest block whose state can be read. Throws STATE_UNAVAILABLE if there is none. */
  newestBlockWithState(): number {
    const { header } = this.head()
    const newest = newestBlockWithState(this.#view, header.number)
    if (newest === undefined) throw stateUnavailable(header.stateRoot, 'no block has a state on disk')
    return newest
  }

  /** Computes the state root of a block again, on this thread. Throws BLOCK_NOT_FOUND, and as {@link stateAt}. */
  async verifyState(number: number, options: VerifyStateOptions): Promise<StateTotals> {
    const found = this.header({ number })
    if (found === undefined) {
      const message = `block ${number} is not in this directory`
      throw new GethReaderError('BLOCK_NOT_FOUND', message, { block: BigInt(number) })
    }
    return this.#onState(found.header, (root) => verifyState(this.#view.states, root, options))
  }

  /** Runs work on the state of a block. */
  async #onState<T>(
    { number, stateRoot }: HashedHeader['header'],
    work: (root: Uint8Array) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(stateRoot)
    } catch (error) {
      throw withBlockOfState(error, number, this.#view)
    }
  }

  /**
   * Runs a method of the EVM on the state after a block. A gas cap of 0 is none for access lists and traces.
   *
   * Throws STATE_UNAVAILABLE as {@link stateAt}; CALL_REJECTED, CALL_FAILED, CALL_REVERTED (facts.data), DEADLINE_EXCEEDED
   * with geth's texts; QUEUE_FULL, WORKER_FAILED; ABORTED.
   */
  runEvm<N extends EvmMethod>(
    name: N,
    call: ViewRequest<N> | EncodedViewCall,
    waiter?: Abortable,
  ): Awaitable<EvmAnswer<N>> {
    return runEvmMethod(this.#place, name, call, waiter)
  }

  /** Answers of calls on the state after one block as they come, in groups over all workers; see {@link runCalls}. */
  calls(calls: readonly ViewCall[], signal?: AbortSignal): AsyncIterable<CallAnswer> {
    if (calls.length > 0) this.stateAt(calls[0]!.block)
    return runCalls(this.#place, calls, signal)
  }

  /** Throws what the decoder throws for arguments that are not valid. Runs nothing. */
  async checkArguments(encoded: EncodedCall, { signal }: Abortable = {}): Promise<void> {
    await this.#runInWorker('checkArguments', encoded, signal)
  }

  /**
   * Runs a task in a worker, within a time limit (0 for none). An error about a state says that it is that of `block`.
   * Throws what the task throws, DEADLINE_EXCEEDED, QUEUE_FULL, WORKER_FAILED; ABORTED.
   */
  async inWorker<N extends TaskName>(name: N, input: TaskInput<N>, how: InWorker): Promise<TaskOutput<N>> {
    const { signal, milliseconds, block } = how
    const deadline = milliseconds > 0 ? Date.now() + milliseconds : undefined
    const work = () => this.#runInWorker(name, input, signal, deadline)
    return block === undefined ? work() : this.#onState(block.header, work)
  }

  get #place(): WorkPlace {
    return { view: this.#view, pool: this.#pool, caller: this.#caller }
  }

  #runInWorker<N extends TaskName>(
    name: N,
    input: TaskInput<N>,
    signal?: AbortSignal,
    deadline?: number,
  ): Promise<TaskOutput<N>> {
    const lane = { caller: this.#caller }
    return this.#pool.run(name, { view: this.#view.descriptor, input }, { signal, deadline, lane })
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
