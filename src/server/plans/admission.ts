// Lets one body in: it takes a place among its caller's requests and is charged to the caller's rate, first by its
// bytes, then by the calls that are found in it.
import type { JsonRpcError } from '../../rpc/json-rpc-error.js'
import type { Caller } from './caller.js'

/**
 * Bodies of up to this many bytes cost as many requests as they have calls. Larger ones cost at least one request for
 * each started part of this size, and they are charged before they are read.
 */
export const bytesOfOneRequest = 65_536

/** The place of one body among its caller's requests, from its first byte until its answer is sent. */
export class Admission {
  readonly caller: Caller
  /** Why nothing of this body is answered. */
  refusal: JsonRpcError | undefined
  #charged = 0
  #isReleased = false

  constructor(caller: Caller) {
    this.caller = caller
    caller.inFlight++
  }

  /** Charges what calls and bytes cost beyond what was charged before. Returns the refusal if there is one. */
  charge(calls: number, bytes: number): JsonRpcError | undefined {
    if (this.refusal !== undefined) return this.refusal
    const { burst } = this.caller.plan
    const byBytes = Math.min(burst, Math.ceil(bytes / bytesOfOneRequest))
    const cost = Math.max(calls, byBytes)
    this.refusal = this.caller.admit(cost, this.#charged)
    if (this.refusal === undefined) this.#charged = Math.max(this.#charged, cost)
    return this.refusal
  }

  /** Gives the place back. To be called when the answer is sent or nobody waits for it any more; may be repeated. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.caller.inFlight--
  }
}
