// Runs calls and estimations on a view: gives the engine its state and the chain's hashes.
import { suggestTip } from '../chain/suggested-tip.js'
import { createAccessList } from '../evm/access-list/create-access-list.js'
import { builtinEngine, runCall } from '../evm/call.js'
import type { AccessListContext, CallRequest, EvmEngine } from '../evm/engine.js'
import { estimateGas } from '../evm/estimate-gas.js'
import { withLibraries } from '../evm/evm-thread.js'
import { fillTransaction } from '../evm/fill-transaction.js'
import { onceFor, onceForLast } from '../once-for.js'
import type { TaskSignal } from '../stop.js'
import type { Header } from '../types/header.js'
import { type DecodedCall, decodeInModule, type EncodedArguments } from './encoded-arguments.js'
import { onStateOf } from './nearest-states.js'
import type { View } from './view.js'

/**
 * Methods of the EVM, each a function from a request to its answer. They run on the built-in engine, calls alone also on the
 * other one. `ChainView.runEvm` runs whatever is added here.
 */
const methods = { call: runCall, estimateGas, createAccessList, fillTransaction }

export type EvmMethod = keyof typeof methods
export type EvmRequest<N extends EvmMethod> = Parameters<(typeof methods)[N]>[0]
export type EvmAnswer<N extends EvmMethod> = ReturnType<(typeof methods)[N]>

/** A request with arguments that a worker decodes. */
export type EncodedRequest = Omit<CallRequest, keyof DecodedCall> & {
  readonly encoded: EncodedArguments<DecodedCall>
}

/** A method with its request. */
export interface EvmInput<N extends EvmMethod = EvmMethod> {
  readonly name: N
  readonly request: EvmRequest<N> | EncodedRequest
}

/**
 * Runs a method at once, on the built-in engine. Throws what that throws, STATE_UNAVAILABLE if the state is not on disk,
 * and NotLoadedError if a precompile needs a library that this thread has not loaded.
 */
export function runEvmNow<N extends EvmMethod>(
  view: View,
  { name, request }: { readonly name: N; readonly request: EvmRequest<N> },
  signal: TaskSignal,
): EvmAnswer<N> {
  const run = methods[name] as (
    request: CallRequest,
    context: AccessListContext,
    signal: TaskSignal,
  ) => EvmAnswer<N>
  const { header } = request
  return onStateOf(view, header, () => run(request, engineContext(view)(header), signal))
}

/** As {@link runEvmNow}, with libraries loaded as they are needed, and calls on the engine of the view. */
export async function runEvm<N extends EvmMethod>(
  view: View,
  { name, request }: EvmInput<N>,
  signal: TaskSignal,
): Promise<EvmAnswer<N>> {
  const decoded = 'encoded' in request ? await decodeInModule(request.encoded) : undefined
  const whole = (decoded ? { ...request, ...decoded } : request) as EvmRequest<N>
  if (name !== 'call') return withLibraries(() => runEvmNow(view, { name, request: whole }, signal))
  const { header } = whole
  const engine = view.evm === 'builtin' ? builtinEngine : await loadEthereumjs()
  const answer = onStateOf(view, header, () => engine.call(whole, engineContext(view)(header), signal))
  return (await answer) as EvmAnswer<N>
}

/** The other engine is loaded when it is first used, as that takes a quarter of a second (2026-11-22). */
async function loadEthereumjs(): Promise<EvmEngine> {
  const { ethereumjsEngine } = await import('../evm/ethereumjs/engine.js')
  return ethereumjsEngine
}

/** What all calls on a block of a view read. */
const engineContext = onceFor(({ chain, states }: View) =>
  onceForLast(
    (header: Header): AccessListContext => ({
      config: chain.config,
      state: states.stateAt(header.stateRoot),
      blockHash: (number) => chain.canonicalHash(number),
      suggestTip: () => suggestTip(chain),
    }),
  ),
)
