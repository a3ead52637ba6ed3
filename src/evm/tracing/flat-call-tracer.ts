// The calls of a transaction as a list, in the form of Parity. Follows eth/tracers/native/call_flat.go.
import { bytesToHex, quantity } from '../../bytes.js'
import { quoteJson } from '../../quote-json.js'
import type { FlatTraceOptions } from '../engine.js'
import type { FrameOutcome } from '../interpreter/frame.js'
import { executionReverted } from '../interpreter/frame-errors.js'
import { type EnteredFrame, frameOpcodes, type TracedEnd } from '../interpreter/tracer.js'
import type { MessageContext } from '../message.js'
import { opcodeName } from '../opcodes.js'
import { PrecompileSet } from '../precompiles/precompile-set.js'
import type { ShownGas } from './call-tracer.js'
import { FrameTree, isCreation, type TracedFrame, targetOf } from './frame-tree.js'
import type { ResultTracer } from './result-tracer.js'
import type { TraceContext, TracePlace } from './trace-context.js'

/** Texts of Parity by those of geth. */
const parityErrors: ReadonlyMap<string, string> = new Map([
  ['contract creation code storage out of gas', 'Out of gas'],
  ['out of gas', 'Out of gas'],
  ['gas uint64 overflow', 'Out of gas'],
  ['max code size exceeded', 'Out of gas'],
  ['invalid jump destination', 'Bad jump destination'],
  ['execution reverted', 'Reverted'],
  ['return data out of bounds', 'Out of bounds'],
  ['stack limit reached 1024 (1023)', 'Out of stack'],
  ['precompiled failed', 'Built-in failed'],
  ['invalid input length', 'Built-in failed'],
])

/** The same by the start of geth's text. */
const parityErrorStarts: readonly (readonly [string, string])[] = [
  ['out of gas:', 'Out of gas'],
  ['invalid opcode:', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
]

export class FlatCallTracer implements ResultTracer {
  readonly #options: FlatTraceOptions
  readonly #place: TracePlace | undefined
  readonly #frames: FrameTree
  /** Those of the fork, wherever overrides move them. */
  #precompiles = new PrecompileSet()
  #depth = 0
  #gasLimit = 0n
  #gasUsed = 0n

  constructor(options: FlatTraceOptions, { place, budget }: TraceContext) {
    this.#options = options
    this.#place = place
    this.#frames = new FrameTree(budget)
  }

  start({ message, rules }: MessageContext): void {
    this.#gasLimit = message.gasLimit
    this.#precompiles = new PrecompileSet(rules)
  }

  enter(entered: EnteredFrame): void {
    const hasNoValue = this.#depth++ > 0 && entered.value === undefined
    this.#frames.enter(hasNoValue ? { ...entered, value: 0n } : entered)
  }

  exit(outcome: FrameOutcome, isReverted: boolean): void {
    const { opcode, to } = this.#frames.exit(outcome, isReverted).entered
    if (--this.#depth === 0 || this.#options.includePrecompiles) return
    const isCall = opcode === frameOpcodes.call || opcode === frameOpcodes.staticCall
    if (isCall && this.#precompiles.at(to) !== undefined) this.#frames.current.calls.pop()
  }

  end({ gasUsed }: TracedEnd): void {
    this.#gasUsed = gasUsed
  }

  /** The frame that the transaction opens. It must have begun. */
  get first(): TracedFrame {
    return this.#frames.first
  }

  result(): string {
    const { blockHash, blockNumber = 0n, transactionHash, transactionIndex = 0 } = this.#place ?? {}
    const inBlock = `"blockHash":${hashJson(blockHash)},"blockNumber":${blockNumber}`
    const inTransaction = `"transactionHash":${hashJson(transactionHash)},"transactionPosition":${transactionIndex},`
    const texts: string[] = []
    const shown = { gas: this.#gasLimit, gasUsed: this.#gasUsed }
    for (const { frame, address, gas } of framesInOrder(this.#frames.first, shown)) {
      const { action, result, type, error } = flatParts(frame, gas, this.#options)
      texts.push(
        `{"action":{${action}},${inBlock}` +
          (error === undefined ? '' : `,"error":${quoteJson(error)}`) +
          (result === undefined ? '' : `,"result":{${result}}`) +
          `,"subtraces":${frame.calls.length},"traceAddress":[${address.join(',')}],${inTransaction}"type":"${type}"}`,
      )
    }
    return `[${texts.join(',')}]`
  }
}

export function hashJson(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? 'null' : `"${bytesToHex(bytes)}"`
}

/** A frame in its place in the tree. */
interface PlacedFrame {
  readonly frame: TracedFrame
  /** Index of the frame in its opener, after those of its openers. */
  readonly address: readonly number[]
  readonly gas: ShownGas
}

/** The frames of a tree, each before those that it opened. The gas is that of the first one. */
export function* framesInOrder(
  frame: TracedFrame,
  gas: ShownGas,
  address: readonly number[] = [],
): Generator<PlacedFrame, void, undefined> {
  yield { frame, address, gas }
  for (const [i, call] of frame.calls.entries()) {
    yield* framesInOrder(call, { gas: call.entered.gas, gasUsed: call.gasUsed }, [...address, i])
  }
}

/** A frame as JSON: the members of `action` and `result`, and the rest. */
interface FlatParts {
  readonly action: string
  /** Undefined for a frame that failed and for the end of a contract. */
  readonly result: string | undefined
  readonly type: string
  readonly error: string | undefined
}

export function flatParts(
  frame: TracedFrame,
  gas: ShownGas,
  { convertParityErrors }: FlatTraceOptions,
): FlatParts {
  const { error } = frame
  const hasResult = error === undefined || error === executionReverted
  const [action, result, type] = formOf(frame, gas)
  return {
    action,
    result: hasResult ? result : undefined,
    type,
    error: convertParityErrors ? parityError(error?.message) : error?.message,
  }
}

/** Members of `action` and `result`, and the type, of a frame. */
function formOf(
  frame: TracedFrame,
  { gas, gasUsed }: ShownGas,
): readonly [action: string, result: string | undefined, type: string] {
  const { opcode, from, to, input, value } = frame.entered
  const method = opcodeName(opcode).toLowerCase()
  const valueMember = value === undefined ? '' : `,"value":"${quantity(value)}"`
  const sender = `"from":"${bytesToHex(from)}","gas":"${quantity(gas)}"`
  if (opcode === frameOpcodes.selfDestruct) {
    const balance = value === undefined ? '' : `,"balance":"${quantity(value)}"`
    return [
      `"address":"${bytesToHex(from)}"${balance},"refundAddress":"${bytesToHex(to)}"`,
      undefined,
      'suicide',
    ]
  }
  const output = bytesToHex(frame.output)
  if (isCreation(frame.entered)) {
    const address = targetOf(frame)
    return [
      `"creationMethod":"${method}",${sender},"init":"${bytesToHex(input)}"${valueMember}`,
      `${address === undefined ? '' : `"address":"${bytesToHex(address)}",`}"code":"${output}","gasUsed":"${quantity(gasUsed)}"`,
      'create',
    ]
  }
  return [
    `"callType":"${method}",${sender},"input":"${bytesToHex(input)}","to":"${bytesToHex(to)}"${valueMember}`,
    `"gasUsed":"${quantity(gasUsed)}","output":"${output}"`,
    'call',
  ]
}

function parityError(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  return parityErrors.get(text) ?? parityErrorStarts.find(([start]) => text.startsWith(start))?.[1] ?? text
}
