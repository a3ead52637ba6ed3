// The tree of calls of a transaction. Follows eth/tracers/native/call.go; members are in the order of its JSON.
import { bytesToHex, quantity } from '../../bytes.js'
import { quoteJson } from '../../quote-json.js'
import type { StoredLog } from '../../types/receipt.js'
import type { TraceOptions } from '../engine.js'
import type { FrameOutcome } from '../interpreter/frame.js'
import type { EnteredFrame, TracedEnd } from '../interpreter/tracer.js'
import type { MessageContext } from '../message.js'
import { opcodeName } from '../opcodes.js'
import { FrameTree, reasonOf, type TracedFrame, targetOf } from './frame-tree.js'
import type { ResultTracer } from './result-tracer.js'
import type { TraceContext } from './trace-context.js'

/** Gas of a frame as tracers show it. */
export interface ShownGas {
  readonly gas: bigint
  readonly gasUsed: bigint
}

export class CallTracer implements ResultTracer {
  readonly #options: TraceOptions
  readonly #firstLogIndex: number
  readonly #frames: FrameTree
  /** Open frames, including those that are not collected. */
  #depth = 0
  #gasLimit = 0n
  #gasUsed = 0n

  constructor(options: TraceOptions, { firstLogIndex, budget }: TraceContext) {
    this.#options = options
    this.#firstLogIndex = firstLogIndex
    this.#frames = new FrameTree(budget)
  }

  start({ message }: MessageContext): void {
    this.#gasLimit = message.gasLimit
  }

  enter(entered: EnteredFrame): void {
    if (this.#depth++ > 0 && this.#options.onlyTopCall) return
    this.#frames.enter(entered)
  }

  exit(outcome: FrameOutcome, isReverted: boolean): void {
    if (--this.#depth > 0 && this.#options.onlyTopCall) return
    this.#frames.exit(outcome, isReverted)
  }

  log(log: StoredLog, index: number): void {
    if (!this.#options.withLog || (this.#options.onlyTopCall && this.#depth > 1)) return
    this.#frames.log(log, this.#firstLogIndex + index)
  }

  end({ gasUsed }: TracedEnd): void {
    this.#gasUsed = gasUsed
    this.#frames.dropFailedLogs()
  }

  /** The first frame, with the gas of the transaction as its own. */
  result(): string {
    return frameJson(this.#frames.first, { gas: this.#gasLimit, gasUsed: this.#gasUsed })
  }
}

function frameJson(frame: TracedFrame, shown: ShownGas): string {
  const { calls } = frame
  const inner = calls.map((call) => frameJson(call, { gas: call.entered.gas, gasUsed: call.gasUsed }))
  const callList = calls.length > 0 ? `,"calls":[${inner.join(',')}]` : ''
  return `{${frameMembers(frame, shown)}${callList}${logMember(frame)}${lastMembers(frame)}}`
}

/** The members of a frame before its calls and logs. */
export function frameMembers(frame: TracedFrame, { gas, gasUsed }: ShownGas): string {
  const { entered, output, error } = frame
  const to = targetOf(frame)
  const reason = reasonOf(frame)
  return (
    `"from":"${bytesToHex(entered.from)}","gas":"${quantity(gas)}","gasUsed":"${quantity(gasUsed)}"` +
    (to === undefined ? '' : `,"to":"${bytesToHex(to)}"`) +
    `,"input":"${bytesToHex(entered.input)}"` +
    (output.length === 0 ? '' : `,"output":"${bytesToHex(output)}"`) +
    (error === undefined ? '' : `,"error":${quoteJson(error.message)}`) +
    (reason === undefined ? '' : `,"revertReason":${quoteJson(reason)}`)
  )
}

/** The logs of a frame, if it has any. */
export function logMember({ logs }: TracedFrame): string {
  return logs.length > 0 ? `,"logs":[${logs.join(',')}]` : ''
}

/** The value of a frame. */
export function valueMember({ entered: { value } }: TracedFrame): string {
  return value === undefined ? '' : `,"value":"${quantity(value)}"`
}

/** The value and the type of a frame. */
function lastMembers(frame: TracedFrame): string {
  return `${valueMember(frame)},"type":"${opcodeName(frame.entered.opcode)}"`
}
