// Calls that a block makes by itself, around its transactions. Follows PreExecution and PostExecution of
// core/state_processor.go.

import { hexToBytes } from '../../bytes.js'
import { noBytes } from '../../constants.js'
import type { ChainConfig } from '../../types/chain-config.js'
import type { ForkRules } from '../../types/fork-rules.js'
import type { Header } from '../../types/header.js'
import type { BlockContext } from '../block-context.js'
import type { EvmThread } from '../evm-thread.js'
import type { FrameOutcome } from '../interpreter/frame.js'
import { runFrames } from '../interpreter/run-frames.js'
import type { Tracer } from '../interpreter/tracer.js'
import { type Message, systemAddress } from '../message.js'
import { StateOverlay } from '../overlay/state-overlay.js'
import { PrecompileSet } from '../precompiles/precompile-set.js'
import type { BlockState } from './block-state.js'

/** A block whose execution is under way. */
export interface BlockExecution {
  readonly config: ChainConfig
  readonly rules: ForkRules
  readonly block: BlockContext
  readonly state: BlockState
  readonly thread: EvmThread
  readonly checkTime: () => void
}

/** Beacon roots (EIP-4788), block hashes (EIP-2935), withdrawal (EIP-7002) and consolidation requests (EIP-7251). */
const beaconRoots = hexToBytes('000f3df6d732807ef1319fb7b8bb8522d0beac02')
const blockHashes = hexToBytes('0000f90827f1c53a10cb7a02335b175320002935')
const withdrawalRequests = hexToBytes('00000961ef480eb55e80d19ad83579a64c007002')
const consolidationRequests = hexToBytes('0000bbddc7ce488642fb579f8b00f3a590007251')

const systemGas = 30_000_000n

/** What is special about the system calls of a simulated block. */
interface SystemCallOptions {
  /** Default those of the fork. */
  readonly precompiles?: PrecompileSet
  readonly tracer?: Tracer
}

/** What happens before the first transaction. */
export function startBlock(
  execution: BlockExecution,
  header: Header,
  rules: ForkRules,
  options?: SystemCallOptions,
): void {
  const { parentBeaconBlockRoot: beaconRoot, parentHash } = header
  if (beaconRoot !== undefined) systemCall(execution, beaconRoots, beaconRoot, options)
  if (rules.prague) systemCall(execution, blockHashes, parentHash, options)
}

/** What leaves the queues of requests at the end of a block. */
export interface QueueOutcomes {
  readonly withdrawals: FrameOutcome
  readonly consolidations: FrameOutcome
}

/** What happens after the last transaction: requests leave their queues, from Prague on. */
export function endBlock(
  execution: BlockExecution,
  rules: ForkRules,
  options?: SystemCallOptions,
): QueueOutcomes | undefined {
  if (!rules.prague) return undefined
  return {
    withdrawals: systemCall(execution, withdrawalRequests, noBytes, options),
    consolidations: systemCall(execution, consolidationRequests, noBytes, options),
  }
}

/** A call without a payer. A failure changes no state; if the contract must not fail, the state root differs. */
function systemCall(
  execution: BlockExecution,
  to: Uint8Array,
  input: Uint8Array,
  { precompiles = new PrecompileSet(execution.rules), tracer }: SystemCallOptions = {},
): FrameOutcome {
  const { config, rules, block, state, thread, checkTime } = execution
  const overlay = new StateOverlay(state, thread.buffers)
  overlay.startAccessList(() => false)
  overlay.warmAddressBytes(to)
  const message: Message = {
    from: systemAddress,
    to,
    value: 0n,
    input,
    gasLimit: systemGas,
    gasPrice: 0n,
    feeCap: 0n,
    tipCap: 0n,
    accessList: undefined,
    blobFeeCap: undefined,
    blobHashes: undefined,
    authorizations: undefined,
    nonce: undefined,
    isSimulated: false,
  }
  const context = { config, rules, overlay, block, message, precompiles, checkTime }
  const outcome = runFrames(context, { gas: systemGas, thread }, tracer && { tracer })
  state.commit(overlay, true)
  return outcome
}
