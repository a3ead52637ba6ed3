// Seeded filters made from the logs of a chain, and the rule of eth_getLogs in its plainest form to hold scans against.
import { bytesToHex, equalBytes } from '../../src/bytes.js'
import type { LogFilter } from '../../src/logs/filter.js'
import { type LogColumns, logAt } from '../../src/logs/log-columns.js'
import type { Log } from '../../src/types/receipt.js'

/** Deterministic numbers from 0 to below 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Whether a log matches, as eth_getLogs says it. */
export function isMatch(log: Log, { addresses, topics }: LogFilter): boolean {
  const isAny = (values: readonly Uint8Array[], value: Uint8Array) =>
    values.length === 0 || values.some((other) => equalBytes(other, value))
  return (
    log.topics.length >= topics.length &&
    isAny(addresses, log.address) &&
    topics.every((alternatives, i) => isAny(alternatives, log.topics[i]!))
  )
}

/** A filter of values that occur among the logs, some that occur nowhere, and wildcards. */
export function randomFilter(logs: readonly Log[], next: () => number): LogFilter {
  const pick = () => logs[Math.floor(next() * logs.length)]!
  const some = <T>(make: () => T, most: number) =>
    Array.from({ length: Math.floor(next() * (most + 1)) }, make)
  const sample = pick()
  return {
    addresses: next() < 0.5 ? [] : [sample.address, ...some(() => pick().address, 2)],
    topics: Array.from({ length: Math.floor(next() * 5) }, (_, i) => {
      if (next() < 0.5) return []
      const own = sample.topics[i] ?? new Uint8Array(32).fill(i + 1)
      return [own, ...some(() => pick().topics[0] ?? new Uint8Array(32), 2)]
    }),
  }
}

/** Rows of columns as logs. */
export function rowsOf(columns: LogColumns): Log[] {
  return Array.from({ length: columns.length }, (_, i) => logAt(columns, i))
}

/** Everything about a log in one line of text, for comparing and for reading in a failure. */
export function logText(log: Log): string {
  const { blockNumber, blockTimestamp, transactionIndex, logIndex } = log
  const bytes = [log.blockHash, log.transactionHash, log.address, log.data, ...log.topics].map(bytesToHex)
  return [blockNumber, blockTimestamp, transactionIndex, logIndex, ...bytes].join(' ')
}
