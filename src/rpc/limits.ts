// Bounds of what one request may cost. The defaults are the service's; a plan may have its own.

/** Limits of a caller. */
export interface Limits {
  /** Addresses plus topic alternatives of a log filter. */
  readonly logParameters: number
  /** Blocks from one end of a log query to the other, as geth counts them; 0 for any. */
  readonly logBlocks: number
  /** Logs that one query may return; one more is an error. */
  readonly logResults: number
  /** Time for one log query; 0 for none. */
  readonly logMilliseconds: number
  /** Gas for a call, in multiples of the head block's gas limit. */
  readonly callGasCapMultiple: number
  /** Gas for a call as a fixed number, instead of the multiple; 0 for none. */
  readonly callGasCap?: bigint
  /** Time for one call; 0 for none. */
  readonly callMilliseconds: number
  /** Calls in one batch. */
  readonly batchCalls: number
  /** Bytes of results and errors after which the rest of a batch is refused. */
  readonly batchResponseBytes: number
}

/** What applies where nothing else is configured. */
export const defaultLimits: Limits = {
  logParameters: 5_000,
  logBlocks: 0,
  logResults: 10_000,
  logMilliseconds: 10_000,
  callGasCapMultiple: 10,
  callMilliseconds: 5_000,
  batchCalls: 1_000,
  batchResponseBytes: 25_000_000,
}
