// Runs the frames of one transaction: the core runs the topmost frame, the host does the operations that the core asks for
// and ends frames as core/vm/evm.go does. Synchronous; checks the clock about every 50,000 gas.
import { noBytes } from '../../constants.js'
import type { ChainConfig } from '../../types/chain-config.js'
import type { ForkRules } from '../../types/fork-rules.js'
import type { BlockContext } from '../block-context.js'
import type { CheckTime } from '../call-clock.js'
import { FrameError } from '../call-errors.js'
import * as status from '../core/assembly/status.js'
import type { Machine } from '../core/machine.js'
import type { Message, MessageContext } from '../message.js'
import { opcodeTable } from '../opcodes.js'
import type { StateOverlay } from '../overlay/state-overlay.js'
import type { PrecompileHost } from '../precompiles/precompile.js'
import type { PrecompileSet } from '../precompiles/precompile-set.js'
import type { CodePlacer } from './code-placer.js'
import type { Frame, FrameOutcome, HostResult } from './frame.js'
import {
  codeStoreOutOfGas,
  executionReverted,
  gasOverflow,
  invalidCode,
  keepsState,
  outOfGas,
} from './frame-errors.js'
import { frameFailure } from './frame-failure.js'
import { StepReports } from './step-reports.js'
import type { Tracer } from './tracer.js'
import { loadConstants } from './transaction-constants.js'

/**
 * Does one opcode. Its operands are in the exchange area, and its result, if it has one, is there after it is done. Throws
 * FrameError if the frame fails.
 */
export type HostOperation = (execution: Execution, frame: Frame, opcode: number) => HostResult

/** What a thread reuses from one call to the next. */
export interface InterpreterThread {
  readonly machine: Machine
  readonly code: CodePlacer
}

/** What an execution works with in addition to the message. */
export interface ExecutionEnvironment extends InterpreterThread {
  /** What the core leaves to the host, by opcode; see host-operations.ts. */
  readonly hostOperations: readonly (HostOperation | undefined)[]
  readonly tracer: Tracer | undefined
  /** Called if a frame fails at an opcode that did not begin: too few operands, too little gas, or not defined. */
  readonly onFault: ((execution: Execution, frame: Frame) => void) | undefined
}

/** Largest code of a contract in bytes, from Spurious Dragon on (EIP-170). */
const maxCodeSize = 24_576
/** Largest initcode in bytes, from Shanghai on (EIP-3860). */
export const maxInitCodeSize = 2 * maxCodeSize
const createDataGas = 200
/** Host operations between two checks of the clock. */
const operationsPerLook = 32
/** Copying this many bytes counts as one operation: about 1 µs (2026-11-22). */
const bytesPerOperation = 16_384

export class Execution implements PrecompileHost {
  readonly machine: Machine
  readonly code: CodePlacer
  readonly config: ChainConfig
  readonly rules: ForkRules
  readonly block: BlockContext
  readonly message: Message
  readonly overlay: StateOverlay
  readonly precompiles: PrecompileSet
  readonly checkTime: CheckTime
  readonly tracer: Tracer | undefined
  readonly #hostOperations: readonly (HostOperation | undefined)[]
  readonly #onFault: ExecutionEnvironment['onFault']
  /** Undefined without a tracer of steps. */
  readonly #steps: StepReports | undefined
  readonly #frames: Frame[] = []
  #outcome: FrameOutcome | undefined
  #operationsUntilLook = operationsPerLook

  constructor(context: MessageContext, environment: ExecutionEnvironment) {
    this.machine = environment.machine
    this.code = environment.code
    this.checkTime = context.checkTime
    this.tracer = environment.tracer
    this.#onFault = environment.onFault
    this.#hostOperations = environment.hostOperations
    this.config = context.config
    this.rules = context.rules
    this.block = context.block
    this.message = context.message
    this.overlay = context.overlay
    this.precompiles = context.precompiles
    if (this.tracer?.beforeStep) this.#steps = new StepReports(this, this.tracer)
    this.machine.loadOpcodes(opcodeTable(this.rules))
    loadConstants(this.machine, this)
  }

  /** Opens a frame on top of the others. */
  openFrame(frame: Frame): void {
    frame.header = this.machine.openFrame(this.#frames.length, frame)
    this.#frames.push(frame)
  }

  /** Runs until the first frame has ended. */
  run(): FrameOutcome {
    this.#outcome = undefined
    const { pushes } = opcodeTable(this.rules)
    const steps = this.#steps
    let hasResult = false
    while (this.#outcome === undefined) {
      const frame = this.#frames.at(-1)!
      const stopped: number = steps
        ? this.#runStep(steps, frame, hasResult)
        : this.machine.run(frame.header, hasResult)
      if (stopped >= status.HOST) {
        const opcode = stopped - status.HOST
        this.#lookAtClock()
        const result = this.#hostOperation(frame, opcode)
        steps?.paid(frame)
        if (result === 'done') hasResult = pushes[opcode] === 1
        else if (result === 'opened') hasResult = false
        else hasResult = this.#end(frame, result)
      } else if (stopped === status.TICK) {
        this.checkTime()
        this.machine.startSlice(frame.header)
        hasResult = false
      } else if (stopped === status.STEPPED) {
        steps?.paid(frame)
        hasResult = false
      } else if (stopped === status.LONG_HASH) {
        steps?.paid(frame)
        this.machine.hashOutput(frame.header, () => this.checkTime())
        hasResult = true
      } else {
        hasResult = this.#end(frame, this.#outcomeOf(frame, stopped))
      }
    }
    return this.#outcome
  }

  /** Runs one opcode, and calls the tracer before. */
  #runStep(steps: StepReports, frame: Frame, hasResult: boolean): number {
    if (hasResult) this.machine.pushResult(frame.header)
    this.#lookAtClock()
    steps.begin(frame)
    return this.machine.step(frame.header)
  }

  /** Must be called by an operation that is paid for, before it changes anything or fails for another reason than its price. */
  paid(frame: Frame, opcode: number, memorySize?: number): void {
    if (this.tracer === undefined) return
    this.#steps?.paid(frame)
    this.tracer.operation?.(this, frame, opcode, memorySize ?? this.machine.memorySize(frame.header))
  }

  /** Does the operation; returns how the frame ended if it did. */
  #hostOperation(frame: Frame, opcode: number): 'done' | 'opened' | FrameOutcome {
    try {
      const result = this.#hostOperations[opcode]!(this, frame, opcode)
      return result === 'stopped' ? { output: noBytes, gasLeft: this.machine.gas(frame.header) } : result
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.#steps?.unpaid(frame, error, (index) => this.operandBigInt(index))
      return { output: noBytes, gasLeft: 0n, error }
    }
  }

  #lookAtClock(): void {
    if (--this.#operationsUntilLook > 0) return
    this.#operationsUntilLook = operationsPerLook
    this.checkTime()
  }

  /** Must be called by operations that copy as many bytes as an operand says: the clock is checked sooner. */
  countBytes(bytes: number): void {
    this.#operationsUntilLook -= Math.floor(bytes / bytesPerOperation)
  }

  #outcomeOf(frame: Frame, stopped: number): FrameOutcome {
    const { machine } = this
    const { header } = frame
    this.#steps?.ended(frame, stopped)
    switch (stopped) {
      case status.STOP:
        return { output: noBytes, gasLeft: machine.gas(header) }
      case status.RETURN:
        return { output: machine.output(header), gasLeft: machine.gas(header) }
      case status.REVERT:
        return { output: machine.output(header), gasLeft: machine.gas(header), error: executionReverted }
      case status.STACK_UNDERFLOW:
      case status.UNAFFORDABLE:
      case status.INVALID_OPCODE:
        if (stopped === status.INVALID_OPCODE) this.#traceUndefined(frame)
        this.#onFault?.(this, frame)
        return { output: noBytes, gasLeft: 0n, error: frameFailure(machine, header, stopped) }
      default:
        return { output: noBytes, gasLeft: 0n, error: frameFailure(machine, header, stopped) }
    }
  }

  /** Shows the tracer an opcode of a later fork: geth's tracers know opcodes by their number alone. */
  #traceUndefined(frame: Frame): void {
    if (this.tracer?.operation === undefined) return
    const { machine } = this
    const { header } = frame
    const opcode = machine.codeByte(header, machine.pc(header))
    const needed = wordsOfLaterOpcodes.get(opcode)
    if (needed === undefined || machine.stackDepth(header) < needed) return
    for (let i = 0; i < needed; i++) machine.bytes.set(machine.stackWord(header, i), this.operand(i) * 4)
    this.tracer.operation(this, frame, opcode, machine.memorySize(header))
  }

  /**
   * Ends the topmost frame and gives its outcome to the frame below. Returns whether that frame has a result to push:
   * false only if there is no frame below.
   */
  #end(frame: Frame, outcome: FrameOutcome): boolean {
    this.#frames.pop()
    const settled =
      frame.isCreation && outcome.error === undefined ? this.#deployCode(frame, outcome) : outcome
    const { error } = settled
    const isReverted = error !== undefined && !keepsState(error, this.rules)
    if (isReverted) this.overlay.revertTo(frame.checkpoint)
    this.tracer?.exit?.(settled, isReverted)
    const opener = this.#frames.at(-1)
    if (opener === undefined) {
      this.#outcome = settled
      return false
    }
    if (frame.isCreation) this.finishCreation(opener, frame.account.address, settled)
    else this.finishCall(opener, frame, settled)
    return true
  }

  /** Makes the output the code of the new contract, and charges for it. */
  #deployCode(frame: Frame, { output, gasLeft }: FrameOutcome): FrameOutcome {
    if (output[0] === 0xef && this.rules.london) return { output, gasLeft: 0n, error: invalidCode }
    const cost = BigInt(output.length * createDataGas)
    if (gasLeft < cost) {
      return { output, gasLeft: this.rules.homestead ? 0n : gasLeft, error: codeStoreOutOfGas }
    }
    if (this.rules.eip158 && output.length > maxCodeSize) {
      const error = new FrameError(`max code size exceeded: code size ${output.length} limit ${maxCodeSize}`)
      return { output, gasLeft: 0n, error }
    }
    if (output.length > 0) this.overlay.setCode(frame.account, output)
    return { output, gasLeft: gasLeft - cost }
  }

  /** Returns gas and puts the new address, or zero, into the exchange area. Only a revert leaves return data. */
  finishCreation(opener: Frame, address: Uint8Array, { output, gasLeft, error }: FrameOutcome): void {
    this.#giveBack(opener, gasLeft)
    const succeeded = error === undefined || keepsState(error, this.rules)
    this.setResultBytes(succeeded ? address : noBytes)
    this.setReturnData(opener, error === executionReverted ? output : noBytes)
  }

  /** Returns gas, puts 1 or 0 into the exchange area, and writes the output to the opener's memory. */
  finishCall(
    opener: Frame,
    { outputOffset, outputLength }: Pick<Frame, 'outputOffset' | 'outputLength'>,
    { output, gasLeft, error }: FrameOutcome,
  ): void {
    this.#giveBack(opener, gasLeft)
    if (outputLength > 0 && (error === undefined || error === executionReverted)) {
      const copied = outputLength < output.length ? output.subarray(0, outputLength) : output
      this.machine.bytes.set(copied, this.machine.memoryBase(opener.header) + outputOffset)
    }
    this.setResult(error === undefined ? 1 : 0)
    this.setReturnData(opener, output)
  }

  #giveBack(opener: Frame, gas: bigint): void {
    this.machine.setGas(opener.header, this.machine.gas(opener.header) + gas)
  }

  setReturnData(frame: Frame, data: Uint8Array): void {
    frame.returnData = data
    this.machine.setReturnDataLength(frame.header, data.length)
  }

  /** Puts a number below 2^32 into the result word of the exchange area. */
  setResult(value: number): void {
    const { words, exchange } = this.machine
    words.fill(0, exchange, exchange + 7)
    // The exchange area is big-endian.
    words[exchange + 7] = swapBytes(value)
  }

  /** Puts at most 32 bytes into the end of the result word of the exchange area. */
  setResultBytes(value: Uint8Array): void {
    const { words, exchange, bytes } = this.machine
    words.fill(0, exchange, exchange + 8)
    bytes.set(value, exchange * 4 + 32 - value.length)
  }

  /** Puts an integer of up to 256 bits into the result word of the exchange area. */
  setResultBigInt(value: bigint): void {
    if (value <= 0xffffffffn) {
      this.setResult(Number(value))
      return
    }
    const { words, exchange } = this.machine
    let rest = value
    for (let i = 7; i >= 0; i--) {
      words[exchange + i] = swapBytes(Number(rest & 0xffffffffn))
      rest >>= 32n
    }
  }

  /** Position in `machine.words` of an operand of the host operation; 0 is the topmost. */
  operand(index: number): number {
    return this.machine.exchange + index * 8
  }

  /** A copy of an operand as 32 big-endian bytes. */
  operandBytes(index: number): Uint8Array {
    const start = this.operand(index) * 4
    return this.machine.bytes.slice(start, start + 32)
  }

  /** An operand as a number; undefined from 2^53 on. */
  operandNumber(index: number): number | undefined {
    const { words } = this.machine
    const at = this.operand(index)
    for (let i = 0; i < 6; i++) if (words[at + i] !== 0) return undefined
    const high = swapBytes(words[at + 6]!)
    return high >= 0x20_0000 ? undefined : high * 0x1_0000_0000 + swapBytes(words[at + 7]!)
  }

  /** An operand as an unsigned integer. */
  operandBigInt(index: number): bigint {
    const small = this.operandNumber(index)
    if (small !== undefined) return BigInt(small)
    const { words } = this.machine
    const at = this.operand(index)
    let value = 0n
    for (let i = 0; i < 8; i++) value = (value << 32n) | BigInt(swapBytes(words[at + i]!))
    return value
  }

  /** Whether an operand is below 2^64. */
  isOperandUint64(index: number): boolean {
    const { words } = this.machine
    const at = this.operand(index)
    for (let i = 0; i < 6; i++) if (words[at + i] !== 0) return false
    return true
  }

  /**
   * End of the memory region that two operands describe; 0 if it is empty. Throws if the end is beyond 64 bits. Any end
   * from 2^53 on is MAX_SAFE_INTEGER, which is too large for every memory.
   */
  regionEnd(offsetIndex: number, lengthIndex: number): number {
    const length = this.operandNumber(lengthIndex)
    if (length === 0) return 0
    const offset = this.operandNumber(offsetIndex)
    if (length !== undefined && offset !== undefined) return offset + length
    if (!this.isOperandUint64(lengthIndex) || !this.isOperandUint64(offsetIndex)) throw gasOverflow
    const end = this.operandBigInt(offsetIndex) + this.operandBigInt(lengthIndex)
    // A size of up to 2^64 - 32 can be rounded up to whole words.
    if (end > 0xffff_ffff_ffff_ffe0n) throw gasOverflow
    return Number.MAX_SAFE_INTEGER
  }

  /** Grows a frame's memory to hold `end` bytes. */
  expandMemory(frame: Frame, end: number): void {
    const stopped = this.machine.expandMemory(frame.header, end)
    if (stopped !== status.STOP) throw frameFailure(this.machine, frame.header, stopped)
  }

  /** Takes gas from a frame. */
  charge(frame: Frame, gas: number): void {
    if (!this.machine.charge(frame.header, gas)) throw outOfGas
  }
}

/** Words of the stack that tracers need for EXTCODEHASH, DELEGATECALL, CREATE2 and STATICCALL. */
const wordsOfLaterOpcodes: ReadonlyMap<number, number> = new Map([
  [0x3f, 1],
  [0xf4, 5],
  [0xf5, 4],
  [0xfa, 5],
])

function swapBytes(value: number): number {
  return ((value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | ((value >>> 24) & 0xff)) >>> 0
}
