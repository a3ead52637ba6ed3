// Why the core stopped a frame, with the error of core/vm/interpreter.go.
import { FrameError, memoryExhausted } from '../call-errors.js'
import { LARGEST_MEMORY } from '../core/assembly/limits.js'
import * as status from '../core/assembly/status.js'
import type { Machine } from '../core/machine.js'
import { opcodeName, stackBounds } from '../opcodes.js'
import { gasOverflow, gasOverflowInPrice, invalidJump, outOfGas } from './frame-errors.js'

/** The error of a status other than STOP, RETURN and REVERT. */
export function frameFailure(machine: Machine, header: number, stopped: number): FrameError {
  switch (stopped) {
    case status.OUT_OF_GAS:
    case status.UNAFFORDABLE:
      return outOfGas
    case status.GAS_OVERFLOW:
      return gasOverflow
    case status.MEMORY_GAS_OVERFLOW:
      return gasOverflowInPrice
    case status.INVALID_JUMP:
      return invalidJump
    case status.STACK_UNDERFLOW: {
      const { needed } = stackBounds(machine.codeByte(header, machine.pc(header)))
      return new FrameError(`stack underflow (${machine.stackDepth(header)} <=> ${needed})`)
    }
    case status.STACK_OVERFLOW: {
      const { allowed } = stackBounds(machine.codeByte(header, machine.pc(header)))
      return new FrameError(`stack limit reached ${machine.stackDepth(header)} (${allowed})`)
    }
    case status.MEMORY_EXHAUSTED:
      throw memoryExhausted(LARGEST_MEMORY)
    case status.INVALID_OPCODE:
      return new FrameError(`invalid opcode: ${opcodeName(machine.codeByte(header, machine.pc(header)))}`)
    default:
      throw new RangeError(`status: expected one that ends a frame, got ${stopped}`)
  }
}
