// What worker threads do: a row for each task, with the function of view/, logs/ or state/ that does it. The pool and the worker
// take everything about a task from its row. Inputs and outputs are structured-cloneable.
import { type FeeHistoryRange, readFeeHistory } from '../chain/fee-history.js'
import { suggestTip } from '../chain/suggested-tip.js'
import { findBlockOfTransaction, type UnindexedBlocks } from '../chain/transaction-index.js'
import { type LogForm, logBuffers } from '../logs/log-forms.js'
import { type RangeScan, scanRange } from '../logs/scan-range.js'
import { readSlots, type SlotsOfAccount } from '../state/read-slots.js'
import { proveState } from '../state/state-proof.js'
import type { TaskEnd, TaskSignal } from '../stop.js'
import { availableStates } from '../view/available-states.js'
import { readInfo } from '../view/datadir-info.js'
import { decodeInModule, type EncodedCall } from '../view/encoded-call.js'
import { type ListingPiece, listAccounts, listSlots, type SlotListingPiece } from '../view/list-state.js'
import { pendingRoot } from '../view/pending-root.js'
import { type ReplayRange, replayBlocks } from '../view/replay-blocks.js'
import { runCallGroup } from '../view/run-call-group.js'
import { type EvmInput, runEvm } from '../view/run-evm.js'
import type { ChainFolders, View, ViewDescriptor } from '../view/view.js'

interface Task<Input, Output> {
  /** Tasks of one kind take turns among themselves. A call may take seconds, and reads do not wait for it. */
  readonly kind: 'call' | 'read'
  readonly run: (view: View, input: Input, signal: TaskSignal) => Output | Promise<Output>
  /** Buffers of the output that are moved to the main thread. Everything else is copied. */
  readonly buffersOf?: (output: Output) => ArrayBuffer[]
}

function read<Input, Output>(
  run: Task<Input, Output>['run'],
  buffersOf?: Task<Input, Output>['buffersOf'],
): Task<Input, Output> {
  return { kind: 'read', run, ...(buffersOf && { buffersOf }) }
}

function call<Input, Output>(run: Task<Input, Output>['run']): Task<Input, Output> {
  return { kind: 'call', run }
}

interface AccountProofInput {
  readonly root: Uint8Array
  readonly address: Uint8Array
  readonly slots: readonly Uint8Array[]
}

interface SlotsInput {
  readonly root: Uint8Array
  readonly accounts: readonly SlotsOfAccount[]
}

interface TransactionSearch {
  readonly hash: Uint8Array
  readonly blocks: UnindexedBlocks
}

/** Transactions `from` to `to` of a block, the end excluded. */
interface SenderRange {
  readonly hash: Uint8Array
  readonly from: number
  readonly to: number
}

/** Every task by name. */
export const tasks = {
  /** Runs a method of the EVM, which the input names. */
  evm: call((view, input: EvmInput, signal) => runEvm(view, input, signal)),
  /** Runs calls at one block. */
  callGroup: call(runCallGroup),
  /** Decodes arguments only to see whether they are valid. */
  checkArguments: call(async (_view, encoded: EncodedCall) => {
    await decodeInModule(encoded)
  }),
  /** Scans a piece of a log query. */
  scanPiece: read(({ db }, scan: RangeScan<LogForm>, signal) => scanRange(db, scan, signal), logBuffers),
  /** Proves an account and slots. */
  prove: read(({ states }, { root, address, slots }: AccountProofInput, signal) =>
    proveState(states.triesAt(root), { address, slots, signal }),
  ),
  /** Reads slots of accounts. */
  readSlots: read(({ states }, { root, accounts }: SlotsInput, signal) =>
    readSlots(states.stateAt(root), accounts, signal),
  ),
  /** Lists accounts of a state. */
  listAccounts: read((view, piece: ListingPiece, signal) => listAccounts(view, piece, signal)),
  /** Lists slots of an account. */
  listSlots: read((view, piece: SlotListingPiece, signal) => listSlots(view, piece, signal)),
  /** Executes blocks on top of a state. */
  replay: read((view, range: ReplayRange, signal) => replayBlocks(view, range, signal)),
  /** Recovers senders of a block, which is in the view. */
  recoverSenders: read(({ chain }, { hash, from, to }: SenderRange) =>
    chain.senders(chain.block({ hash })!, { from, to }),
  ),
  /** Searches blocks that are not indexed for a transaction. */
  searchTransaction: read(({ chain }, { hash, blocks }: TransactionSearch, signal) =>
    findBlockOfTransaction(chain, hash, blocks, signal),
  ),
  /** Computes the state root of the pending block. */
  pendingRoot: read(pendingRoot),
  /** Suggests a tip from the newest blocks. */
  suggestTip: read(({ chain }, _input: undefined) => suggestTip(chain)),
  /** Reads the fees of a range of blocks. */
  feeHistory: read(({ chain }, range: FeeHistoryRange, signal) => readFeeHistory(chain, range, signal)),
  /** Reads what the directory holds. */
  info: read((view, folders: Pick<ChainFolders, 'chaindata' | 'ancient'>) => readInfo(folders, view)),
  /** Finds the blocks whose state can be read. */
  availableStates: read((view, _input: undefined) => availableStates(view)),
}

export type TaskName = keyof typeof tasks
export type TaskInput<N extends TaskName> = Parameters<(typeof tasks)[N]['run']>[1]
export type TaskOutput<N extends TaskName> = Awaited<ReturnType<(typeof tasks)[N]['run']>>

/** A task as it reaches the worker. */
export interface TaskMessage<N extends TaskName = TaskName> extends TaskEnd {
  readonly flags: Int32Array
  readonly name: N
  readonly view: ViewDescriptor
  readonly input: TaskInput<N>
}
