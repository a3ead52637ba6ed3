// The frames of a transaction as trace_transaction shows them: a list, with the place of each in the chain. Follows reth and
// revm-inspectors; a filter leaves out frames that it does not match.
import { bytesToHex } from '../../../bytes.js'
import { quoteJson } from '../../../quote-json.js'
import type { FrameFilter } from '../../engine.js'
import { frameOpcodes } from '../../interpreter/tracer.js'
import type { ShownGas } from '../call-tracer.js'
import { FlatCallTracer, flatParts, framesInOrder, hashJson } from '../flat-call-tracer.js'
import { type TracedFrame, targetOf } from '../frame-tree.js'
import type { ResultTracer } from '../result-tracer.js'
import type { TraceContext, TracePlace } from '../trace-context.js'

/** Whether a filter matches a frame, or another payment, between two addresses in hex. */
export function matchesFilter(
  { from, to, needsBoth }: FrameFilter,
  sender: string | undefined,
  target: string | undefined,
): boolean {
  if (from === undefined && to === undefined) return true
  const isFrom = from !== undefined && sender !== undefined && from.has(sender)
  const isTo = to !== undefined && target !== undefined && to.has(target)
  if (from === undefined || to === undefined || !needsBoth) return isFrom || isTo
  return isFrom && isTo
}

/** Gas of the first frame: the limit without the price of the transaction itself, and all that was used, as in reth. */
export function firstGas({ entered }: TracedFrame, gasUsed: bigint): ShownGas {
  return { gas: entered.gas, gasUsed }
}

/** A frame in the form of Parity, with other members after `error`. */
export function parityFrame(
  {
    frame,
    address,
    gas,
  }: { readonly frame: TracedFrame; readonly address: readonly number[]; readonly gas: ShownGas },
  place = '',
): string {
  const { action, result, type, error } = flatParts(frame, gas, { convertParityErrors: true })
  return (
    `{"action":{${action}}${place}` +
    (error === undefined ? '' : `,"error":${quoteJson(error)}`) +
    `,"result":${result === undefined ? 'null' : `{${result}}`}` +
    `,"subtraces":${frame.calls.length},"traceAddress":[${address.join(',')}],"type":"${type}"}`
  )
}

/** Which frames of a transaction are shown. */
interface ShownFrames {
  readonly filter?: FrameFilter | undefined
  /** Index of the only one, which is shown without a list. */
  readonly only?: number
}

/** Gives a JSON list of frames; with `only`, that frame or `null`. */
export function localizedTraces({ filter, only }: ShownFrames, context: TraceContext): ResultTracer {
  const flat = new FlatCallTracer({}, context)
  let gasUsed = 0n
  return {
    start: (message) => flat.start(message),
    enter: (frame) => flat.enter(frame),
    exit: (outcome, isReverted) => flat.exit(outcome, isReverted),
    end: (end) => {
      gasUsed = end.gasUsed
    },
    result() {
      const place = placeJson(context.place!)
      const texts: string[] = []
      for (const placed of framesInOrder(flat.first, firstGas(flat.first, gasUsed))) {
        if (filter === undefined || isMatch(filter, placed.frame)) texts.push(parityFrame(placed, place))
      }
      return only === undefined ? `[${texts.join(',')}]` : (texts[only] ?? 'null')
    },
  }
}

function placeJson({ blockHash, blockNumber, transactionHash, transactionIndex }: TracePlace): string {
  return (
    `,"blockHash":${hashJson(blockHash)},"blockNumber":${blockNumber}` +
    `,"transactionHash":${hashJson(transactionHash)},"transactionPosition":${transactionIndex}`
  )
}

function isMatch(filter: FrameFilter, frame: TracedFrame): boolean {
  const { opcode, from, to } = frame.entered
  const target = opcode === frameOpcodes.selfDestruct ? to : targetOf(frame)
  return matchesFilter(filter, bytesToHex(from), target && bytesToHex(target))
}
