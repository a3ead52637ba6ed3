// A batch of logs as scanLogs yields it: columns underneath, viem-shaped log objects made only when asked for.
import { firstRows, type LogColumns, logAt } from '../logs/log-columns.js'
import type { Log } from './types.js'
import { toLog } from './viem-format.js'

/** Logs of consecutive blocks in scan order. Iterating makes one object a log; `columns` has them all without any. */
export class LogBatch implements Iterable<Log> {
  readonly columns: LogColumns
  /** Blocks this batch covers, both ends included; a scan is resumed behind (or, descending, below) them. */
  readonly fromBlock: bigint
  readonly toBlock: bigint

  constructor(columns: LogColumns, fromBlock: bigint, toBlock: bigint) {
    this.columns = columns
    this.fromBlock = fromBlock
    this.toBlock = toBlock
  }

  /** Number of logs; may be 0. */
  get length(): number {
    return this.columns.length
  }

  /** Log at a position from 0 to below `length`; RangeError elsewhere. */
  at(index: number): Log {
    if (!Number.isInteger(index) || index < 0 || index >= this.length) {
      throw new RangeError(`index: expected 0 to ${this.length - 1}, got ${index}`)
    }
    return toLog(logAt(this.columns, index))
  }

  /** The first `count` logs, sharing the columns' buffers; the batch itself where it has no more. */
  take(count: number): LogBatch {
    return count >= this.length
      ? this
      : new LogBatch(firstRows(this.columns, count), this.fromBlock, this.toBlock)
  }

  [Symbol.iterator](): Generator<Log, void, undefined> {
    return logsOf(this.columns)
  }
}

/** One object a log. */
export function* logsOf(columns: LogColumns): Generator<Log, void, undefined> {
  for (let i = 0; i < columns.length; i++) yield toLog(logAt(columns, i))
}
