// Runs calls and their kin for one view: here where they are over soon, else in workers.
import type { Abortable, Awaitable } from '../awaitable.js'
import { GethReaderError } from '../errors.js'
import type { AccessListResult, CallResult, CallTrace } from '../evm/engine.js'
import { NotLoadedError } from '../evm/precompiles/precompile.js'
import type { ChainHandles } from '../view/chain-handles.js'
import type { EncodedCall } from '../view/encoded-call.js'
import { withBlockOfState } from '../view/nearest-states.js'
import { type EvmAnswer, type EvmRequest, type EvmTask, runEvmNow } from '../view/run-evm.js'
import { type FinishedCall, runCallGroups } from '../workers/call-groups.js'
import type { Tasks } from '../workers/tasks.js'
import type { WorkerPool } from '../workers/worker-pool.js'
import type { EncodedViewCall, ViewCall, ViewTrace } from './view-queries.js'

/**
 * Time that a call, an estimation or a trace may take in this thread. A view call takes 10 to 50 µs and a hop to a
 * worker 100 to 300, so most calls are answered several times sooner here; the time of a longer one is lost
 * (bench/reads.ts, 2026-11-21).
 */
const evmMillisecondsHere = 1

/** What a runner works with. */
export interface CallRunnerParts {
  readonly handles: ChainHandles
  readonly pool: WorkerPool
  /** Who asks: callers take turns at the workers. */
  readonly caller: object | undefined
}

/** The EVM of one view, which it must not outlive. */
export class CallRunner {
  readonly #handles: ChainHandles
  readonly #pool: WorkerPool
  readonly #caller: object | undefined

  constructor({ handles, pool, caller }: CallRunnerParts) {
    this.#handles = handles
    this.#pool = pool
    this.#caller = caller
  }

  /**
   * Runs a call: here where it is over within {@link evmMillisecondsHere}, else from its beginning in a worker.
   *
   * Throws STATE_UNAVAILABLE; CALL_REJECTED, CALL_FAILED, CALL_REVERTED, DEADLINE_EXCEEDED with geth's texts;
   * QUEUE_FULL, WORKER_FAILED; ABORTED.
   */
  call(call: ViewCall | EncodedViewCall, waiter?: Abortable): Awaitable<CallResult> {
    return this.#runEvm('call', call, waiter)
  }

  /**
   * Runs calls that are all on the same block, in groups over all workers; yields answers as they come. Throws
   * STATE_UNAVAILABLE, QUEUE_FULL and ABORTED; how a call ends is in its answer.
   */
  calls(calls: readonly ViewCall[], signal?: AbortSignal): AsyncIterable<FinishedCall> {
    const [first] = calls
    if (first === undefined) return noCalls()
    const group = {
      chain: this.#handles.descriptor,
      header: first.block.header,
      calls: calls.map(({ block: _, ...call }) => call),
    }
    return runCallGroups(this.#pool, group, { signal, lane: { caller: this.#caller, query: group } })
  }

  /** The gas that a call needs, as geth estimates it; the time limit is for all of its runs together. Throws as {@link call}. */
  estimateGas(call: ViewCall | EncodedViewCall, waiter?: Abortable): Awaitable<bigint> {
    return this.#runEvm('estimateGas', call, waiter)
  }

  /** What a call touches, and its gas with that as access list. A gas cap of 0 is none. Throws as {@link call}. */
  createAccessList(call: ViewCall | EncodedViewCall, waiter?: Abortable): Awaitable<AccessListResult> {
    return this.#runEvm('createAccessList', call, waiter)
  }

  /** The frames of a call, failed ones included. A gas cap of 0 is none. Throws as {@link call}, CALL_REJECTED only. */
  traceCall(call: ViewTrace, waiter?: Abortable): Awaitable<CallTrace> {
    return this.#runEvm('traceCall', call, waiter)
  }

  /** Throws what the decoder throws for arguments that are not valid. Runs nothing. */
  async checkArguments(encoded: EncodedCall, { signal }: Abortable = {}): Promise<void> {
    const input = { chain: this.#handles.descriptor, encoded }
    await this.#pool.run('checkArguments', input, { signal, lane: { caller: this.#caller } })
  }

  #runEvm<N extends EvmTask>(
    name: N,
    call: ViewCall | EncodedViewCall,
    waiter: Abortable = {},
  ): Awaitable<EvmAnswer<N>> {
    if ('encoded' in call) return this.#runEvmInWorker(name, call, waiter)
    try {
      const answer = this.#runEvmHere(name, call)
      if (answer !== undefined) return answer.value
    } catch (error) {
      throw withBlockOfState(error, call.block.header.number, this.#handles)
    }
    return this.#runEvmInWorker(name, call, waiter)
  }

  async #runEvmInWorker<N extends EvmTask>(
    name: N,
    call: ViewCall | EncodedViewCall,
    { signal }: Abortable,
  ): Promise<EvmAnswer<N>> {
    const { block, encoded, ...rest } = { encoded: undefined, ...call }
    const { header } = block
    const request = { ...rest, header }
    const input = { chain: this.#handles.descriptor, request, encoded }
    const options = { signal, lane: { caller: this.#caller } }
    try {
      return (await this.#pool.run(name, input as unknown as Tasks[N]['input'], options)) as EvmAnswer<N>
    } catch (error) {
      throw withBlockOfState(error, header.number, this.#handles)
    }
  }

  /** Undefined where it takes too long for this thread, which also loads no libraries: what needs them takes longer. */
  #runEvmHere<N extends EvmTask>(name: N, call: ViewCall): { readonly value: EvmAnswer<N> } | undefined {
    if (name === 'call' && this.#handles.evm !== 'builtin') return undefined
    // With the block besides, which no engine looks at: leaving a member out of a copy takes 2 µs (2026-11-21).
    const request = { ...call, header: call.block.header, attemptMilliseconds: evmMillisecondsHere }
    try {
      return { value: runEvmNow(this.#handles, name, request as EvmRequest<N>) }
    } catch (error) {
      if (error instanceof NotLoadedError) return undefined
      if (error instanceof GethReaderError && error.code === 'DEADLINE_EXCEEDED') return undefined
      throw error
    }
  }
}

async function* noCalls(): AsyncGenerator<FinishedCall, void, undefined> {}
