// Selectors of all calls of a transaction with the size of their arguments, and how often each occurs. Follows
// eth/tracers/native/4byte.go.
import { bytesToHex } from '../../bytes.js'
import { type EnteredFrame, frameOpcodes } from '../interpreter/tracer.js'
import type { MessageContext } from '../message.js'
import { PrecompileSet } from '../precompiles/precompile-set.js'
import type { ResultTracer } from './result-tracer.js'
import type { TraceBudget, TraceContext } from './trace-context.js'

const callOpcodes: ReadonlySet<number> = new Set([
  frameOpcodes.call,
  frameOpcodes.callCode,
  frameOpcodes.delegateCall,
  frameOpcodes.staticCall,
])

export class FourByteTracer implements ResultTracer {
  readonly #counts = new Map<string, number>()
  readonly #budget: TraceBudget
  /** Those of the fork, wherever overrides move them. */
  #precompiles = new PrecompileSet()

  constructor({ budget }: TraceContext) {
    this.#budget = budget
  }

  start({ rules }: MessageContext): void {
    this.#precompiles = new PrecompileSet(rules)
  }

  enter({ opcode, to, input }: EnteredFrame): void {
    if (input.length < 4 || !callOpcodes.has(opcode) || this.#precompiles.at(to) !== undefined) return
    const key = `${bytesToHex(input.subarray(0, 4))}-${input.length - 4}`
    const count = this.#counts.get(key) ?? 0
    if (count === 0) this.#budget.take(key.length)
    this.#counts.set(key, count + 1)
  }

  /** How often each selector occurs, by its hex, a hyphen and the bytes of its arguments. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts
  }

  result(): string {
    const sorted = [...this.#counts.keys()].sort()
    return `{${sorted.map((key) => `"${key}":${this.#counts.get(key)}`).join(',')}}`
  }
}
