// Runs a call over open handles: gives the engine its state and the ancestors' hashes.
import { equalBytes } from '../bytes.js'
import type { Chain } from '../chain/chain.js'
import type { CallRequest, CallResult, EvmEngine } from '../evm/engine.js'
import type { Header } from '../types/header.js'
import type { ChainHandles } from './chain-handles.js'

/** Throws what the engine throws, and STATE_UNAVAILABLE where the state is not on disk. */
export async function runCall({ chain, states }: ChainHandles, request: CallRequest): Promise<CallResult> {
  const { header } = request
  return (await loadEngine()).call(request, {
    config: chain.config,
    state: states.stateAt(header.stateRoot),
    blockHash: ancestorHashes(chain, header),
  })
}

let engine: EvmEngine | undefined

/** The engine is loaded with the first call: it takes a quarter of a second. */
async function loadEngine(): Promise<EvmEngine> {
  engine ??= (await import('../evm/ethereumjs/engine.js')).createEthereumjsEngine()
  return engine
}

/**
 * Hashes that BLOCKHASH sees: the parent's always, those above it where the parent is canonical. As geth, which finds
 * ancestors among canonical headers only.
 */
function ancestorHashes(chain: Chain, header: Header): (number: number) => Uint8Array | undefined {
  const parent = header.number - 1
  const canonical = chain.canonicalHash(parent)
  const onCanonical = canonical !== undefined && equalBytes(canonical, header.parentHash)
  return (number) => {
    if (number === parent) return header.parentHash
    return onCanonical && number < parent ? chain.canonicalHash(number) : undefined
  }
}
