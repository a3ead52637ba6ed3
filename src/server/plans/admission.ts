// Lets one body in: it takes a place among its caller's requests in flight and is charged to the caller's rate, first by its
// bytes, then by the calls that are found in it. Before it is answered it may need a place among all requests as well.
import { type Awaitable, whenReady } from '../../awaitable.js'
import { type JsonRpcError, rpcError } from '../../rpc/json-rpc-error.js'
import type { Counter } from '../quotas/counter.js'
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
  readonly #isInFlight: Awaitable<boolean>
  #isReleased = false
  #lastCharge: Awaitable<JsonRpcError | undefined>

  constructor(caller: Caller) {
    this.caller = caller
    this.#isInFlight = this.take(caller.inFlight)
  }

  /** The refusal after what was charged so far, if there is one. */
  get decided(): Awaitable<JsonRpcError | undefined> {
    return this.refusal ?? this.#lastCharge
  }

  /** Takes a place until the release; false if there is none. */
  take(places: Counter): Awaitable<boolean> {
    return whenReady(places.take(), (isTaken) => {
      if (!isTaken) return false
      if (this.#isReleased) places.give()
      else this.#places.push(places)
      return !this.#isReleased
    })
  }

  /** Charges what calls and bytes cost beyond what was charged before. Returns the refusal if there is one. */
  charge(calls: number, bytes: number): Awaitable<JsonRpcError | undefined> {
    const byBytes = Math.min(this.caller.plan.burst, Math.ceil(bytes / bytesOfOneRequest))
    this.#lastCharge = whenReady(this.#charge(Math.max(calls, byBytes)), (refusal) => {
      this.refusal ??= refusal
      return this.refusal
    })
    return this.#lastCharge
  }

  /** Gives the places back. To be called when the answer is sent or nobody waits for it any more; may be repeated. */
  release(): void {
    this.#isReleased = true
    for (const places of this.#places.splice(0)) places.give()
  }

  #charge(cost: number): Awaitable<JsonRpcError | undefined> {
    if (this.refusal !== undefined) return this.refusal
    return whenReady(this.#isInFlight, (isInFlight) => {
      if (isInFlight) return this.#pay(cost)
      const { maxInFlight: limit } = this.caller.plan
      return rpcError('tooManyInFlight', { limit }, { retryMilliseconds: 1_000 })
    })
  }

  #pay(cost: number): Awaitable<JsonRpcError | undefined> {
    return whenReady(this.caller.charge(cost, this.#charged), (refusal) => {
      if (refusal === undefined) this.#charged = Math.max(this.#charged, cost)
      return refusal
    })
  }
}
