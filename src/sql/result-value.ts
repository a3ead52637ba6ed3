// Turns values of DuckDB into values of JavaScript that can go to another thread.
import type { DuckDBValue } from '@duckdb/node-api'
import { bytesToHex } from '../bytes.js'
import type { SqlValue } from './sql-value.js'

/** The value of DuckDB in the form that {@link SqlValue} describes. */
export function resultValue(value: DuckDBValue): SqlValue {
  if (typeof value !== 'object' || value === null) return value
  if ('bytes' in value && value.bytes instanceof Uint8Array) return bytesToHex(value.bytes)
  if ('items' in value) return value.items.map(resultValue)
  if ('entries' in value) {
    if (Array.isArray(value.entries))
      return value.entries.map((entry) => ({ key: resultValue(entry.key), value: resultValue(entry.value) }))
    const members = Object.entries(value.entries as Record<string, DuckDBValue>)
    return Object.fromEntries(members.map(([name, member]) => [name, resultValue(member)]))
  }
  return value.toString()
}
