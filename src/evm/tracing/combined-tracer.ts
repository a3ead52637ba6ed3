// Several tracers over one execution.
import type { Tracer } from '../interpreter/tracer.js'

/** One tracer that passes everything on to several, in their order. The core stops at each opcode only if one of them needs it. */
export function combineTracers(tracers: readonly Tracer[]): Tracer {
  const tell = (hook: (tracer: Tracer) => void) => {
    for (const tracer of tracers) hook(tracer)
  }
  return {
    start: (context) => tell((tracer) => tracer.start?.(context)),
    enter: (frame) => tell((tracer) => tracer.enter?.(frame)),
    exit: (outcome, isReverted) => tell((tracer) => tracer.exit?.(outcome, isReverted)),
    log: (log, index) => tell((tracer) => tracer.log?.(log, index)),
    ...(tracers.some((tracer) => tracer.operation !== undefined) && {
      operation: (...operation) => tell((tracer) => tracer.operation?.(...operation)),
    }),
    ...(tracers.some((tracer) => tracer.beforeStep !== undefined) && {
      beforeStep: (...step) => tell((tracer) => tracer.beforeStep?.(...step)),
      step: (step) => tell((tracer) => tracer.step?.(step)),
    }),
    beforeCommit: (changes) => tell((tracer) => tracer.beforeCommit?.(changes)),
    end: (end) => tell((tracer) => tracer.end?.(end)),
  }
}
