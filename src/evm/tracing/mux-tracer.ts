// Several tracers over one execution. Follows eth/tracers/native/mux.go.
import { quoteJson } from '../../quote-json.js'
import type { ResultTracer } from './result-tracer.js'

/** Tracers by the name under which their results are shown. */
type NamedTracers = readonly (readonly [name: string, tracer: ResultTracer])[]

/** One tracer that passes everything on to many. The core stops at each opcode only if one of them needs it. */
export function muxTracer(tracers: NamedTracers): ResultTracer {
  const all = tracers.map(([, tracer]) => tracer)
  const tell = (hook: (tracer: ResultTracer) => void) => {
    for (const tracer of all) hook(tracer)
  }
  return {
    ignoresTimeout: all.every(({ ignoresTimeout }) => ignoresTimeout),
    start: (context) => tell((tracer) => tracer.start?.(context)),
    enter: (frame) => tell((tracer) => tracer.enter?.(frame)),
    exit: (outcome, isReverted) => tell((tracer) => tracer.exit?.(outcome, isReverted)),
    log: (log, index) => tell((tracer) => tracer.log?.(log, index)),
    operation: (...operation) => tell((tracer) => tracer.operation?.(...operation)),
    ...(all.some((tracer) => tracer.beforeStep !== undefined) && {
      beforeStep: (...step) => tell((tracer) => tracer.beforeStep?.(...step)),
      step: (step) => tell((tracer) => tracer.step?.(step)),
    }),
    beforeCommit: (changes) => tell((tracer) => tracer.beforeCommit?.(changes)),
    end: (end) => tell((tracer) => tracer.end?.(end)),
    result() {
      const sorted = tracers.toSorted(([a], [b]) => (a < b ? -1 : 1))
      return `{${sorted.map(([name, tracer]) => `${quoteJson(name)}:${tracer.result()}`).join(',')}}`
    },
  }
}
