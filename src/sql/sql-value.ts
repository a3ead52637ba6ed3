// The shape of a result: its columns and values.
import type { Hex } from '../bytes.js'

/**
 * A value of a result. Integers of up to 32 bits and floats are numbers, larger integers bigints, bytes `0x` and hex, lists arrays,
 * structs objects, maps arrays of `key` and `value`. Everything else, such as times and decimals, is text as DuckDB writes it.
 */
export type SqlValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Hex
  | readonly SqlValue[]
  | { readonly [name: string]: SqlValue }

/** A column of a result. */
export interface SqlColumn {
  /** Name in the query, or what DuckDB calls the expression. */
  readonly name: string
  /** DuckDB's name of the type, such as `UBIGINT`. */
  readonly type: string
}
