// A tracer whose result is JSON.
import type { Tracer } from '../interpreter/tracer.js'

/** A tracer of one transaction. */
export interface ResultTracer extends Tracer {
  /** Whether geth gives its result also if the time is over. */
  readonly ignoresTimeout?: boolean
  /** The JSON that geth's tracer gives, byte for byte. Called once, after the end of the transaction. */
  result(): string
}
