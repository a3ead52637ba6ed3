// One frame of a call: who runs in whose place, and what its end does to the frame that opened it.
import type { FrameStart } from '../core/machine.js'
import type { Checkpoint, OverlayAccount } from '../overlay/state-overlay.js'

export interface Frame extends FrameStart {
  /** 0 for the frame that the transaction opens. */
  readonly depth: number
  /** Address of its header in the machine, set when it is opened. */
  header: number
  /** Whose storage and balance it works on. */
  readonly account: OverlayAccount
  /** Nothing may be changed in it or below. */
  readonly isStatic: boolean
  /** Where its failure goes back to. */
  readonly checkpoint: Checkpoint
  /** Whether its output is the code of `account`. */
  readonly isCreation: boolean
  /** Where the opener wants the output in its memory. */
  readonly outputOffset: number
  readonly outputLength: number
  /** What the last frame or precompile that it called returned. */
  returnData: Uint8Array
}

/** How a frame ended. */
export interface FrameOutcome {
  readonly output: Uint8Array
  readonly gasLeft: bigint
  /** Absent on success; `executionReverted` after REVERT. */
  readonly error?: Error
}

/** What a host operation did: finished, opened a frame that is to be run first, or ended its own frame well. */
export type HostResult = 'done' | 'opened' | 'stopped'
