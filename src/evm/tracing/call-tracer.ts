// The tree of calls of a transaction. Follows eth/tracers/native/call.go.
import { bytesToHex, quantity } from '../../bytes.js'
import type { StoredLog } from '../../types/receipt.js'
import type { CallTrace, TracedLog, TraceOptions } from '../engine.js'
import type { FrameOutcome } from '../interpreter/frame.js'
import { executionReverted } from '../interpreter/frame-errors.js'
import { type EnteredFrame, type FrameTracer, frameOpcodes } from '../interpreter/frame-tracer.js'
import { opcodeName } from '../opcodes.js'
import { revertReason } from '../revert-reason.js'

type Mutable<T> = { -readonly [field in keyof T]: T[field] }

/** A frame while it is open. */
interface OpenFrame {
  readonly entered: EnteredFrame
  readonly calls: ClosedFrame[]
  logs: TracedLog[]
}

/** A frame that has ended, with what its failure removes. */
interface ClosedFrame {
  readonly trace: Mutable<CallTrace>
  readonly calls: readonly ClosedFrame[]
  readonly isReverted: boolean
}

/** Collects the frames of one transaction; {@link result} gives the tree once it has ended. */
export class CallTracer implements FrameTracer {
  readonly #options: TraceOptions
  readonly #open: OpenFrame[] = []
  /** Open frames, including those that are not collected. */
  #depth = 0
  #first: ClosedFrame | undefined

  constructor(options: TraceOptions) {
    this.#options = options
  }

  enter(entered: EnteredFrame): void {
    if (this.#depth++ > 0 && this.#options.onlyTopCall) return
    this.#open.push({ entered, calls: [], logs: [] })
  }

  exit(outcome: FrameOutcome, isReverted: boolean): void {
    if (--this.#depth > 0 && this.#options.onlyTopCall) return
    const { entered, calls, logs } = this.#open.pop()!
    const trace = closedTrace(entered, outcome, isReverted)
    if (calls.length > 0) trace.calls = calls.map((call) => call.trace)
    if (logs.length > 0) trace.logs = logs
    const closed = { trace, calls, isReverted }
    const opener = this.#open.at(-1)
    if (opener === undefined) this.#first = closed
    else opener.calls.push(closed)
  }

  log({ address, topics, data }: StoredLog, index: number): void {
    if (!this.#options.withLog || (this.#options.onlyTopCall && this.#depth > 1)) return
    const frame = this.#open.at(-1)!
    frame.logs.push({
      address: bytesToHex(address),
      topics: topics.map(bytesToHex),
      data: bytesToHex(data),
      index: quantity(index),
      position: quantity(frame.calls.length),
    })
  }

  /** The first frame, with the gas of the transaction as its own. */
  result({ gasLimit, gasUsed }: { readonly gasLimit: bigint; readonly gasUsed: bigint }): CallTrace {
    const first = this.#first!
    dropLogsOfFailed(first, false)
    return { ...first.trace, gas: quantity(gasLimit), gasUsed: quantity(gasUsed) }
  }
}

function closedTrace(
  { opcode, from, to, input, gas, value }: EnteredFrame,
  { output, gasLeft, error }: FrameOutcome,
  isReverted: boolean,
): Mutable<CallTrace> {
  const failure = isReverted ? error : undefined
  const isCreation = opcode === frameOpcodes.create || opcode === frameOpcodes.create2
  const hasOutput = output.length > 0 && (failure === undefined || failure === executionReverted)
  const reason = hasOutput && failure !== undefined ? revertReason(output) : undefined
  return {
    from: bytesToHex(from),
    gas: quantity(gas),
    gasUsed: quantity(gas - gasLeft),
    ...(!(isCreation && failure !== undefined) && { to: bytesToHex(to) }),
    input: bytesToHex(input),
    ...(hasOutput && { output: bytesToHex(output) }),
    ...(failure !== undefined && { error: failure.message }),
    ...(reason !== undefined && reason !== '' && { revertReason: reason }),
    ...(value !== undefined && { value: quantity(value) }),
    type: opcodeName(opcode),
  }
}

function dropLogsOfFailed({ trace, calls, isReverted }: ClosedFrame, isInFailed: boolean): void {
  const isFailed = isReverted || isInFailed
  if (isFailed) delete trace.logs
  for (const call of calls) dropLogsOfFailed(call, isFailed)
}
