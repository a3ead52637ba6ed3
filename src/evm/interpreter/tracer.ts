// What a tracer sees while a transaction runs, in the order of the hooks of geth's core/tracing. Every hook may be missing.
// Without a tracer none of it is created, and only a tracer with `beforeStep` makes the core stop at each opcode.
import type { StateReader } from '../../state/state-source.js'
import type { ForkRules } from '../../types/fork-rules.js'
import type { StoredLog } from '../../types/receipt.js'
import type { Machine } from '../core/machine.js'
import type { MessageContext } from '../message.js'
import type { StateOverlay } from '../overlay/state-overlay.js'
import type { Frame, FrameOutcome } from './frame.js'

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

/** A transaction whose changes are complete and not yet in the state of the block. */
export interface TracedChanges {
  readonly overlay: StateOverlay
  /** The state before the transaction. */
  readonly state: StateReader
}

/** The end of a transaction that was executed. */
export interface TracedEnd {
  readonly gasUsed: bigint
  /** The state after the transaction, without the accounts that it deleted. */
  readonly state: StateReader
}

/** What a tracer may look at while an opcode runs. */
export interface TracedExecution {
  readonly machine: Machine
  readonly overlay: StateOverlay
  readonly rules: ForkRules
  /** A copy of an operand as 32 big-endian bytes; 0 is the topmost. */
  operandBytes(index: number): Uint8Array
  operandBigInt(index: number): bigint
}

/** Sees one transaction. */
export interface Tracer {
  /** Before the checks of the message: nothing is charged yet. */
  start?(context: MessageContext): void
  /** A frame begins; each is followed by its {@link exit}. */
  enter?(frame: EnteredFrame): void
  /** The innermost frame has ended; `isReverted` if its changes were reverted. */
  exit?(outcome: FrameOutcome, isReverted: boolean): void
  /** A log of the innermost frame; `index` counts the logs of the transaction that are not reverted. */
  log?(log: StoredLog, index: number): void
  /**
   * An operation of the host is paid for and has not begun. Its operands are in the exchange area. Also an opcode that is not
   * defined yet in the fork and fails. `memorySize`: bytes of the frame's memory before CREATE or CREATE2 made it grow, else those
   * that it has.
   */
  operation?(execution: TracedExecution, frame: Frame, opcode: number, memorySize: number): void
  /** An opcode is next. Stack and memory are as before it, and nothing is charged for it. */
  beforeStep?(execution: TracedExecution, frame: Frame, opcode: number): void
  /** The opcode of the last {@link beforeStep} is paid for and has not begun, or failed before it began. */
  step?(step: PaidStep): void
  /** The transaction was executed and paid for, unless a check of its message refused it. */
  beforeCommit?(changes: TracedChanges): void
  /** After the transaction, unless a check of its message refused it. */
  end?(end: TracedEnd): void
}

/** The price of an opcode. */
export interface PaidStep {
  readonly cost: bigint
  /** Gas to be refunded so far. */
  readonly refund: number
  /** Why the opcode does not begin. */
  readonly error: Error | undefined
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
