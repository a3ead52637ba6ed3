// What worker threads do: a row for each task, with the function of view/, logs/ or state/ that does it. Inputs and outputs are
// structured-cloneable. Only workers load this file; what the main thread knows of each task is in main-thread.ts.
import { readBadBlocks } from '../chain/bad-blocks.js'
import type { SenderRange } from '../chain/chain.js'
import { type FeeHistoryRange, readFeeHistory } from '../chain/fee-history.js'
import { suggestTip } from '../chain/suggested-tip.js'
import { findBlockOfTransaction, type UnindexedBlocks } from '../chain/transaction-index.js'
import { buffersOfColumns } from '../datasets/column.js'
import { exportChunk } from '../datasets/export-chunk.js'
import { encodeBatch, readBatch } from '../datasets/read-piece.js'
import { scanRows } from '../datasets/scan-rows.js'
import { checkStates } from '../datasets/state-of-block.js'
import { type LogForm, logBuffers } from '../logs/log-forms.js'
import { buildSegment } from '../logs/own-index/build-segment.js'
import { type RangeScan, scanRange } from '../logs/scan-range.js'
import { writeOutput } from '../output-file.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import type { TaskEnd, TaskSignal } from '../stop.js'
import { availableStates } from '../view/available-states.js'
import { proveBlockState, readBlockSlots } from '../view/block-state.js'
import { readInfo } from '../view/datadir-info.js'
import { changedAccounts, dumpState, findState } from '../view/dump-state.js'
import { decodeInModule, type EncodedArguments } from '../view/encoded-arguments.js'
import { executeBlocks } from '../view/execute-blocks.js'
import { executionWitness } from '../view/execution-witness.js'
import { blocksWithoutNodes } from '../view/find-nodes.js'
import { intermediateRoots, storageInBlock } from '../view/inside-block.js'
import { listAccounts, listSlots } from '../view/list-state.js'
import { nodeBuffers } from '../view/new-nodes.js'
import { filterFrames, replayTransactions, traceBlockFrames } from '../view/parity-traces.js'
import { pendingRoot } from '../view/pending-root.js'
import { replayBlocks } from '../view/replay-blocks.js'
import { runCallGroup } from '../view/run-call-group.js'
import { type EvmInput, runEvm } from '../view/run-evm.js'
import { simulateOn } from '../view/simulate.js'
import { trace } from '../view/trace.js'
import { traceRange } from '../view/trace-range.js'
import { decodeUploadedBlock } from '../view/uploaded-block.js'
import { verifyRoots } from '../view/verify-roots.js'
import type { View, ViewDescriptor } from '../view/view.js'

interface Task<Input, Output> {
  readonly run: (view: View, input: Input, signal: TaskSignal) => Output | Promise<Output>
  /** Buffers of the output that are moved to the main thread. Everything else is copied. */
  readonly buffersOf?: (output: Output) => ArrayBuffer[]
}

function task<Input, Output>(
  run: Task<Input, Output>['run'],
  buffersOf?: (output: Output) => ArrayBuffer[],
): Task<Input, Output> {
  return { run, ...(buffersOf && { buffersOf }) }
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

function bufferOf({ buffer }: Uint8Array | Uint32Array): ArrayBuffer[] {
  return [buffer as ArrayBuffer]
}

/** Every task by name. */
export const tasks = {
  /** Runs a method of the EVM, which the input names. */
  evm: task((view, input: EvmInput, signal) => runEvm(view, input, signal)),
  /** Runs calls at one block. */
  callGroup: task(runCallGroup),
  /** Traces a call, a transaction or a block. */
  trace: task(trace, bufferOf),
  /** Decodes the header of a block that a caller sends, and looks at the rest. */
  uploadedHeader: task((_view, rlp: Uint8Array) => decodeUploadedBlock(rlp).header),
  /** Traces blocks in a row. */
  traceRange: task(traceRange, ({ hashes, json, ends }) => [hashes, json, ends].flatMap(bufferOf)),
  /** Traces a block for trace_block. */
  traceBlockFrames: task(traceBlockFrames, bufferOf),
  /** Replays a block for trace_replayBlockTransactions. */
  replayTransactions: task(replayTransactions, bufferOf),
  /** Searches the traces of a range for trace_filter. */
  filterFrames: task(filterFrames, bufferOf),
  /** Computes the roots after each transaction of a block. */
  intermediateRoots: task(intermediateRoots),
  /** Collects what the execution of a block needs of the state before it. */
  executionWitness: task(executionWitness, ({ codes, nodes }) => [codes, nodes].flatMap(bufferOf)),
  /** Lists slots of an account before a transaction of a block. */
  storageInBlock: task(storageInBlock),
  /** Simulates blocks of calls. */
  simulate: task(simulateOn, (simulation) =>
    'refusal' in simulation ? [] : simulation.blocks.map(({ calls }) => calls.buffer),
  ),
  /** Decodes arguments only to see whether they are valid. */
  checkArguments: task(async (_view, encoded: EncodedArguments<unknown>) => {
    await decodeInModule(encoded)
  }),
  /** Scans a piece of a log query. */
  scanPiece: task(({ db }, scan: RangeScan<LogForm>, signal) => scanRange(db, scan, signal), logBuffers),
  /** Builds a segment of an index of logs outside of the directory. */
  buildIndexSegment: task(({ db }, span: BlockSpan, signal) => buildSegment(db, span, signal), bufferOf),
  /** Writes a segment of an index of logs as a file; its number of bytes. */
  writeIndexSegment: task(({ db }, { path, ...span }: BlockSpan & { readonly path: string }, signal) => {
    const segment = buildSegment(db, span, signal)
    signal.throwIfAborted()
    writeOutput(path, segment)
    return segment.length
  }),
  /** Proves an account and slots. */
  prove: task(proveBlockState),
  /** Reads slots of accounts. */
  readSlots: task(readBlockSlots),
  /** Lists accounts of a state with code and storage. */
  dumpState: task(dumpState, bufferOf),
  /** Lists the accounts in which two states differ. */
  changedAccounts: task(changedAccounts),
  /** Searches blocks for a state of the hash scheme. */
  findState: task(findState),
  /** Lists accounts of a state. */
  listAccounts: task(listAccounts),
  /** Lists slots of an account. */
  listSlots: task(listSlots),
  /** Executes blocks on top of a state. */
  replay: task(replayBlocks),
  /** Executes blocks and compares the results with what is stored. */
  executeBlocks: task(executeBlocks, ({ nodes }) => (nodes ? nodeBuffers(nodes) : [])),
  /** Finds the blocks whose new trie nodes are not on disk. */
  blocksWithoutNodes: task(blocksWithoutNodes),
  /** Recovers senders of a block, which is in the view, as one array: to copy many short ones to another thread takes long. */
  recoverSenders: task(({ chain }, range: SenderRange) => chain.joinedSenders(range)),
  /** Searches blocks that are not indexed for a transaction. */
  searchTransaction: task(({ chain }, { hash, blocks }: TransactionSearch, signal) =>
    findBlockOfTransaction(chain, hash, blocks, signal),
  ),
  /** Compares records of blocks with the roots in their headers. */
  verifyRoots: task(verifyRoots),
  /** Computes the state root of the pending block. */
  pendingRoot: task(pendingRoot),
  /** Suggests a tip from the newest blocks. */
  suggestTip: task(({ chain }, _input: undefined) => suggestTip(chain)),
  /** Reads the fees of a range of blocks. */
  feeHistory: task(({ chain }, range: FeeHistoryRange, signal) => readFeeHistory(chain, range, signal)),
  /** Recovers the senders of the blocks that geth refused. */
  badBlockSenders: task(({ chain, db }, _input: undefined) =>
    readBadBlocks(db).map(({ block }) => chain.senders(block)),
  ),
  /** Reads the value of a key, unless it is longer than a limit. */
  databaseValue: task(({ db }, { key, limit }: ValueRead) => {
    const value = db.kv.get(key)
    return value && { length: value.length, bytes: value.length > limit ? undefined : Uint8Array.from(value) }
  }),
  /** Reads what the directory holds. */
  info: task(readInfo),
  /** Reads rows of a dataset as columns. */
  readBatch: task(readBatch, ({ batch }) => buffersOfColumns(batch?.columns ?? [])),
  /** Reads rows of a dataset as bytes of a stream. */
  encodeBatch: task(encodeBatch, ({ bytes }) => bufferOf(bytes)),
  /** Writes the files of a chunk of datasets. */
  exportChunk: task(exportChunk),
  /** Looks for the states that datasets need. */
  checkStates: task(checkStates),
  /** Makes the rows of a piece of a dataset. */
  scanRows: task(scanRows, ({ batches }) => buffersOfColumns(batches.flatMap(({ columns }) => columns))),
  /** Finds the blocks whose state can be read. */
  availableStates: task((view, _input: undefined) => availableStates(view)),
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
