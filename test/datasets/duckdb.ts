// Runs SQL with DuckDB, which knows nothing of this project.
import { DuckDBInstance } from '@duckdb/node-api'

/** Rows of a query as objects; bytes as hex, integers beyond 2^53 as text. */
export async function query(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  try {
    const reader = await connection.runAndReadAll(sql)
    return reader.getRowObjectsJson() as Record<string, unknown>[]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
