// Runs methods of the EVM for one view: on this thread if they end soon, else in workers.
import type { Abortable, Awaitable } from '../awaitable.js'
import type { HashedHeader } from '../chain/block.js'
import { GethReaderError } from '../errors.js'
import { NotLoadedError } from '../evm/precompiles/precompile.js'
import { TaskSignal } from '../stop.js'
import type { DecodedCall, EncodedCall } from '../view/encoded-call.js'
import { withBlockOfState } from '../view/nearest-states.js'
import { type EvmAnswer, type EvmMethod, type EvmRequest, runEvmNow } from '../view/run-evm.js'
import type { View } from '../view/view.js'
import { type CallAnswer, runCallGroups } from '../workers/call-groups.js'
import type { TaskInput } from '../workers/tasks.js'
import type { WorkerPool } from '../workers/worker-pool.js'

/** A request to a method of the EVM, on the state after a block. */
export type ViewRequest<N extends EvmMethod> = Omit<EvmRequest<N>, 'header'> & {
  readonly block: HashedHeader
}

/** One call on the state after a block. */
export type ViewCall = ViewRequest<'call'>

/** As {@link ViewCall}, with arguments that a worker decodes. */
export type EncodedViewCall = Omit<ViewCall, keyof DecodedCall> & { readonly encoded: EncodedCall }

/**
 * Time that a method of the EVM may take on this thread. A view call takes 10 to 50 µs and a hop to a worker 100 to 300, so
 * most calls are answered several times sooner on this thread; the time of a longer one is lost (bench/reads.ts, 2026-11-21).
 */
const mainThreadMilliseconds = 1

/** The view on which work is done, the workers that help, and who asks: callers take turns at the workers. */
export interface WorkPlace {
  readonly view: View
  readonly pool: WorkerPool
  readonly caller: object | undefined
}

/**
 * Runs a method of the EVM: on this thread if it ends within {@link mainThreadMilliseconds}, else from its start in a worker.
 *
 * Throws STATE_UNAVAILABLE; CALL_REJECTED, CALL_FAILED, CALL_REVERTED, DEADLINE_EXCEEDED with geth's texts;
 * QUEUE_FULL, WORKER_FAILED; ABORTED.
 */
export function runEvmMethod<N extends EvmMethod>(
  place: WorkPlace,
  name: N,
  call: ViewRequest<N> | EncodedViewCall,
  waiter: Abortable = {},
): Awaitable<EvmAnswer<N>> {
  if ('encoded' in call) return runInWorker(place, name, call, waiter)
  try {
    const answer = runOnThisThread(place.view, name, call)
    if (answer !== undefined) return answer.value
  } catch (error) {
    throw withBlockOfState(error, call.block.header.number, place.view)
  }
  return runInWorker(place, name, call, waiter)
}

async function runInWorker<N extends EvmMethod>(
  { view, pool, caller }: WorkPlace,
  name: N,
  call: ViewRequest<N> | EncodedViewCall,
  { signal }: Abortable,
): Promise<EvmAnswer<N>> {
  const { block, encoded, ...rest } = { encoded: undefined, ...call }
  const { header } = block
  const input = { name, request: { ...rest, header }, encoded } as unknown as TaskInput<'evm'>
  try {
    const answer = await pool.run('evm', { view: view.descriptor, input }, { signal, lane: { caller } })
    return answer as EvmAnswer<N>
  } catch (error) {
    throw withBlockOfState(error, header.number, view)
  }
}

/** Undefined if it takes too long for this thread, which loads no libraries either: what needs them takes longer. */
function runOnThisThread<N extends EvmMethod>(
  view: View,
  name: N,
  call: ViewRequest<N>,
): { readonly value: EvmAnswer<N> } | undefined {
  if (name === 'call' && view.evm !== 'builtin') return undefined
  // The copy has the block too, which no engine reads: to leave a member out of a copy takes 2 µs (2026-11-21).
  const request = { ...call, header: call.block.header } as unknown as EvmRequest<N>
  try {
    return { value: runEvmNow(view, { name, request }, TaskSignal.timeout(mainThreadMilliseconds)) }
  } catch (error) {
    if (error instanceof NotLoadedError) return undefined
    if (error instanceof GethReaderError && error.code === 'DEADLINE_EXCEEDED') return undefined
    throw error
  }
}

/**
 * Runs calls that are all on the same block, in groups over all workers; yields answers as they come. Throws
 * STATE_UNAVAILABLE, QUEUE_FULL and ABORTED; how a call ends is in its answer.
 */
export function runCalls(
  { view, pool, caller }: WorkPlace,
  calls: readonly ViewCall[],
  signal?: AbortSignal,
): AsyncIterable<CallAnswer> {
  const [first] = calls
  if (first === undefined) return noCalls()
  const group = {
    view: view.descriptor,
    header: first.block.header,
    calls: calls.map(({ block: _, ...call }) => call),
  }
  return runCallGroups(pool, group, { signal, lane: { caller, query: group } })
}

async function* noCalls(): AsyncGenerator<CallAnswer, void, undefined> {}
