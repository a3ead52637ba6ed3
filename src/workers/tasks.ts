// What worker threads do: a row for each task, with the function of view/, logs/ or state/ that does it. The pool and the worker
// take everything about a task from its row. Inputs and outputs are structured-cloneable.
import type { Attempt } from '../awaitable.js'
import { readBadBlocks } from '../chain/bad-blocks.js'
import type { SenderRange } from '../chain/chain.js'
import { type FeeHistoryRange, readFeeHistory } from '../chain/fee-history.js'
import { suggestTip } from '../chain/suggested-tip.js'
import { findBlockOfTransaction, type UnindexedBlocks } from '../chain/transaction-index.js'
import { columnBuffers } from '../datasets/column.js'
import { type LogForm, logBuffers } from '../logs/log-forms.js'
import { buildSegment } from '../logs/own-index/build-segment.js'
import { type RangeScan, scanRange } from '../logs/scan-range.js'
import { writeOutput } from '../output-file.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import type { TaskEnd, TaskSignal } from '../stop.js'
import { proveBlockState, readBlockSlots } from '../view/block-state.js'
import { decodeInModule, type EncodedArguments } from '../view/encoded-arguments.js'
import { nodeBuffers } from '../view/new-nodes.js'
import { runEvm } from '../view/run-evm.js'
import { decodeUploadedBlock } from '../view/uploaded-block.js'
import type { View, ViewDescriptor } from '../view/view.js'
import { attemptEvm, attemptProof, attemptScan, attemptSenders, attemptSlots } from './main-thread.js'

interface Task<Input, Output> {
  /** Tasks of one kind take turns among themselves. A call may take seconds, and reads do not wait for it. */
  readonly kind: 'call' | 'read'
  readonly run: (view: View, input: Input, signal: TaskSignal) => Output | Promise<Output>
  /** Does what is short on the main thread; undefined if a worker is to do it. Default: a worker does it. */
  readonly attempt?: (view: View, input: Input, deadline?: number) => Attempt<Output>
  /** Arguments in the input that a worker decodes. */
  readonly encodedIn?: (input: Input) => EncodedArguments<unknown> | undefined
  /** Buffers of the output that are moved to the main thread. Everything else is copied. */
  readonly buffersOf?: (output: Output) => ArrayBuffer[]
}

type TaskParts<Input, Output> = Omit<Task<Input, Output>, 'kind' | 'run'>

function read<Input, Output>(
  run: Task<Input, Output>['run'],
  parts: TaskParts<Input, Output> = {},
): Task<Input, Output> {
  return { kind: 'read', run, ...parts }
}

function call<Input, Output>(
  run: Task<Input, Output>['run'],
  parts: TaskParts<Input, Output> = {},
): Task<Input, Output> {
  return { kind: 'call', run, ...parts }
}

interface ValueRead {
  readonly key: Uint8Array
  /** Bytes. */
  readonly limit: number
}

interface TransactionSearch {
  readonly hash: Uint8Array
  readonly blocks: UnindexedBlocks
}

/** Arguments of more characters are large: to decode them takes up to ten times as many bytes. */
const largeArguments = 1 << 20

function bufferOf({ buffer }: ArrayBufferView): ArrayBuffer[] {
  return [buffer as ArrayBuffer]
}

/** A function of a module that is loaded when the task first runs: the main thread, which loads this table, never needs it. */
function inWorker<Input, Output>(
  load: () => Promise<Task<Input, Output>['run']>,
): (view: View, input: Input, signal: TaskSignal) => Promise<Output> {
  return async (view, input, signal) => (await load())(view, input, signal)
}

/** Every task by name. */
export const tasks = {
  /** Runs a method of the EVM, which the input names. */
  evm: call(runEvm, {
    attempt: attemptEvm,
    encodedIn: ({ request }) => ('encoded' in request ? request.encoded : undefined),
  }),
  /** Runs calls at one block. */
  callGroup: call(inWorker(async () => (await import('../view/run-call-group.js')).runCallGroup)),
  /** Traces a call, a transaction or a block. */
  trace: call(
    inWorker(async () => (await import('../view/trace.js')).trace),
    {
      buffersOf: bufferOf,
      encodedIn: (input) => ('call' in input && 'encoded' in input.call ? input.call.encoded : undefined),
    },
  ),
  /** Decodes the header of a block that a caller sends, and looks at the rest. */
  uploadedHeader: call((_view, rlp: Uint8Array) => decodeUploadedBlock(rlp).header),
  /** Traces blocks in a row. */
  traceRange: call(
    inWorker(async () => (await import('../view/trace-range.js')).traceRange),
    {
      buffersOf: ({ hashes, json, ends }) => [hashes, json, ends].flatMap(bufferOf),
    },
  ),
  /** Traces a block for trace_block. */
  traceBlockFrames: call(
    inWorker(async () => (await import('../view/parity-traces.js')).traceBlockFrames),
    { buffersOf: bufferOf },
  ),
  /** Replays a block for trace_replayBlockTransactions. */
  replayTransactions: call(
    inWorker(async () => (await import('../view/parity-traces.js')).replayTransactions),
    { buffersOf: bufferOf },
  ),
  /** Searches the traces of a range for trace_filter. */
  filterFrames: call(
    inWorker(async () => (await import('../view/parity-traces.js')).filterFrames),
    { buffersOf: bufferOf },
  ),
  /** Computes the roots after each transaction of a block. */
  intermediateRoots: call(inWorker(async () => (await import('../view/inside-block.js')).intermediateRoots)),
  /** Collects what the execution of a block needs of the state before it. */
  executionWitness: call(
    inWorker(async () => (await import('../view/execution-witness.js')).executionWitness),
    {
      buffersOf: ({ codes, nodes }) => [codes.buffer as ArrayBuffer, nodes.buffer as ArrayBuffer],
    },
  ),
  /** Lists slots of an account before a transaction of a block. */
  storageInBlock: call(inWorker(async () => (await import('../view/inside-block.js')).storageInBlock)),
  /** Simulates blocks of calls. */
  simulate: call(
    inWorker(async () => (await import('../view/simulate.js')).simulateOn),
    {
      buffersOf: (simulation) =>
        'refusal' in simulation ? [] : simulation.blocks.map(({ calls }) => calls.buffer),
      encodedIn: (input) => ('encoded' in input ? input.encoded : undefined),
    },
  ),
  /** Decodes arguments only to see whether they are valid. */
  checkArguments: call(
    async (_view, encoded: EncodedArguments<unknown>) => {
      await decodeInModule(encoded)
    },
    { encodedIn: (encoded) => encoded },
  ),
  /** Scans a piece of a log query. */
  scanPiece: read(({ db }, scan: RangeScan<LogForm>, signal) => scanRange(db, scan, signal), {
    attempt: attemptScan,
    buffersOf: logBuffers,
  }),
  /** Builds a segment of an index of logs outside of the directory. */
  buildIndexSegment: read(({ db }, span: BlockSpan, signal) => buildSegment(db, span, signal), {
    buffersOf: bufferOf,
  }),
  /** Writes a segment of an index of logs as a file; its number of bytes. */
  writeIndexSegment: read(({ db }, { path, ...span }: BlockSpan & { readonly path: string }, signal) => {
    const segment = buildSegment(db, span, signal)
    signal.throwIfAborted()
    writeOutput(path, segment)
    return segment.length
  }),
  /** Proves an account and slots. */
  prove: read(proveBlockState, {
    attempt: attemptProof,
  }),
  /** Reads slots of accounts. */
  readSlots: read(readBlockSlots, {
    attempt: attemptSlots,
  }),
  /** Lists accounts of a state with code and storage. */
  dumpState: call(
    inWorker(async () => (await import('../view/dump-state.js')).dumpState),
    { buffersOf: bufferOf },
  ),
  /** Lists the accounts in which two states differ. */
  changedAccounts: call(inWorker(async () => (await import('../view/dump-state.js')).changedAccounts)),
  /** Searches blocks for a state of the hash scheme. */
  findState: call(inWorker(async () => (await import('../view/dump-state.js')).findState)),
  /** Lists accounts of a state. */
  listAccounts: read(inWorker(async () => (await import('../view/list-state.js')).listAccounts)),
  /** Lists slots of an account. */
  listSlots: read(inWorker(async () => (await import('../view/list-state.js')).listSlots)),
  /** Executes blocks on top of a state. */
  replay: read(inWorker(async () => (await import('../view/replay-blocks.js')).replayBlocks)),
  /** Executes blocks and compares the results with what is stored. */
  executeBlocks: read(
    inWorker(async () => (await import('../view/execute-blocks.js')).executeBlocks),
    { buffersOf: ({ nodes }) => (nodes ? nodeBuffers(nodes) : []) },
  ),
  /** Finds the blocks whose new trie nodes are not on disk. */
  blocksWithoutNodes: read(inWorker(async () => (await import('../view/find-nodes.js')).blocksWithoutNodes)),
  /** Recovers senders of a block, which is in the view, as one array: to copy many short ones to another thread takes long. */
  recoverSenders: read(({ chain }, range: SenderRange) => chain.joinedSenders(range), {
    attempt: attemptSenders,
  }),
  /** Searches blocks that are not indexed for a transaction. */
  searchTransaction: read(({ chain }, { hash, blocks }: TransactionSearch, signal) =>
    findBlockOfTransaction(chain, hash, blocks, signal),
  ),
  /** Compares records of blocks with the roots in their headers. */
  verifyRoots: read(inWorker(async () => (await import('../view/verify-roots.js')).verifyRoots)),
  /** Computes the state root of the pending block. */
  pendingRoot: read(inWorker(async () => (await import('../view/pending-root.js')).pendingRoot)),
  /** Suggests a tip from the newest blocks. */
  suggestTip: read(({ chain }, _input: undefined) => suggestTip(chain)),
  /** Reads the fees of a range of blocks. */
  feeHistory: call(({ chain }, range: FeeHistoryRange, signal) => readFeeHistory(chain, range, signal)),
  /** Recovers the senders of the blocks that geth refused. */
  badBlockSenders: read(({ chain, db }, _input: undefined) =>
    readBadBlocks(db).map(({ block }) => chain.senders(block)),
  ),
  /** Reads the value of a key, unless it is longer than a limit. */
  databaseValue: read(({ db }, { key, limit }: ValueRead) => {
    const value = db.kv.get(key)
    return value && { length: value.length, bytes: value.length > limit ? undefined : Uint8Array.from(value) }
  }),
  /** Reads what the directory holds. */
  info: read(inWorker(async () => (await import('../view/datadir-info.js')).readInfo)),
  /** Reads rows of a dataset as columns. */
  readBatch: read(
    inWorker(async () => (await import('../datasets/read-piece.js')).readBatch),
    { buffersOf: ({ batch }) => (batch ? columnBuffers(batch.columns) : []) },
  ),
  /** Reads rows of a dataset as bytes of a stream. */
  encodeBatch: read(
    inWorker(async () => (await import('../datasets/read-piece.js')).encodeBatch),
    { buffersOf: ({ bytes }) => bufferOf(bytes) },
  ),
  /** Writes the files of a chunk of datasets. */
  exportChunk: read(inWorker(async () => (await import('../datasets/export-chunk.js')).exportChunk)),
  /** Looks for the states that datasets need. */
  checkStates: read(inWorker(async () => (await import('../datasets/state-of-block.js')).checkStates)),
  /** Makes the rows of a piece of a dataset. */
  scanRows: read(
    inWorker(async () => (await import('../datasets/scan-rows.js')).scanRows),
    {
      buffersOf: ({ batches }) => columnBuffers(batches.flatMap(({ columns }) => columns)),
    },
  ),
  /** Finds the blocks whose state can be read. */
  availableStates: read(
    inWorker(async () => {
      const { availableStates } = await import('../view/available-states.js')
      return (view, _input: undefined) => availableStates(view)
    }),
  ),
}

export type TaskName = keyof typeof tasks
export type TaskInput<N extends TaskName> = Parameters<(typeof tasks)[N]['run']>[1]
export type TaskOutput<N extends TaskName> = Awaited<ReturnType<(typeof tasks)[N]['run']>>

/** Whether a task takes tens of megabytes because of its arguments. */
export function isLargeTask<N extends TaskName>(name: N, input: TaskInput<N>): boolean {
  const { encodedIn } = tasks[name] as Pick<Task<TaskInput<N>, unknown>, 'encodedIn'>
  return (encodedIn?.(input)?.length ?? 0) > largeArguments
}

/** The output of a task, or the first part of it, if the main thread has it soon. */
export function attemptTask<N extends TaskName>(
  name: N,
  {
    view,
    input,
    deadline,
  }: { readonly view: View; readonly input: TaskInput<N>; readonly deadline?: number | undefined },
): Attempt<TaskOutput<N>> {
  // Row and input have the same name, which the compiler cannot see.
  const { attempt } = tasks[name] as Pick<Task<TaskInput<N>, TaskOutput<N>>, 'attempt'>
  return attempt?.(view, input, deadline)
}

/** A task as it reaches the worker. */
export interface TaskMessage<N extends TaskName = TaskName> extends TaskEnd {
  readonly flags: Int32Array
  readonly name: N
  readonly view: ViewDescriptor
  readonly input: TaskInput<N>
}
