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
  /** Share of the requests that were asked before in this row or in another one of the same query. */
  readonly repeatedShare: number
  /** Pairs of responses that were compared during the measurement. */
  readonly compared: number
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

const header = [
  ...['query', 'clients', 'geth ms', 'server ms', '×', 'geth /s', 'server /s', '×'],
  ...['geth cpu', 'server cpu', '×', 'library ms', '×'],
]

/** Medians, rates and processor times with their ratios. */
export function formatTable({ against, rows, skipped, unmeasured }: BenchResult): string {
  const repeats = rows.some(({ repeatedShare }) => repeatedShare > 0)
  const lines = [
    [...header, ...(repeats ? ['repeated'] : [])],
    ...rows.map((row) => [...cellsOf(row), ...(repeats ? [repeated(row)] : [])]),
  ]
  const widths = lines[0]!.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  const format = (line: readonly string[]) =>
    line.map((text, i) => (i === 0 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join('  ')
  return [
    ...lines.map((line) => format(line).trimEnd()),
    '',
    `ms: median time of a response; /s: responses per second; cpu: processor time of the process for a response, in ms;`,
    `geth: ${against} over HTTP; server: geth-reader serve over HTTP; library: the typed API in this process;`,
    '×: how many times as fast as geth, or how many times less processor time',
    ...(repeats ? ['repeated: share of the requests that were asked before, as the chain has too few'] : []),
    ...skipped.map((title) => `skipped, not answered by geth: ${title}`),
    ...unmeasured.map(({ title, clients }) => `no time left for: ${title}, ${clients} in flight`),
  ].join('\n')
}

function cellsOf({ title, clients, geth, server, library }: BenchRow): string[] {
  return [
    ...[title, String(clients)],
    ...[digits(geth.medianMilliseconds), digits(server.medianMilliseconds)],
    ratio(geth.medianMilliseconds, server.medianMilliseconds),
    ...[digits(geth.answersPerSecond), digits(server.answersPerSecond)],
    ratio(server.answersPerSecond, geth.answersPerSecond),
    ...[digits(geth.processorMilliseconds), digits(server.processorMilliseconds)],
    ratio(geth.processorMilliseconds, server.processorMilliseconds),
    digits(library.medianMilliseconds),
    ratio(geth.medianMilliseconds, library.medianMilliseconds),
  ]
}

function repeated({ repeatedShare }: BenchRow): string {
  return repeatedShare === 0 ? '' : `${digits(100 * repeatedShare)} %`
}

function ratio(value: number | undefined, base: number | undefined): string {
  return value === undefined || base === undefined || base === 0 ? '' : digits(value / base)
}

function digits(value: number | undefined): string {
  if (value === undefined) return '?'
  return value >= 100 ? value.toFixed(0) : value.toPrecision(value >= 0.1 ? 3 : 2)
}
