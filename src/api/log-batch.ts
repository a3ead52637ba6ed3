// A batch of logs as scanLogs yields it: columns, from which viem-shaped log objects are made on demand.
import { type LogColumns, logAt } from '../logs/log-columns.js'
import type { Log } from './types.js'
import { toLog } from './viem-format.js'

/**
 * Logs of consecutive blocks in scan order. Iteration makes one object per log; reading `columns` makes none.
 *
 * @example
 * ```ts
 * for await (const batch of chain.scanLogs({ address: token })) {
 *   for (const log of batch) console.log(log.blockNumber, log.data)
 *   console.log(batch.columns.blockNumber.length)
 * }
 * ```
 */
export class LogBatch implements Iterable<Log> {
  /** All logs of the batch, one array for each field. */
  readonly columns: LogColumns
  /** First block that the batch covers. A descending scan resumes below it. */
  readonly fromBlock: bigint
  /** Last block that the batch covers. An ascending scan resumes above it. */
  readonly toBlock: bigint

  /** @internal scanLogs makes batches */
  constructor(columns: LogColumns, fromBlock: bigint, toBlock: bigint) {
    this.columns = columns
    this.fromBlock = fromBlock
    this.toBlock = toBlock
  }

  /** Number of logs, which can be 0. */
  get length(): number {
    return this.columns.length
  }

  /**
   * The log at an index from 0 to `length` - 1. Throws RangeError for any other index.
   *
   * @example
   * ```ts
   * for await (const batch of chain.scanLogs({ address: token })) {
   *   if (batch.length > 0) console.log(batch.fromBlock, batch.toBlock, batch.at(0).topics[0])
   * }
   * ```
   */
  at(index: number): Log {
    if (!Number.isInteger(index) || index < 0 || index >= this.length) {
      throw new RangeError(`index: expected 0 to ${this.length - 1}, got ${index}`)
    }
    return toLog(logAt(this.columns, index))
  }

  /** Yields one object per log. */
  [Symbol.iterator](): Generator<Log, void, undefined> {
    return logsOf(this.columns)
  }
}

/** Yields one object per log. */
export function* logsOf(columns: LogColumns): Generator<Log, void, undefined> {
  for (let i = 0; i < columns.length; i++) yield toLog(logAt(columns, i))
}
