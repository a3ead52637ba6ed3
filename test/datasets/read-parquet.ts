// Reads the Parquet files of a dataset with hyparquet.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import type { Row } from './expected-rows.js'

/** Names of the files of a dataset in a folder. */
export function filesOf(folder: string, dataset: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.includes(`__${dataset}__`))
    .sort()
}

/** Rows of all files of a dataset in a folder, in their order: bytes as hex, integers as bigints. */
export async function readParquet(folder: string, dataset: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const name of filesOf(folder, dataset)) {
    const { buffer } = new Uint8Array(readFileSync(join(folder, name)))
    rows.push(...(await parquetReadObjects({ file: buffer, compressors, utf8: false })).map(normal))
  }
  return rows
}

/** A row as `expectedRows` has it. */
export function normal(row: Record<string, unknown>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (value instanceof Uint8Array) return [name, `0x${Buffer.from(value).toString('hex')}`]
      if (typeof value === 'number' && !name.endsWith('_f64')) return [name, BigInt(value)]
      return [name, value ?? null]
    }),
  )
}
