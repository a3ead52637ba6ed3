// What a transaction hashes with KECCAK256, by hash. Follows eth/tracers/native/keccak256_preimage.go.
import { bytesToHex } from '../../bytes.js'
import { keccak256 } from '../../kernel/keccak.js'
import type { Frame } from '../interpreter/frame.js'
import type { TracedExecution } from '../interpreter/tracer.js'
import { hashedBytes, keccakOpcode } from './hashed-bytes.js'
import type { ResultTracer } from './result-tracer.js'
import type { TraceBudget, TraceContext } from './trace-context.js'

export class KeccakPreimageTracer implements ResultTracer {
  readonly #preimages = new Map<string, string>()
  readonly #budget: TraceBudget

  constructor({ budget }: TraceContext) {
    this.#budget = budget
  }

  beforeStep({ machine }: TracedExecution, { header }: Frame, opcode: number): void {
    if (opcode !== keccakOpcode) return
    const preimage = hashedBytes(machine, header)
    if (preimage === undefined) return
    const hash = bytesToHex(keccak256(preimage))
    if (this.#preimages.has(hash)) return
    this.#budget.take(hash.length + 2 * preimage.length)
    this.#preimages.set(hash, bytesToHex(preimage))
  }

  result(): string {
    const sorted = [...this.#preimages].sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${sorted.map(([hash, preimage]) => `"${hash}":"${preimage}"`).join(',')}}`
  }
}
