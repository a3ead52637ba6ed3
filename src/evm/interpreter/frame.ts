// One frame of a call: its accounts, and what its end does to the frame that opened it.
import type { FrameStart } from '../core/machine.js'
import type { OverlayAccount } from '../overlay/overlay-account.js'
import type { Checkpoint } from '../overlay/state-overlay.js'

export interface Frame extends FrameStart {
  /** 0 for the frame that the transaction opens. */
  readonly depth: number
  /** Address of its header in the machine, set when it is opened. */
  header: number
  /** The account whose storage and balance it uses. */
  readonly account: OverlayAccount
  /** The frame and the frames that it opens must not change any state. */
  readonly isStatic: boolean
  /** The state to which its failure reverts. */
  readonly checkpoint: Checkpoint
  /** Whether its output is the code of `account`. */
  readonly isCreation: boolean
  /** The region of the opener's memory that receives the output. */
  readonly outputOffset: number
  readonly outputLength: number
  /** Output of the last frame or precompile that it called. */
  returnData: Uint8Array
}

/** How a frame ended. */
export interface FrameOutcome {
  readonly output: Uint8Array
  readonly gasLeft: bigint
  /** Absent on success; `executionReverted` after REVERT. */
  readonly error?: Error
}

/** Result of a host operation: done, opened a frame that must run first, or ended its own frame with success. */
export type HostResult = 'done' | 'opened' | 'stopped'
