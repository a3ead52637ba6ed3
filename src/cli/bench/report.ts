// The result of a comparison as a table for a person and as an SVG chart of the ratios.
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
  /** `web3_clientVersion` of the other side. */
  readonly against: string
  readonly chainId: number
  readonly head: number
  readonly date: string
  readonly rows: readonly BenchRow[]
  /** Titles of queries that the other side does not answer. */
  readonly skipped: readonly string[]
  /** What there was no time left for. */
  readonly unmeasured: readonly Pick<BenchRow, 'id' | 'title' | 'clients'>[]
}

/** How many times as fast as the other side, by the medians. */
export function ratio(row: BenchRow, side: 'server' | 'library'): number {
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
    ...skipped.map((title) => `not answered by geth, left out: ${title}`),
    ...unmeasured.map(({ title, clients }) => `no time left for: ${title}, ${clients} in flight`),
  ].join('\n')
}

const bar = { height: 12, gap: 3, rowGap: 14, left: 320, width: 480, top: 64 }
const colors = ['#2b6cb0', '#dd6b20', '#2f855a', '#805ad5']

/** A chart of how many times as fast our server is, on a logarithmic scale; one bar for each number of clients. */
export function formatChart({ against, date, rows }: BenchResult): string {
  const titles = [...new Set(rows.map(({ title }) => title))]
  const clients = [...new Set(rows.map(({ clients }) => clients))]
  const ratios = rows.map((row) => ratio(row, 'server'))
  const low = Math.min(0, ...ratios.map((value) => Math.floor(Math.log10(value))))
  const high = Math.max(1, ...ratios.map((value) => Math.ceil(Math.log10(value))))
  const x = (value: number) => bar.left + (bar.width * (Math.log10(value) - low)) / (high - low)
  const rowHeight = clients.length * (bar.height + bar.gap) + bar.rowGap
  const bottom = bar.top + titles.length * rowHeight
  const text = (x: number, y: number, more: string, content: string) =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escapeXml(content)}</text>`
  const decades = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i))
  const parts = [
    text(16, 24, 'font-size="16"', 'geth-reader serve against geth over HTTP: times as fast, by the medians'),
    text(16, 44, 'fill="#555"', `${against}; ${date.slice(0, 10)}`),
    ...clients.map((count, i) =>
      text(
        bar.left + i * 100,
        44 + 12,
        `fill="${colors[i % colors.length]}"`,
        `${count} client${count === 1 ? '' : 's'}`,
      ),
    ),
    ...decades.flatMap((value) => [
      `<line x1="${x(value).toFixed(1)}" x2="${x(value).toFixed(1)}" y1="${bar.top}" y2="${bottom}" stroke="${value === 1 ? '#000' : '#ccc'}"/>`,
      text(x(value), bottom + 16, 'text-anchor="middle" fill="#555"', `${value} ×`),
    ]),
    ...titles.flatMap((title, t) => {
      const y = bar.top + t * rowHeight + bar.rowGap / 2
      return [
        text(bar.left - 12, y + (rowHeight - bar.rowGap) / 2 + 4, 'text-anchor="end"', title),
        ...clients.flatMap((count, c) => {
          const row = rows.find((row) => row.title === title && row.clients === count)
          if (!row) return []
          const value = ratio(row, 'server')
          const [from, to] = [x(Math.min(1, value)), x(Math.max(1, value))]
          const top = y + c * (bar.height + bar.gap)
          return [
            `<rect x="${from.toFixed(1)}" y="${top}" width="${(to - from).toFixed(1)}" height="${bar.height}" fill="${colors[c % colors.length]}"/>`,
            text(to + 4, top + bar.height - 2, 'font-size="11"', `${digits(value)} ×`),
          ]
        }),
      ]
    }),
  ]
  const [width, height] = [bar.left + bar.width + 80, bottom + 32]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(value >= 0.1 ? 3 : 2)
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
