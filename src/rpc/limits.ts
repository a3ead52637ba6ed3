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
  /** Most time for the trace of one transaction, whatever its config says; 0 for any. */
  readonly traceMilliseconds: number
  /** Characters of all traces of one request. */
  readonly traceBytes: number
  /** Bytes of one HTTP body or WebSocket message. */
  readonly bodyBytes: number
  /** Calls in one batch. */
  readonly batchCalls: number
  /** Bytes of results and errors after which the rest of a batch is refused. */
  readonly batchResponseBytes: number
}

/** A day: a longer time limit is a typo, and Node's timers end at 24 days. */
export const maxMilliseconds = 86_400_000

const maxGas = 2n ** 64n - 1n

/** Largest limit for a body: a longer text is more than half of what a string may hold in V8. */
export const maxBodyBytes = 2 ** 28

/** Limits that cannot be zero. */
const positiveLimits = new Set(['batchCalls', 'bodyBytes', 'callGasCapMultiple', 'traceBytes'])

/** Throws RangeError, which names the limit that is out of its bounds. */
export function checkLimits(limits: Limits): void {
  const { callGasCap, ...numbers } = limits
  if (
    callGasCap !== undefined &&
    !(typeof callGasCap === 'bigint' && callGasCap >= 0n && callGasCap <= maxGas)
  ) {
    throw new RangeError(
      `limits.callGasCap: expected a bigint from 0 to ${maxGas}, got ${String(callGasCap)}`,
    )
  }
  for (const [name, value] of Object.entries(numbers)) {
    checkNumber(`limits.${name}`, value, {
      minimum: positiveLimits.has(name) ? 1 : 0,
      maximum: maximumOf(name),
    })
  }
}

function maximumOf(name: string): number {
  if (name === 'bodyBytes' || name === 'traceBytes') return maxBodyBytes
  return name.endsWith('Milliseconds') ? maxMilliseconds : Number.MAX_SAFE_INTEGER
}

/** Throws RangeError if a value is no number of these bounds; milliseconds may be fractions, others are whole. */
export function checkNumber(
  name: string,
  value: unknown,
  { minimum, maximum }: { readonly minimum: number; readonly maximum: number },
): void {
  const isWhole = name.endsWith('Milliseconds') || Number.isInteger(value)
  if (typeof value === 'number' && isWhole && value >= minimum && value <= maximum) return
  const kind = name.endsWith('Milliseconds') ? 'a number' : 'a whole number'
  throw new RangeError(`${name}: expected ${kind} from ${minimum} to ${maximum}, got ${String(value)}`)
}

/** What applies if nothing else is configured. */
export const defaultLimits: Limits = {
  logParameters: 5_000,
  logBlocks: 0,
  logResults: 10_000,
  logMilliseconds: 10_000,
  callGasCapMultiple: 10,
  callMilliseconds: 5_000,
  traceMilliseconds: 60_000,
  traceBytes: 134_217_728,
  bodyBytes: 5_242_880,
  batchCalls: 1_000,
  batchResponseBytes: 25_000_000,
}
