// What a tracer is told while a transaction runs, in the order of the tracing hooks of core/vm. Without a tracer nothing
// of it is made.
import type { StoredLog } from '../../types/receipt.js'
import type { FrameOutcome } from './frame.js'

/** A frame, a precompile, or a call that needed neither, at its begin. */
export interface EnteredFrame {
  /** What opened it: CALL or CREATE for the first one. */
  readonly opcode: number
  readonly from: Uint8Array
  /** Whose code runs, or the address of a new contract. */
  readonly to: Uint8Array
  /** A copy. */
  readonly input: Uint8Array
  readonly gas: bigint
  /** Undefined where no value can be given (STATICCALL). */
  readonly value: bigint | undefined
}

/** Sees the frames of a transaction; each {@link enter} is followed by its {@link exit}. */
export interface FrameTracer {
  enter(frame: EnteredFrame): void
  /** The innermost frame has ended; `isReverted` where its changes were taken back. */
  exit(outcome: FrameOutcome, isReverted: boolean): void
  /** A log of the innermost frame; `index` counts those of the transaction that are not taken back. */
  log(log: StoredLog, index: number): void
}

/** Opcodes by which frames are opened and ended, as tracers are told them. */
export const frameOpcodes = {
  create: 0xf0,
  call: 0xf1,
  callCode: 0xf2,
  delegateCall: 0xf4,
  create2: 0xf5,
  staticCall: 0xfa,
  selfDestruct: 0xff,
} as const
