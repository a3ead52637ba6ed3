// Prints the table of a bench and writes its rows to a file for run.mjs if it was given `--json`.
import { appendFileSync } from 'node:fs'

export { median, percentile99 } from '../src/cli/bench/measure.js'

export type Row = Readonly<Record<string, string | number>>

/** Prints a titled table; every row has the same columns. */
export function report(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}`)
  console.table(rows)
  const file = process.env['BENCH_ROWS']
  if (file) appendFileSync(file, `${JSON.stringify({ title, rows })}\n`)
}

/** Three significant digits. */
export function round(value: number): number {
  return Number(value.toPrecision(3))
}
