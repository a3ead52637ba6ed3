// Reads rows back from Parquet files of an export.
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

/** A row by columns: bytes, or text as it is with `--hex`; integers; null. */
export type FileRow = Readonly<Record<string, unknown>>

/** Rows of some columns of a file, in its order. */
export async function readRows(path: string, columns?: readonly string[]): Promise<FileRow[]> {
  const file = await asyncBufferFromFile(path)
  return parquetReadObjects({ file, compressors, utf8: false, ...(columns && { columns: [...columns] }) })
}

/** Bytes of a cell, which may be written as hex. Throws TypeError for a null. */
export function cellBytes(row: FileRow, name: string): Uint8Array {
  const value = row[name]
  if (value instanceof Uint8Array) return value
  if (typeof value === 'string' && /^0x([0-9a-f]{2})*$/.test(value)) return Buffer.from(value.slice(2), 'hex')
  throw new TypeError(`${name}: expected bytes, found ${value === null ? 'null' : typeof value}`)
}

/** An integer of a cell. Throws TypeError for a null. */
export function cellInteger(row: FileRow, name: string): bigint {
  const value = row[name]
  if (typeof value === 'bigint' || typeof value === 'number') return BigInt(value)
  throw new TypeError(`${name}: expected an integer, found ${value === null ? 'null' : typeof value}`)
}
