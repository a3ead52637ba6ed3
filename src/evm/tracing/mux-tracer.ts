// Several tracers over one execution, with one result. Follows eth/tracers/native/mux.go.
import { quoteJson } from '../../quote-json.js'
import { combineTracers } from './combined-tracer.js'
import type { ResultTracer } from './result-tracer.js'

/** Tracers by the name under which their results are shown. */
type NamedTracers = readonly (readonly [name: string, tracer: ResultTracer])[]

/** One tracer that passes everything on to many. */
export function muxTracer(tracers: NamedTracers): ResultTracer {
  const all = tracers.map(([, tracer]) => tracer)
  return {
    ...combineTracers(all),
    ignoresTimeout: all.every(({ ignoresTimeout }) => ignoresTimeout),
    result() {
      const sorted = tracers.toSorted(([a], [b]) => (a < b ? -1 : 1))
      return `{${sorted.map(([name, tracer]) => `${quoteJson(name)}:${tracer.result()}`).join(',')}}`
    },
  }
}
