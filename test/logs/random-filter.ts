// Seeded filters made from the logs of a chain, and the rule of eth_getLogs in its plainest form to hold scans against.
import { bytesToHex } from '../../src/bytes.js'
import type { LogFilter } from '../../src/logs/filter.js'
import type { Log } from '../../src/types/receipt.js'
import type { Random } from '../random.js'

/** A log with its address and topics as text, made once so that matching thousands of filters is quick. */
export interface ReadableLog {
  readonly log: Log
  readonly address: string
  readonly topics: readonly string[]
}

export function readable(log: Log): ReadableLog {
  return { log, address: bytesToHex(log.address), topics: log.topics.map(bytesToHex) }
}

/** The logs that match, as eth_getLogs says it. */
export function matching(logs: readonly ReadableLog[], filter: LogFilter): ReadableLog[] {
  const addresses = new Set(filter.addresses.map(bytesToHex))
  const topics = filter.topics.map((group) => new Set(group.map(bytesToHex)))
  const isAny = (values: ReadonlySet<string>, value: string) => values.size === 0 || values.has(value)
  return logs.filter(
    (log) =>
      log.topics.length >= topics.length &&
      isAny(addresses, log.address) &&
      topics.every((values, i) => isAny(values, log.topics[i]!)),
  )
}

/** A filter of values that occur among the logs, some that occur nowhere, and wildcards. */
export function randomFilter(logs: readonly ReadableLog[], random: Random): LogFilter {
  const pick = () => logs[Math.floor(random.fraction() * logs.length)]!.log
  const some = <T>(make: () => T, most: number) =>
    Array.from({ length: Math.floor(random.fraction() * (most + 1)) }, make)
  const sample = pick()
  return {
    addresses: random.fraction() < 0.5 ? [] : [sample.address, ...some(() => pick().address, 2)],
    topics: Array.from({ length: Math.floor(random.fraction() * 5) }, (_, i) => {
      if (random.fraction() < 0.5) return []
      const own = sample.topics[i] ?? new Uint8Array(32).fill(i + 1)
      return [own, ...some(() => pick().topics[0] ?? new Uint8Array(32), 2)]
    }),
  }
}
