// Makes tracers by their names. Follows eth/tracers/dir.go.
import { rejectedArguments } from '../call-errors.js'
import type { TracerSpec } from '../engine.js'
import { CallTracer } from './call-tracer.js'
import { Erc7562Tracer } from './erc7562-tracer.js'
import { FlatCallTracer } from './flat-call-tracer.js'
import { FourByteTracer } from './four-byte-tracer.js'
import { KeccakPreimageTracer } from './keccak-preimage-tracer.js'
import { muxTracer } from './mux-tracer.js'
import { noopTracer } from './noop-tracer.js'
import { localizedTraces } from './parity/localized-traces.js'
import { parityResults } from './parity/trace-results.js'
import { PrestateTracer } from './prestate-tracer.js'
import type { ResultTracer } from './result-tracer.js'
import { StructLogger } from './struct-logger.js'
import type { TraceContext } from './trace-context.js'

/** A tracer for one transaction. Throws CALL_REJECTED for one that cannot be made. */
export function makeTracer(spec: TracerSpec, context: TraceContext): ResultTracer {
  switch (spec.name) {
    case 'structLogger':
      return new StructLogger(spec.options, context)
    case 'callTracer':
      return new CallTracer(spec.options, context)
    case 'flatCallTracer':
      return new FlatCallTracer(spec.options, context)
    case 'prestateTracer':
      return new PrestateTracer(spec.options, context)
    case 'erc7562Tracer':
      return new Erc7562Tracer(spec.options, context)
    case '4byteTracer':
      return new FourByteTracer(context)
    case 'keccak256PreimageTracer':
      return new KeccakPreimageTracer(context)
    case 'noopTracer':
      return noopTracer
    case 'localizedTraces':
      return localizedTraces(spec, context)
    case 'parityResults':
      return parityResults(spec.types, context)
    case 'muxTracer':
      return muxTracer(spec.tracers.map(([name, each]) => [name, makeTracer(each, context)]))
    case 'invalid':
      throw rejectedArguments(spec.message)
  }
}
