// The state before a trace. In the hash scheme it is made by executing up to 128 blocks, as geth does. Follows
// eth/state_accessor.go.
import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { rejectedArguments } from '../evm/call-errors.js'
import type { Header } from '../types/header.js'
import type { View } from '../view/view.js'
import type { WorkerPool } from '../workers/worker-pool.js'
import type { Replays } from './replay.js'

/** Blocks that geth executes for the state of a trace (its reexecLimit). */
export const mostReexecutedBlocks = 128

/** Where the state is wanted. */
interface TraceStatePlace {
  readonly view: View
  readonly pool: WorkerPool
  /** Makes states that are not on disk; undefined if that is off. */
  readonly replays: Replays | undefined
}

/** Throws CALL_REJECTED with geth's text if the state after a block is not on disk and cannot be made. */
export async function ensureTraceState(
  { view, pool, replays }: TraceStatePlace,
  base: Header,
): Promise<void> {
  if (view.states.layoutOf(base.stateRoot) !== undefined) return
  if (replays === undefined) throw rejectedArguments('historical state is not available')
  try {
    if (await replays.ensure({ view, pool }, bytesToHex(base.stateRoot), base.number)) return
  } catch (error) {
    if (!(error instanceof GethReaderError) || error.code !== 'STATE_UNAVAILABLE') throw error
  }
  throw rejectedArguments(`required historical state unavailable (reexec=${mostReexecutedBlocks})`)
}
