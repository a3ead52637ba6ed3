// What the JSON-RPC layer needs from the layers below, in internal types. Knows nothing of JSON, sockets or files;
// src/datadir.ts implements it and tests fake it. Existing, absent and unknowable stay apart: absent is undefined,
// unknowable throws a GethReaderError.

import type { Abortable, Awaitable } from '../awaitable.js'
import type { Block, BlockSelector, BlockTag, HashedHeader } from '../chain/block.js'
import type {
  EncodedViewCall,
  LogQuery,
  MinedTransaction,
  ViewCall,
  ViewProof,
} from '../datadir/view-queries.js'
import type { AccessListResult, CallResult } from '../evm/engine.js'
import type { LogJson } from '../logs/log-json.js'
import type { StateProof } from '../state/state-proof.js'
import type { StateReader } from '../state/state-source.js'
import type { ChainConfig } from '../types/chain-config.js'
import type { Header } from '../types/header.js'
import type { Receipt } from '../types/receipt.js'
import type { EncodedCall } from '../view/encoded-call.js'

/**
 * The chain and its states as of one moment. All answers of one request come from one view. Every member may also
 * throw DAMAGED, MISSING_FILE, PERMISSION_DENIED, UNSUPPORTED_FORMAT or CLOSED. Returned objects are never modified
 * by the caller and may be shared.
 */
export interface ChainView extends Disposable {
  /** The same object for all views of one moment: they answer every question alike. */
  readonly moment: object

  readonly config: ChainConfig

  /** First block whose body is retained: 0, or the cutoff of pruned history. */
  readonly historyCutoff: number

  /** The head block. No I/O after the first use. */
  head(): HashedHeader

  /**
   * Number of the block a tag names (`pending` is none of a directory's), undefined for `safe` and `finalized` where the directory records none;
   * `earliest` is the history cutoff.
   */
  tagNumber(tag: BlockTag): number | undefined

  /**
   * Header of a block, undefined where the block is unknown. Headers below the history cutoff are still answered.
   *
   * Throws NOT_CANONICAL for `requireCanonical` and a known side-chain hash.
   */
  header(selector: BlockSelector): HashedHeader | undefined

  /**
   * A block with its body, undefined where the header is unknown.
   *
   * Throws HISTORY_PRUNED below the cutoff, NOT_CANONICAL as `header`.
   */
  block(selector: BlockSelector): Block | undefined

  /** Senders of all transactions of a block under the block's own signature rules, in order. */
  senders(block: Block): Awaitable<readonly Uint8Array[]>

  /**
   * One transaction of a block, undefined where the block is unknown or the index (any safe integer) is past its
   * last transaction. Throws as `block`.
   */
  transactionAt(selector: BlockSelector, index: number): Awaitable<MinedTransaction | undefined>

  /**
   * A canonical transaction, undefined where unknown or older than the indexed window.
   *
   * Throws INDEX_INCOMPLETE if the hash is not in the index and the index lacks many blocks.
   */
  transaction(hash: Uint8Array): Awaitable<MinedTransaction | undefined>

  /**
   * All receipts of a block in order, undefined where the block is unknown.
   *
   * Throws HISTORY_PRUNED, NOT_CANONICAL as `block`; DAMAGED where receipts are missing.
   */
  receipts(selector: BlockSelector): Awaitable<readonly Receipt[] | undefined>

  /** Receipt of a canonical transaction; absent and errors as `transaction`. */
  receipt(hash: Uint8Array): Awaitable<Receipt | undefined>

  /**
   * Matching logs by block number, then log index, as JSON: made where they are found, since objects of them are dearer
   * than all else of an answer. The caller has checked range and cutoff.
   *
   * Throws BLOCK_NOT_FOUND for an unknown hash, HISTORY_PRUNED, TOO_MANY_RESULTS (facts.limit),
   * DEADLINE_EXCEEDED, QUEUE_FULL, WORKER_FAILED; ABORTED.
   */
  logs(query: LogQuery, waiter?: Abortable): Awaitable<readonly LogJson[]>

  /**
   * State root of a block without transactions on top of the state that its header names. Undefined if the trie nodes of
   * that state are not on disk, or the rules of the block are not supported.
   */
  pendingRoot(header: Header): Promise<Uint8Array | undefined>

  /**
   * State after a block. Throws STATE_UNAVAILABLE with facts.root where it is not on disk; its reads throw
   * STATE_UNAVAILABLE with facts.key (the node's path) for a missing node.
   */
  stateAt(block: HashedHeader): StateReader

  /**
   * After an error: makes the state that it says is not on disk, where that is on; true when what failed is worth another
   * try. Throws STATE_UNAVAILABLE where that cannot be done.
   */
  restore(error: unknown): Promise<boolean>

  /** Proves an account and slots. Throws as `stateAt`, also where the trie nodes of the state are not on disk. */
  proof(query: ViewProof, waiter?: Abortable): Promise<StateProof>

  /**
   * Runs a call. Opens the state before anything else is looked at.
   *
   * Throws STATE_UNAVAILABLE as `stateAt`; CALL_REJECTED, CALL_FAILED, CALL_REVERTED (facts.data),
   * DEADLINE_EXCEEDED with geth's exact texts as EvmEngine; QUEUE_FULL, WORKER_FAILED; ABORTED.
   */
  call(call: ViewCall | EncodedViewCall, waiter?: Abortable): Awaitable<CallResult>

  /** The gas that a call needs, as geth estimates it. Throws as `call`. */
  estimateGas(call: ViewCall | EncodedViewCall, waiter?: Abortable): Awaitable<bigint>

  /** What a call touches, and its gas with that as access list. A gas cap of 0 is none. Throws as `call`. */
  createAccessList(call: ViewCall | EncodedViewCall, waiter?: Abortable): Awaitable<AccessListResult>

  /** Throws what the decoder throws for arguments that are not valid. Runs nothing. */
  checkArguments(encoded: EncodedCall, waiter?: Abortable): Promise<void>
}

/** Where the RPC layer takes its answers from. */
export interface Backend {
  /**
   * The newest view; disposed when its request is answered. `caller` is who asks: workers serve callers in turn, so that
   * what one of them asks for does not hold up the others. Throws CLOSED.
   */
  view(caller?: object): ChainView

  /** Makes the newest view that of the directory as it is now; true when that is another. Throws CLOSED. */
  refresh(): Promise<boolean>
}
