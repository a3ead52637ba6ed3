// Worker entry: one exported function for every task. Runs in a thread of its own, opens the views that tasks name and
// keeps the last of them open. Nothing below knows about threads.
import { Piscina, workerData } from 'piscina'
import { errorToPlain } from '../errors.js'
import { logBuffers } from '../logs/log-forms.js'
import { scanRange } from '../logs/scan-range.js'
import { proveState } from '../state/state-proof.js'
import { CacheTotals } from './cache-totals.js'
import { type ChainDescriptor, type ChainHandles, openFromDescriptor } from './chain-handles.js'
import { listAccounts as stateAccounts, listSlots as stateSlots } from './list-state.js'
import { lowerPriority } from './lower-priority.js'
import { replayBlocks } from './replay-blocks.js'
import { runCallGroup } from './run-call-group.js'
import { type EvmRequest, type EvmTask, runEvm } from './run-evm.js'
import type { EvmInput, TaskMessage, Tasks } from './tasks.js'
import type { Outcome } from './worker-pool.js'

/** Scans one piece of a log query; what is found moves to the caller. */
export async function scanLogs({ input, stop }: TaskMessage<'scanLogs'>): Promise<unknown> {
  const outcome = await attempt(input.chain, (handles) => scanRange(handles.db, { ...input.scan, stop }))
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

/** Runs calls at one block. */
export async function callGroup({
  input: { chain, ...group },
  stop,
}: TaskMessage<'callGroup'>): Promise<Outcome<Tasks['callGroup']['output']>> {
  return attempt(chain, (handles) => runCallGroup(handles, group, stop))
}

function evmTask<N extends EvmTask>(
  name: N,
): (message: TaskMessage<N>) => Promise<Outcome<Tasks[N]['output']>> {
  return ({ input, stop }) => {
    const { chain, request, engine } = input as EvmInput<N>
    const stoppable = { ...request, stop } as EvmRequest<N>
    return attempt(chain, (handles) => runEvm(handles, name, { request: stoppable, engine }))
  }
}

/** Proves an account and slots. */
export async function prove({
  input: { chain, root, address, slots },
}: TaskMessage<'prove'>): Promise<Outcome<Tasks['prove']['output']>> {
  return attempt(chain, ({ states }) => proveState(states.triesAt(root), address, slots))
}

/** Lists accounts of a state. */
export async function listAccounts({
  input: { chain, piece },
}: TaskMessage<'listAccounts'>): Promise<Outcome<Tasks['listAccounts']['output']>> {
  return attempt(chain, (handles) => stateAccounts(handles, piece))
}

/** Lists slots of an account. */
export async function listSlots({
  input: { chain, piece, owner },
}: TaskMessage<'listSlots'>): Promise<Outcome<Tasks['listSlots']['output']>> {
  return attempt(chain, (handles) => stateSlots(handles, piece, owner))
}

/** Executes blocks. */
export async function replay({
  input: { chain, range },
  stop,
}: TaskMessage<'replay'>): Promise<Outcome<Tasks['replay']['output']>> {
  return attempt(chain, (handles) => replayBlocks(handles, { ...range, stop }))
}

/** Recovers the senders of a whole block. */
export async function recoverSenders({
  input,
}: TaskMessage<'recoverSenders'>): Promise<Outcome<Uint8Array[]>> {
  return attempt(input.chain, ({ chain }) => chain.senders(chain.block({ hash: input.blockHash })!))
}

lowerPriority()

const totals = CacheTotals.ofWorker(workerData)

/** The view the last task read from. Tasks run one at a time, so it is never closed under another. */
let current: { id: string; handles: ChainHandles } | undefined

async function handlesOf(descriptor: ChainDescriptor): Promise<ChainHandles> {
  if (current?.id === descriptor.id) {
    // What was replayed since is all that can be new in the same view.
    current.handles.states.adopt(descriptor.states.replayed ?? [])
    return current.handles
  }
  const previous = current
  current = undefined
  // The new view is opened first: it takes over the tables, the logs and the cached blocks of the old one.
  try {
    const handles = await openFromDescriptor(descriptor, previous?.handles.stateCache)
    current = { id: descriptor.id, handles }
    return handles
  } finally {
    await previous?.handles.close()
  }
}

async function attempt<T>(
  descriptor: ChainDescriptor,
  work: (handles: ChainHandles) => T | Promise<T>,
): Promise<Outcome<T>> {
  return settle(async () => {
    const handles = await handlesOf(descriptor)
    try {
      return await work(handles)
    } finally {
      totals.add(handles)
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
