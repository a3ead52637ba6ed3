// A tracer that sees nothing. Follows eth/tracers/native/noop.go.
import type { ResultTracer } from './result-tracer.js'

export const noopTracer: ResultTracer = { ignoresTimeout: true, result: () => '{}' }
