// What the main thread knows of the tasks of tasks.ts, and how much of a task it does itself, before a worker is asked: what takes a
// millisecond or two at most. To pass work to a worker takes 0.1 to 0.3 ms (2026-11-21), and reads of others wait while the main thread works.
import type { Attempt } from '../awaitable.js'
import type { SenderRange } from '../chain/chain.js'
import { GethReaderError } from '../errors.js'
import { NotLoadedError } from '../evm/precompiles/precompile.js'
import { recoveryLanes } from '../kernel/secp256k1/public-key.js'
import type { LogForm } from '../logs/log-forms.js'
import type { LogSource } from '../logs/plan.js'
import { type RangeResult, type RangeScan, scanRange } from '../logs/scan-range.js'
import type { StateProof } from '../state/state-proof.js'
import { TaskSignal } from '../stop.js'
import { type BlockProof, type BlockSlots, proveBlockState, readBlockSlots } from '../view/block-state.js'
import type { EncodedArguments } from '../view/encoded-arguments.js'
import { type EvmAnswer, type EvmInput, type EvmMethod, runEvmNow } from '../view/run-evm.js'
import type { View } from '../view/view.js'
import type { TaskInput, TaskName, TaskOutput } from './tasks.js'

/** Time for a method of the EVM. A view call takes 10 to 50 µs; the time of a longer one is lost (bench/reads.ts, 2026-11-21). */
const evmMilliseconds = 1

/**
 * Work of a log scan, in bytes: one or two milliseconds. That is all of a short query. Of a long one it shows how heavy its
 * blocks are, so that each worker gets its share of the rest at once.
 */
const scanBytes = 512 * 1024

/** Blocks up to which a scan is begun. An index is searched as a whole, however much it finds. */
const scanBlocks: Readonly<Record<LogSource, number>> = {
  ownIndex: 65_536,
  filterMaps: 65_536,
  bloomBits: 65_536,
  headerBlooms: Number.POSITIVE_INFINITY,
  receipts: 8,
}

/** Values of a filter up to which each of them is cheap to look for. */
const scanValues = 8

/** Slots that are proved, or read, in about a millisecond. */
const mostSlots = 16

/** Transactions whose senders are recovered in about a millisecond, one at a time. */
const recoveredSenders = 20

/**
 * The answer of a method if it is there soon. Undefined if it takes long, if the arguments do, and if a
 * library must be loaded, which takes longer too.
 */
function attemptEvm(view: View, { name, request }: EvmInput): Attempt<EvmAnswer<EvmMethod>> {
  if ('encoded' in request || (name === 'call' && view.evm !== 'builtin')) return undefined
  try {
    return { value: runEvmNow(view, { name, request }, TaskSignal.timeout(evmMilliseconds)) }
  } catch (error) {
    if (error instanceof NotLoadedError) return undefined
    if (error instanceof GethReaderError && error.code === 'DEADLINE_EXCEEDED') return undefined
    throw error
  }
}

/** The first part of a scan, whose rest is in the result. */
function attemptScan<F extends LogForm>(
  { db }: View,
  { filter, form, source, from, to, order, limit }: RangeScan<F>,
  deadline: number | undefined,
): Attempt<RangeResult<F>> {
  const values = filter.topics.reduce((sum, group) => sum + group.length, filter.addresses.length)
  if (to - from >= scanBlocks[source] || values > scanValues) return undefined
  // Every member by name: to spread the scan takes several times as long as all the rest of this function.
  const bounds = { limit, maxBytes: Number.POSITIVE_INFINITY, maxWork: scanBytes }
  const scan = { filter, form, source, from, to, order, ...bounds }
  return { value: scanRange(db, scan, TaskSignal.of({ deadline })) }
}

/** All of a short proof. */
function attemptProof(view: View, proof: BlockProof): Attempt<StateProof> {
  return proof.slots.length > mostSlots ? undefined : { value: proveBlockState(view, proof) }
}

/** A few slots. */
function attemptSlots(view: View, input: BlockSlots): Attempt<Uint8Array[][]> {
  const count = input.accounts.reduce((sum, { slots }) => sum + slots.length, 0)
  return count > mostSlots ? undefined : { value: readBlockSlots(view, input) }
}

/** The senders of few transactions. */
function attemptSenders({ chain }: View, range: SenderRange): Attempt<Uint8Array> {
  const isShort = range.to - range.from <= recoveredSenders * recoveryLanes()
  return isShort ? { value: chain.joinedSenders(range) } : undefined
}

interface TaskFacts<Input, Output> {
  /** Tasks of one kind take turns among themselves. A call may take seconds, and reads do not wait for it. */
  readonly kind: TaskKind
  /** Does what is short on the main thread; undefined if a worker is to do it. Default: a worker does it. */
  readonly attempt?: (view: View, input: Input, deadline?: number) => Attempt<Output>
  /** Arguments in the input that a worker decodes. */
  readonly encodedIn?: (input: Input) => EncodedArguments<unknown> | undefined
}

export type TaskKind = 'call' | 'read'

const call = { kind: 'call' } as const
const read = { kind: 'read' } as const

const facts: { readonly [N in TaskName]: TaskFacts<TaskInput<N>, TaskOutput<N>> } = {
  evm: {
    ...call,
    attempt: attemptEvm,
    encodedIn: ({ request }) => ('encoded' in request ? request.encoded : undefined),
  },
  callGroup: call,
  trace: {
    ...call,
    encodedIn: (input) => ('call' in input && 'encoded' in input.call ? input.call.encoded : undefined),
  },
  uploadedHeader: call,
  traceRange: call,
  traceBlockFrames: call,
  replayTransactions: call,
  filterFrames: call,
  intermediateRoots: call,
  executionWitness: call,
  storageInBlock: call,
  simulate: { ...call, encodedIn: (input) => ('encoded' in input ? input.encoded : undefined) },
  checkArguments: { ...call, encodedIn: (encoded) => encoded },
  scanPiece: { ...read, attempt: attemptScan },
  buildIndexSegment: read,
  writeIndexSegment: read,
  prove: { ...read, attempt: attemptProof },
  readSlots: { ...read, attempt: attemptSlots },
  dumpState: call,
  changedAccounts: call,
  findState: call,
  listAccounts: read,
  listSlots: read,
  replay: read,
  executeBlocks: read,
  blocksWithoutNodes: read,
  recoverSenders: { ...read, attempt: attemptSenders },
  searchTransaction: read,
  verifyRoots: read,
  pendingRoot: read,
  suggestTip: read,
  feeHistory: call,
  badBlockSenders: read,
  databaseValue: read,
  info: read,
  readBatch: read,
  encodeBatch: read,
  exportChunk: read,
  checkStates: read,
  scanRows: read,
  availableStates: read,
}

export function kindOf(name: TaskName): TaskKind {
  return facts[name].kind
}

/** Arguments of more characters are large: to decode them takes up to ten times as many bytes. */
const largeArguments = 1 << 20

/** Whether a task takes tens of megabytes because of its arguments. */
export function isLargeTask<N extends TaskName>(name: N, input: TaskInput<N>): boolean {
  return (facts[name].encodedIn?.(input)?.length ?? 0) > largeArguments
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
  return facts[name].attempt?.(view, input, deadline)
}
