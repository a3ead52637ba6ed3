// Runs calls and their kin for one view: here where they are over soon, else in workers.
import type { Abortable, Awaitable } from '../awaitable.js'
import type { HashedHeader } from '../chain/block.js'
import { GethReaderError } from '../errors.js'
import type {
  AccessListResult,
  BlockOverrides,
  CallArguments,
  CallResult,
  CallTrace,
  StateOverrides,
  TraceOptions,
} from '../evm/engine.js'
import { NotLoadedError } from '../evm/precompiles/precompile.js'
import type { DecodedCall, EncodedCall } from '../view/encoded-call.js'
import { withBlockOfState } from '../view/nearest-states.js'
import { type EvmAnswer, type EvmRequest, type EvmTask, runEvmNow } from '../view/run-evm.js'
import type { View } from '../view/view.js'
import { type CallAnswer, runCallGroups } from '../workers/call-groups.js'
import type { Tasks } from '../workers/tasks.js'
import type { WorkerPool } from '../workers/worker-pool.js'

/** One call on top of a block's state. */
export interface ViewCall {
  readonly call: CallArguments
  readonly block: HashedHeader
  readonly stateOverrides?: StateOverrides
  readonly blockOverrides?: BlockOverrides
  /** Upper bound of gas for the call. */
  readonly gasCap: bigint
  /** 0 for none. */
  readonly timeoutMilliseconds: number
}

/** As {@link ViewCall}, with arguments that a worker decodes. */
export interface EncodedViewCall extends Omit<ViewCall, keyof DecodedCall> {
  readonly encoded: EncodedCall
}

/** One call to be traced. */
export interface ViewTrace extends ViewCall, TraceOptions {}

/**
 * Time that a call, an estimation or a trace may take in this thread. A view call takes 10 to 50 µs and a hop to a
 * worker 100 to 300, so most calls are answered several times sooner here; the time of a longer one is lost
 * (bench/reads.ts, 2026-11-21).
 */
const evmMillisecondsHere = 1

/** What a runner works with. */
export interface CallRunnerParts {
  readonly view: View
  readonly pool: WorkerPool
  /** Who asks: callers take turns at the workers. */
  readonly caller: object | undefined
}

/** The EVM of one view, which it must not outlive. */
export class CallRunner {
  readonly #view: View
  readonly #pool: WorkerPool
  readonly #caller: object | undefined

  constructor({ view, pool, caller }: CallRunnerParts) {
    this.#view = view
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
  calls(calls: readonly ViewCall[], signal?: AbortSignal): AsyncIterable<CallAnswer> {
    const [first] = calls
    if (first === undefined) return noCalls()
    const group = {
      chain: this.#view.descriptor,
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
    const input = { chain: this.#view.descriptor, encoded }
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
      throw withBlockOfState(error, call.block.header.number, this.#view)
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
    const input = { chain: this.#view.descriptor, request, encoded }
    const options = { signal, lane: { caller: this.#caller } }
    try {
      return (await this.#pool.run(name, input as unknown as Tasks[N]['input'], options)) as EvmAnswer<N>
    } catch (error) {
      throw withBlockOfState(error, header.number, this.#view)
    }
  }

  /** Undefined where it takes too long for this thread, which also loads no libraries: what needs them takes longer. */
  #runEvmHere<N extends EvmTask>(name: N, call: ViewCall): { readonly value: EvmAnswer<N> } | undefined {
    if (name === 'call' && this.#view.evm !== 'builtin') return undefined
    // With the block besides, which no engine looks at: leaving a member out of a copy takes 2 µs (2026-11-21).
    const request = { ...call, header: call.block.header, attemptMilliseconds: evmMillisecondsHere }
    try {
      return { value: runEvmNow(this.#view, name, request as EvmRequest<N>) }
    } catch (error) {
      if (error instanceof NotLoadedError) return undefined
      if (error instanceof GethReaderError && error.code === 'DEADLINE_EXCEEDED') return undefined
      throw error
    }
  }
}

async function* noCalls(): AsyncGenerator<CallAnswer, void, undefined> {}
