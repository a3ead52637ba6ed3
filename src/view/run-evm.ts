// Runs calls, estimations and traces on a view: gives the engine its state and the chain's hashes.
import { suggestTip } from '../chain/suggested-tip.js'
import { createAccessList } from '../evm/access-list/create-access-list.js'
import { builtinEngine, runCall } from '../evm/call.js'
import type { AccessListContext, CallRequest, EvmEngine } from '../evm/engine.js'
import { estimateGas } from '../evm/estimate-gas.js'
import { withLibraries } from '../evm/evm-thread.js'
import { traceCall } from '../evm/tracing/trace-call.js'
import { onceFor } from '../once-for.js'
import type { Header } from '../types/header.js'
import type { View } from './view.js'

/** What the built-in engine does, by the name of the task. */
const work = { call: runCall, estimateGas, createAccessList, traceCall }

/** Tasks for the EVM. */
export type EvmTask = keyof typeof work

/** What a task is asked. */
export type EvmRequest<N extends EvmTask> = Parameters<(typeof work)[N]>[0]

/** What a task answers. */
export type EvmAnswer<N extends EvmTask> = ReturnType<(typeof work)[N]>

/**
 * Runs a task at once, on the built-in engine. Throws what that throws, STATE_UNAVAILABLE if the state is not on disk,
 * and NotLoadedError if a precompile needs a library that this thread has not loaded.
 */
export function runEvmNow<N extends EvmTask>(view: View, name: N, request: EvmRequest<N>): EvmAnswer<N> {
  const run = work[name] as (request: CallRequest, context: AccessListContext) => EvmAnswer<N>
  return run(request, engineContext(view)(request.header))
}

/**
 * As {@link runEvmNow}, with libraries loaded as they are needed. Calls run on the engine of the view, everything else on
 * the built-in one.
 */
export async function runEvm<N extends EvmTask>(
  view: View,
  name: N,
  request: EvmRequest<N>,
): Promise<EvmAnswer<N>> {
  if (name !== 'call') return withLibraries(() => runEvmNow(view, name, request))
  const engine = view.evm === 'builtin' ? builtinEngine : await loadEthereumjs()
  return (await engine.call(request, engineContext(view)(request.header))) as EvmAnswer<N>
}

/** The other engine is loaded when it is first used, as that takes a quarter of a second (2026-11-22). */
async function loadEthereumjs(): Promise<EvmEngine> {
  const { ethereumjsEngine } = await import('../evm/ethereumjs/engine.js')
  return ethereumjsEngine
}

/** What all calls on a block of a view read. */
const engineContext = onceFor(({ chain, states }: View) =>
  onceFor(
    (header: Header): AccessListContext => ({
      config: chain.config,
      state: states.stateAt(header.stateRoot),
      blockHash: (number) => chain.canonicalHash(number),
      suggestTip: () => suggestTip(chain),
    }),
  ),
)
