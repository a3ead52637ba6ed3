// Simulations on a view.
import { GethReaderError } from '../errors.js'
import type { BlockState } from '../evm/block/block-state.js'
import { onEvmThread, withLibraries } from '../evm/evm-thread.js'
import { type Simulation, type SimulationRequest, simulate } from '../evm/simulate/simulate.js'
import { refusedSize } from '../evm/simulate/simulated-chain.js'
import { commitChanges } from '../state/commit-changes.js'
import type { TrieValues } from '../state/trie-values.js'
import type { TaskSignal } from '../stop.js'
import { zeroSlot } from '../types/account.js'
import { decodeInModule, type EncodedArguments } from './encoded-arguments.js'
import { onStateOf } from './nearest-states.js'
import type { View } from './view.js'

/** What a worker decodes of a simulation. */
export type DecodedSimulation = Pick<SimulationRequest, 'blocks' | 'traceTransfers' | 'validation'>

/** A simulation with arguments that a worker decodes. */
type EncodedSimulation = Omit<SimulationRequest, keyof DecodedSimulation> & {
  readonly encoded: EncodedArguments<DecodedSimulation>
}

/**
 * Simulates blocks on the state after a block. On a state from state history, which has no tries, state roots are zeros, as in
 * geth. Throws STATE_UNAVAILABLE, and as simulate of evm/.
 */
export async function simulateOn(
  view: View,
  input: SimulationRequest | EncodedSimulation,
  signal: TaskSignal,
): Promise<Simulation> {
  if (!('encoded' in input)) return simulateDecoded(view, input, signal)
  const decoded = await decodeInModule(input.encoded)
  return refusedSize(decoded.blocks) ?? simulateDecoded(view, { ...input, ...decoded }, signal)
}

function simulateDecoded(view: View, request: SimulationRequest, signal: TaskSignal): Promise<Simulation> {
  const { chain, states } = view
  const { header } = request
  return onStateOf(view, header, () =>
    withLibraries(() =>
      onEvmThread((thread) => {
        const context = {
          config: chain.config,
          state: states.stateAt(header.stateRoot),
          blockHash: (number: number) => chain.canonicalHash(number),
        }
        const tries = triesOf(view, header.stateRoot)
        const rootOf = (state: BlockState) =>
          tries === undefined ? zeroSlot : commitChanges(tries, state.changes(), () => {})
        return simulate(request, { context, thread, signal, rootOf })
      }),
    ),
  )
}

/** Undefined if only values of the state are on disk. */
function triesOf({ states }: View, root: Uint8Array): TrieValues | undefined {
  try {
    return states.triesAt(root)
  } catch (error) {
    if (error instanceof GethReaderError && error.code === 'STATE_UNAVAILABLE') return undefined
    throw error
  }
}
