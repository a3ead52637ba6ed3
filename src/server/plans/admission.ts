// Lets one body in: it takes a place among its caller's requests in flight and is charged to the caller's rate, first by its
// bytes, then by the calls that are found in it. Before it is answered it may need a place among all requests as well.
import { type JsonRpcError, rpcError } from '../../rpc/json-rpc-error.js'
import type { Counter } from '../counter.js'
import type { Caller } from './caller.js'

/**
 * Bodies of up to this many bytes cost as many requests as they have calls. Larger ones cost at least one request for
 * each started part of this size, and they are charged before they are read.
 */
export const bytesOfOneRequest = 65_536

/** The places of one body, from its first byte until its answer is sent. */
export class Admission {
  readonly caller: Caller
  /** Why nothing of this body is answered. */
  refusal: JsonRpcError | undefined
  #charged = 0
  /** Where this body has a place. */
  readonly #places: Counter[] = []
  readonly #isInFlight: boolean

  constructor(caller: Caller) {
    this.caller = caller
    this.#isInFlight = this.take(caller.inFlight)
  }

  /** Takes a place until the release; false if there is none. */
  take(places: Counter): boolean {
    const isTaken = places.take()
    if (isTaken) this.#places.push(places)
    return isTaken
  }

  /** Charges what calls and bytes cost beyond what was charged before. Returns the refusal if there is one. */
  charge(calls: number, bytes: number): JsonRpcError | undefined {
    if (this.refusal !== undefined) return this.refusal
    const { burst, maxInFlight } = this.caller.plan
    if (!this.#isInFlight) {
      this.refusal = rpcError('tooManyInFlight', { limit: maxInFlight }, { retryMilliseconds: 1_000 })
      return this.refusal
    }
    const byBytes = Math.min(burst, Math.ceil(bytes / bytesOfOneRequest))
    const cost = Math.max(calls, byBytes)
    this.refusal = this.caller.charge(cost, this.#charged)
    if (this.refusal === undefined) this.#charged = Math.max(this.#charged, cost)
    return this.refusal
  }

  /** Gives the places back. To be called when the answer is sent or nobody waits for it any more; may be repeated. */
  release(): void {
    for (const places of this.#places.splice(0)) places.give()
  }
}
