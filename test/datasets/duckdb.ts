// Runs SQL with DuckDB, which knows nothing of this project.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

/** Rows of a query as objects; bytes as hex, integers beyond 2^53 as text. */
export async function query(sql: string): Promise<Record<string, unknown>[]> {
  using database = await DuckDB.open()
  return await database.query(sql)
}

/** A database in memory, for queries that share views. */
export class DuckDB implements Disposable {
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance
    this.#connection = connection
  }

  static async open(): Promise<DuckDB> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    return new DuckDB(instance, await instance.connect())
  }

  /** As {@link query}. */
  async query(sql: string): Promise<Record<string, unknown>[]> {
    const reader = await this.#connection.runAndReadAll(sql)
    return reader.getRowObjectsJson() as Record<string, unknown>[]
  }

  [Symbol.dispose](): void {
    this.#connection.closeSync()
    this.#instance.closeSync()
  }
}
