// Runs a call over open handles: gives the engine its state and the chain's hashes.
import type { CallRequest, CallResult } from '../evm/engine.js'
import { loadEngine } from '../evm/load-engine.js'
import type { ChainHandles } from './chain-handles.js'

/** Throws what the engine throws, and STATE_UNAVAILABLE where the state is not on disk. */
export async function runCall({ chain, states }: ChainHandles, request: CallRequest): Promise<CallResult> {
  const { header } = request
  return (await loadEngine()).call(request, {
    config: chain.config,
    state: states.stateAt(header.stateRoot),
    blockHash: (number) => chain.canonicalHash(number),
  })
}
