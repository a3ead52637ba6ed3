// What tracers know about their transaction, and the limit of what they may collect.
import { GethReaderError } from '../../errors.js'
import type { ChainConfig } from '../../types/chain-config.js'

/** The place of a traced transaction. A call has none. */
export interface TracePlace {
  readonly blockHash: Uint8Array
  readonly blockNumber: bigint
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
}

/** What a tracer is made with. */
export interface TraceContext {
  readonly config: ChainConfig
  /** Undefined for a call. */
  readonly place: TracePlace | undefined
  /** Logs of the block before this transaction. */
  readonly firstLogIndex: number
  /** Whether it is a call that geth shows to its tracers as a legacy transaction, which has no authorizations. */
  readonly isLegacyCall?: boolean
  readonly budget: TraceBudget
}

/** Limits the characters of all traces of a request, or of what else is collected, so that nothing exhausts the memory. */
export class TraceBudget {
  readonly #limit: number
  readonly #what: string
  #left: number

  constructor(limit: number, what = 'trace') {
    this.#limit = limit
    this.#what = what
    this.#left = limit
  }

  /** Counts what was collected. Throws CALL_FAILED if it is too much. */
  take(characters: number): void {
    this.#left -= characters
    if (this.#left >= 0) return
    const message = `the ${this.#what} takes more than the limit of ${this.#limit} bytes`
    throw new GethReaderError('CALL_FAILED', message, { limit: this.#limit })
  }
}
