// What trace_call and the replays of trace_ show of a transaction: output, and what of traces, changes and opcodes is asked for.
import { bytesToHex } from '../../../bytes.js'
import type { ParityTraceType } from '../../engine.js'
import { FlatCallTracer, framesInOrder } from '../flat-call-tracer.js'
import { muxTracer } from '../mux-tracer.js'
import type { ResultTracer } from '../result-tracer.js'
import type { TraceContext } from '../trace-context.js'
import { firstGas, parityFrame } from './localized-traces.js'
import { StateDiff } from './state-diff.js'
import { VmTrace } from './vm-trace.js'

/** Gives an object of JSON. */
export function parityResults(types: readonly ParityTraceType[], context: TraceContext): ResultTracer {
  const { budget } = context
  const flat = new FlatCallTracer({}, context)
  const diff = types.includes('stateDiff') ? new StateDiff(budget) : undefined
  const vm = types.includes('vmTrace') ? new VmTrace(budget) : undefined
  let gasUsed = 0n
  const parts: readonly (Omit<ResultTracer, 'result'> | undefined)[] = [flat, diff, vm]
  const tracers = parts.flatMap((part) => part ?? [])
  return {
    ...muxTracer(tracers.map((tracer) => ['', tracer as ResultTracer])),
    ignoresTimeout: false,
    end(end) {
      gasUsed = end.gasUsed
      for (const tracer of tracers) tracer.end?.(end)
    },
    result() {
      const { first } = flat
      const frames = types.includes('trace') ? [...framesInOrder(first, firstGas(first, gasUsed))] : []
      return (
        `{"output":"${bytesToHex(first.output)}","stateDiff":${diff?.json() ?? 'null'}` +
        `,"trace":[${frames.map((frame) => parityFrame(frame)).join(',')}],"vmTrace":${vm?.json() ?? 'null'}}`
      )
    },
  }
}
