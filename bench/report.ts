// Prints a bench's table and, for `--json`, hands it to run.mjs.
import { appendFileSync } from 'node:fs'

export type Row = Readonly<Record<string, string | number>>

/** Prints a titled table; every row has the same columns. */
export function report(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}`)
  console.table(rows)
  const file = process.env['BENCH_ROWS']
  if (file) appendFileSync(file, `${JSON.stringify({ title, rows })}\n`)
}

/** Middle value; the mean of the middle two for an even count. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!
}

/** Value below which 99 % lie. */
export function percentile99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))]!
}

/** Three significant digits. */
export function round(value: number): number {
  return Number(value.toPrecision(3))
}
