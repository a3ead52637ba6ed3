// The state before a trace. In the hash scheme it is made by executing up to 128 blocks, as geth does. Follows
// eth/state_accessor.go.
import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
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

/** Throws STATE_UNAVAILABLE with geth's text if the state after a block is not on disk and cannot be made. */
export async function ensureTraceState(
  { view, pool, replays }: TraceStatePlace,
  base: Header,
): Promise<void> {
  if (view.states.layoutOf(base.stateRoot) !== undefined) return
  if (replays === undefined) throw unavailable(base, 'historical state is not available')
  const text = `required historical state unavailable (reexec=${mostReexecutedBlocks})`
  try {
    if (await replays.ensure({ view, pool }, bytesToHex(base.stateRoot), base.number)) return
  } catch (cause) {
    if (!(cause instanceof GethReaderError) || cause.code !== 'STATE_UNAVAILABLE') throw cause
    throw unavailable(base, text, cause)
  }
  throw unavailable(base, text)
}

/** Without the root, with which replay would look for it again. */
function unavailable({ number }: Header, message: string, cause?: unknown): GethReaderError {
  return new GethReaderError('STATE_UNAVAILABLE', message, { block: BigInt(number), cause })
}
