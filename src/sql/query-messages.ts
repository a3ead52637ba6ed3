// What the thread of a query and the main thread send each other.
import type { MessagePort } from 'node:worker_threads'
import type { OutputColumn } from '../datasets/output-column.js'
import type { RowBatch } from '../datasets/scan-rows.js'
import type { PlainError } from '../errors.js'
import type { SqlColumn, SqlValue } from './sql-value.js'

/** A table of a query. */
export interface SqlTable {
  readonly name: string
  readonly columns: readonly Pick<OutputColumn, 'name' | 'type'>[]
  /** The arguments of its function that are bytes, such as `address`. */
  readonly bytesArguments: readonly string[]
  /** Those that are true or false. */
  readonly flags: readonly string[]
  /** Whether a condition on the columns may narrow a scan. */
  readonly takesConditions: boolean
}

/** What the queries of a thread may use. */
export interface SqlTables {
  readonly tables: readonly SqlTable[]
  /** Whether a query may open files and connections. */
  readonly allowsFiles: boolean
  /** Folder for what does not fit into memory; it is made if it is needed. */
  readonly temporaryFolder: string
}

/** What a thread of queries gets when it starts. */
export interface QueryThreadStart extends SqlTables {
  /** Memory that both threads share: {@link answered} and {@link stopped}. */
  readonly control: Int32Array
}

/** A scan of a table: the columns that the query needs, and the arguments of the table's function. */
export interface ScanRequest {
  readonly table: string
  /** Blocks that the condition of the query leaves, both included. */
  readonly firstBlock?: number
  readonly lastBlock?: number
  readonly columns: readonly string[]
  /** As people write ranges. */
  readonly blocks: string | undefined
  /** Hex texts of the arguments that were given: any of them. */
  readonly bytes: Readonly<Record<string, readonly string[]>>
  /** Arguments that are true. */
  readonly flags: readonly string[]
}

/** To the thread. A query begins after the one before it has ended. Each `next` is answered by one part or error. */
export type ToThread = { readonly query: string } | 'next' | 'stop'

/** A part of a result: its columns first, then rows, then the end. */
export interface QueryPart {
  readonly columns?: readonly SqlColumn[]
  readonly rows?: readonly (readonly SqlValue[])[]
}

/** From the thread. A part without members is the end. */
export type FromThread =
  | { readonly part: QueryPart }
  | { readonly error: PlainError }
  | { readonly scan: ScanRequest; readonly port: MessagePort }

/** To the port of a scan, one for each message from there. Without batches the scan is over, or has failed with an error. */
export interface ScanAnswer {
  readonly batches?: readonly RowBatch[]
  readonly error?: string
}

/** Elements of the shared memory: how many answers scans got, so that the thread can wait for one; whether it is to stop. */
export const answered = 0
export const stopped = 1
