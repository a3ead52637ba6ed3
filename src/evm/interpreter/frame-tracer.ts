// What a tracer sees while a transaction runs, in the order of the tracing hooks of core/vm. Without a tracer none of it is
// created.
import type { StoredLog } from '../../types/receipt.js'
import type { FrameOutcome } from './frame.js'

/** The start of a frame, of a precompile, or of a call that needs neither. */
export interface EnteredFrame {
  /** The opcode that opened it: CALL or CREATE for the first one. */
  readonly opcode: number
  readonly from: Uint8Array
  /** The account whose code runs, or the address of a new contract. */
  readonly to: Uint8Array
  /** A copy. */
  readonly input: Uint8Array
  readonly gas: bigint
  /** Undefined if the opcode has no value (STATICCALL). */
  readonly value: bigint | undefined
}

/** Sees the frames of a transaction; each {@link enter} is followed by its {@link exit}. */
export interface FrameTracer {
  enter(frame: EnteredFrame): void
  /** The innermost frame has ended; `isReverted` if its changes were reverted. */
  exit(outcome: FrameOutcome, isReverted: boolean): void
  /** A log of the innermost frame; `index` counts the logs of the transaction that are not reverted. */
  log(log: StoredLog, index: number): void
}

/** Opcodes that open and end frames, as tracers see them. */
export const frameOpcodes = {
  create: 0xf0,
  call: 0xf1,
  callCode: 0xf2,
  delegateCall: 0xf4,
  create2: 0xf5,
  staticCall: 0xfa,
  selfDestruct: 0xff,
} as const
