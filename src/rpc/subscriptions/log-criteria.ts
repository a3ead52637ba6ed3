// Which new logs a subscription is about. Follows filterLogs in geth's eth/filters/filter.go.
import { bytesToHex } from '../../bytes.js'
import type { LogFilterArgument } from '../parameters/log-filter.js'
import type { NewLog } from './block-logs.js'

/** Criteria as sets of hex; an empty position of `topics` stands for any value. */
export interface LogCriteria {
  readonly from: number
  readonly to: number
  /** Undefined for any address. */
  readonly addresses: ReadonlySet<string> | undefined
  readonly topics: readonly (ReadonlySet<string> | undefined)[]
}

export function compileCriteria({ fromBlock, toBlock, addresses, topics }: LogFilterArgument): LogCriteria {
  return {
    from: fromBlock && 'number' in fromBlock ? Number(fromBlock.number) : 0,
    to: toBlock && 'number' in toBlock ? Number(toBlock.number) : Number.POSITIVE_INFINITY,
    addresses: hexSet(addresses),
    topics: topics.map(hexSet),
  }
}

function hexSet(values: readonly Uint8Array[]): ReadonlySet<string> | undefined {
  return values.length === 0 ? undefined : new Set(values.map(bytesToHex))
}

/** Whether a log is in the range of blocks and has the topics. Its address is not compared. */
export function matchesTopics({ from, to, topics }: LogCriteria, log: NewLog): boolean {
  if (log.block < from || log.block > to || topics.length > log.topics.length) return false
  return topics.every((values, i) => values === undefined || values.has(log.topics[i]!))
}
