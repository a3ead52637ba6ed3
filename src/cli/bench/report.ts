// Formats the result of a comparison as a table.
import type { Timing } from './measure.js'

/** One query with one number of clients. */
export interface BenchRow {
  readonly id: string
  readonly title: string
  readonly clients: number
  readonly geth: Timing
  readonly server: Timing
  readonly library: Timing
}

export interface BenchResult {
  /** `web3_clientVersion` of the geth. */
  readonly against: string
  readonly chainId: number
  readonly head: number
  readonly date: string
  readonly rows: readonly BenchRow[]
  /** Titles of queries that the geth does not answer. */
  readonly skipped: readonly string[]
  /** Queries for which no time was left. */
  readonly unmeasured: readonly Pick<BenchRow, 'id' | 'title' | 'clients'>[]
}

/** How many times as fast as the geth, by the medians. */
function ratio(row: BenchRow, side: 'server' | 'library'): number {
  return row.geth.medianMilliseconds / row[side].medianMilliseconds
}

/** Times in milliseconds, median and 99th percentile. */
export function formatTable({ against, rows, skipped, unmeasured }: BenchResult): string {
  const times = ({ medianMilliseconds: median, p99Milliseconds: p99 }: Timing) =>
    `${digits(median)} / ${digits(p99)}`
  const header = ['query', 'clients', 'geth ms', 'server ms', 'library ms', 'server', 'library']
  const cells = rows.map((row) => [
    row.title,
    String(row.clients),
    times(row.geth),
    times(row.server),
    times(row.library),
    `${digits(ratio(row, 'server'))} ×`,
    `${digits(ratio(row, 'library'))} ×`,
  ])
  const widths = header.map((name, i) => Math.max(name.length, ...cells.map((line) => line[i]!.length)))
  const format = (line: readonly string[]) =>
    line.map((text, i) => (i === 0 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join('  ')
  return [
    format(header),
    ...cells.map(format),
    '',
    `milliseconds: median / 99th percentile; geth: ${against} over HTTP; server: geth-reader serve over HTTP;`,
    'library: the typed API in this process; ×: how many times as fast as geth, by the medians',
    ...skipped.map((title) => `skipped, not answered by geth: ${title}`),
    ...unmeasured.map(({ title, clients }) => `no time left for: ${title}, ${clients} in flight`),
  ].join('\n')
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(value >= 0.1 ? 3 : 2)
}
