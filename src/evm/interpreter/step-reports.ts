// Reports each opcode to a tracer of steps: before it runs, when it is paid for, and why it does not begin.
import { bytesToBigInt } from '../../bytes.js'
import * as status from '../core/assembly/status.js'
import type { Frame } from './frame.js'
import { frameFailure } from './frame-failure.js'
import { type PendingStep, stepCost } from './step-cost.js'
import type { TracedExecution, Tracer } from './tracer.js'

export class StepReports {
  readonly #execution: TracedExecution
  readonly #tracer: Tracer
  /** The opcode that runs alone and is not known to be paid for. */
  #pending: PendingStep | undefined

  constructor(execution: TracedExecution, tracer: Tracer) {
    this.#execution = execution
    this.#tracer = tracer
  }

  /** An opcode is next. */
  begin(frame: Frame): void {
    const { machine } = this.#execution
    const { header } = frame
    const opcode = machine.codeByte(header, machine.pc(header))
    this.#pending = { opcode, gas: machine.gas(header), memorySize: machine.memorySize(header) }
    this.#tracer.beforeStep?.(this.#execution, frame, opcode)
  }

  /** The opcode is paid for. Does nothing if that was said before. */
  paid(frame: Frame): void {
    if (this.#pending === undefined) return
    const { gas } = this.#pending
    this.#pending = undefined
    const { machine, overlay } = this.#execution
    this.#tracer.step?.({ cost: gas - machine.gas(frame.header), refund: overlay.refund, error: undefined })
  }

  /** The opcode does not begin. Does nothing if it is paid for. */
  unpaid(frame: Frame, error: Error, operand: (index: number) => bigint): void {
    if (this.#pending === undefined) return
    const cost = stepCost(this.#execution, frame, { ...this.#pending, operand, error })
    this.#pending = undefined
    this.#tracer.step?.({ cost, refund: this.#execution.overlay.refund, error })
  }

  /** The opcode ended its frame with a status of the core. */
  ended(frame: Frame, stopped: number): void {
    if (this.#pending === undefined) return
    if (beginsThenFails.has(stopped)) {
      this.paid(frame)
      return
    }
    const { machine } = this.#execution
    const operand = (index: number) => bytesToBigInt(machine.stackWord(frame.header, index))
    this.unpaid(frame, frameFailure(machine, frame.header, stopped), operand)
  }
}

/** How an opcode that was paid for ends its frame. */
const beginsThenFails: ReadonlySet<number> = new Set([
  status.STOP,
  status.RETURN,
  status.REVERT,
  status.INVALID_JUMP,
  status.INVALID_OPCODE,
])
