// Worker entry: one exported function for every task. Runs in a thread of its own, opens the views that tasks name and
// keeps the last of them open. Nothing below knows about threads.
import { Piscina, workerData } from 'piscina'
import { findBlockOfTransaction } from '../chain/transaction-index.js'
import { errorToPlain } from '../errors.js'
import { logBuffers } from '../logs/log-forms.js'
import { scanRange } from '../logs/scan-range.js'
import { proveState } from '../state/state-proof.js'
import { beginTask, throwIfStopped } from '../stop.js'
import { availableStates as findStates } from '../view/available-states.js'
import { readInfo } from '../view/datadir-info.js'
import { decodeInModule } from '../view/encoded-call.js'
import { listAccounts as stateAccounts, listSlots as stateSlots } from '../view/list-state.js'
import { pendingRoot as rootOfPending } from '../view/pending-root.js'
import { replayBlocks } from '../view/replay-blocks.js'
import { runCallGroup } from '../view/run-call-group.js'
import { type EvmRequest, type EvmTask, runEvm } from '../view/run-evm.js'
import { openViewFromDescriptor, type View, type ViewDescriptor } from '../view/view.js'
import { CacheTotals } from './cache-totals.js'
import { lowerPriority } from './lower-priority.js'
import type { EvmInput, TaskMessage, TaskName, Tasks } from './tasks.js'
import type { Outcome } from './worker-pool.js'

/** Scans one piece of a log query; what is found moves to the caller. */
export async function scanPiece(task: TaskMessage<'scanPiece'>): Promise<unknown> {
  const { input, stop } = task
  const outcome = await attempt(task, (view) => scanRange(view.db, { ...input.scan, stop }))
  return 'value' in outcome ? moving(outcome, logBuffers(outcome.value)) : outcome
}

/** Runs one call. */
export const call = evmTask('call')
/** Estimates the gas of a call. */
export const estimateGas = evmTask('estimateGas')
/** Makes the access list of a call. */
export const createAccessList = evmTask('createAccessList')
/** Traces a call. */
export const traceCall = evmTask('traceCall')

/** Decodes the arguments of a call that is not run. */
export async function checkArguments(task: TaskMessage<'checkArguments'>): Promise<Outcome<undefined>> {
  return attempt(task, async () => {
    await decodeInModule(task.input.encoded)
  }) as Promise<Outcome<undefined>>
}

/** Runs calls at one block. */
export async function callGroup(
  task: TaskMessage<'callGroup'>,
): Promise<Outcome<Tasks['callGroup']['output']>> {
  const { input, stop } = task
  return attempt(task, (view) => runCallGroup(view, input, stop))
}

function evmTask<N extends EvmTask>(
  name: N,
): (message: TaskMessage<N>) => Promise<Outcome<Tasks[N]['output']>> {
  return (task) => {
    const { request, encoded } = task.input as EvmInput<N>
    return attempt(task, async (view) => {
      const decoded = encoded && (await decodeInModule(encoded))
      const stoppable = { ...request, ...decoded, stop: task.stop } as EvmRequest<N>
      return runEvm(view, name, stoppable)
    })
  }
}

/** Proves an account and slots. */
export async function prove(task: TaskMessage<'prove'>): Promise<Outcome<Tasks['prove']['output']>> {
  const { root, address, slots } = task.input
  const checkStop = () => throwIfStopped(task.stop)
  return attempt(task, ({ states }) => proveState(states.triesAt(root), { address, slots, checkStop }))
}

/** Lists accounts of a state. */
export async function listAccounts(
  task: TaskMessage<'listAccounts'>,
): Promise<Outcome<Tasks['listAccounts']['output']>> {
  const { input, stop } = task
  return attempt(task, (view) => stateAccounts(view, { ...input.piece, stop }))
}

/** Lists slots of an account. */
export async function listSlots(
  task: TaskMessage<'listSlots'>,
): Promise<Outcome<Tasks['listSlots']['output']>> {
  const { input, stop } = task
  return attempt(task, (view) => stateSlots(view, { ...input.piece, stop }, input.owner))
}

/** Executes blocks. */
export async function replay(task: TaskMessage<'replay'>): Promise<Outcome<Tasks['replay']['output']>> {
  const { input, stop } = task
  return attempt(task, (view) => replayBlocks(view, { ...input.range, stop }))
}

/** Recovers the senders of a whole block. */
export async function recoverSenders(task: TaskMessage<'recoverSenders'>): Promise<Outcome<Uint8Array[]>> {
  const { blockHash } = task.input
  return attempt(task, ({ chain }) => chain.senders(chain.block({ hash: blockHash })!))
}

/** Searches blocks that are not indexed for a transaction. */
export async function searchTransaction(
  task: TaskMessage<'searchTransaction'>,
): Promise<Outcome<number | undefined>> {
  const { input, stop } = task
  const checkStop = () => throwIfStopped(stop)
  return attempt(task, ({ chain }) =>
    findBlockOfTransaction(chain, input.hash, { ...input.blocks, checkStop }),
  )
}

/** Computes the state root of the pending block. */
export async function pendingRoot(task: TaskMessage<'pendingRoot'>): Promise<Outcome<Uint8Array>> {
  return attempt(task, (view) => rootOfPending(view, task.input.header, task.stop))
}

/** Finds out what the directory holds. */
export async function info(task: TaskMessage<'info'>): Promise<Outcome<Tasks['info']['output']>> {
  return attempt(task, (view) => readInfo(task.input.folders, view))
}

/** Finds the blocks whose state can be read. */
export async function availableStates(
  task: TaskMessage<'availableStates'>,
): Promise<Outcome<Tasks['availableStates']['output']>> {
  return attempt(task, findStates)
}

lowerPriority()

const totals = CacheTotals.ofWorker(workerData)

/** The view the last task read from. Tasks run one at a time, so it is never closed under another. */
let current: { id: string; view: View } | undefined

async function viewOf(descriptor: ViewDescriptor): Promise<View> {
  if (current?.id === descriptor.id) {
    // What was replayed since is all that can be new in the same view.
    current.view.states.adopt(descriptor.states.replayed ?? [])
    return current.view
  }
  const previous = current
  current = undefined
  // The new view is opened first: it takes over the tables, the logs and the cached blocks of the old one.
  try {
    const view = await openViewFromDescriptor(descriptor, previous?.view.stateCache)
    current = { id: descriptor.id, view }
    return view
  } finally {
    await previous?.view.close()
  }
}

async function attempt<T>(
  { input, stop }: TaskMessage<TaskName>,
  work: (view: View) => T | Promise<T>,
): Promise<Outcome<T>> {
  return settle(async () => {
    throwIfStopped(stop)
    const view = await viewOf(input.chain)
    beginTask(stop)
    try {
      return await work(view)
    } finally {
      totals.add(view)
    }
  })
}

async function settle<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error: errorToPlain(error) }
  }
}

/** Marks buffers of a result for transfer instead of copying. */
function moving(value: object, buffers: ArrayBuffer[]): unknown {
  return Piscina.move({
    get [Piscina.transferableSymbol]() {
      return buffers
    },
    get [Piscina.valueSymbol]() {
      return value
    },
  } as never)
}
