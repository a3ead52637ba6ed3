// The thread of queries that run one after the other: DuckDB, the tables, and results, part by part when the main thread asks for
// them.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import type * as DuckDB from '@duckdb/node-api'
import { errorToPlain, GethReaderError } from '../errors.js'
import { createTable, type LoadedDuckDB } from './duckdb-tables.js'
import type { Bindings } from './fill-chunk.js'
import { OpenScan } from './open-scan.js'
import {
  type FromThread,
  type QueryPart,
  type QueryThreadStart,
  type ScanRequest,
  stopped,
  type ToThread,
} from './query-messages.js'
import { resultValue } from './result-value.js'
import { type WhereFilter, whereFilters } from './where-filters.js'

const packageName = '@duckdb/node-api'
const installCommand = 'npm install @duckdb/node-api@1.5.5-r.5'

const mainThread = parentPort!
const { control, ...start } = workerData as QueryThreadStart

/** What DuckDB may use. Extensions would be downloaded. */
const settings = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  temp_directory: start.temporaryFolder,
  enable_external_access: String(start.allowsFiles),
}

/** Throws MISSING_PACKAGE if DuckDB is not installed, or too old. */
function loadDuckDB(): LoadedDuckDB {
  const missing = (what: string, cause?: unknown) =>
    new GethReaderError(
      'MISSING_PACKAGE',
      `SQL needs ${packageName}, which ${what}; install it: ${installCommand}`,
      { cause },
    )
  // 60 % of the processor time of `import`, which also parses the package for its names (2026-11-23).
  const entry = packageEntry(missing)
  const require = createRequire(entry)
  const api: typeof DuckDB = require(entry)
  if (api.DuckDBTableFunction === undefined) throw missing('is too old here')
  return { api, bindings: require('@duckdb/node-bindings') as Bindings }
}

/** The file that an import of the package would load. */
function packageEntry(missing: (what: string, cause: unknown) => Error): string {
  try {
    return fileURLToPath(import.meta.resolve(packageName))
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
      ? missing('is not installed', error)
      : error
  }
}

function openScan(scan: ScanRequest): OpenScan {
  return new OpenScan(control, (port) => mainThread.postMessage({ scan, port } satisfies FromThread, [port]))
}

/** Between two interruptions: one that comes before DuckDB has begun with a query is forgotten. */
const interruptionMilliseconds = 10

interface Session {
  readonly connection: DuckDB.DuckDBConnection
  close(): void
}

let session: Promise<Session> | undefined
/** What the query that runs asks of each table. */
let filters: ReadonlyMap<string, WhereFilter> = new Map()

async function openSession(): Promise<Session> {
  const duckdb = loadDuckDB()
  const instance = await duckdb.api.DuckDBInstance.create(':memory:', settings)
  const connection = await instance.connect()
  for (const table of start.tables)
    await createTable(duckdb, connection, { table, where: () => filters.get(table.name), openScan })
  const interrupting = setInterval(() => {
    if (Atomics.load(control, stopped) !== 0) connection.interrupt()
  }, interruptionMilliseconds)
  return {
    connection,
    close() {
      clearInterval(interrupting)
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** The parts of the result. */
async function* runQuery(query: string): AsyncGenerator<QueryPart, void, undefined> {
  session ??= openSession()
  const { connection } = await session
  let result: DuckDB.DuckDBResult | undefined
  try {
    filters = await readFilters(connection, query)
    result = await connection.stream(query)
    const types = result.columnTypes()
    yield {
      columns: result.deduplicatedColumnNames().map((name, i) => ({ name, type: types[i]!.toString() })),
    }
    for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk())
      yield { rows: chunk.getRows().map((row) => row.map(resultValue)) }
    result = undefined
  } finally {
    // Closing waits for the threads of DuckDB, and these may wait for this one: they end first.
    if (result) connection.interrupt()
    await drain(result)
  }
}

/** What a query asks of each table; nothing if it is no `select`. */
async function readFilters(
  connection: DuckDB.DuckDBConnection,
  query: string,
): Promise<ReadonlyMap<string, WhereFilter>> {
  const read = await connection.runAndReadAll('select json_serialize_sql($1::varchar)', [query])
  const tree = JSON.parse(String(read.value(0, 0)))
  const names = start.tables.filter(({ takesConditions }) => takesConditions).map(({ name }) => name)
  return tree.error ? new Map() : whereFilters(tree, names)
}

/** Reads a result that was interrupted up to the error. */
async function drain(result: DuckDB.DuckDBResult | undefined): Promise<void> {
  try {
    while ((await result?.fetchChunk())?.rowCount);
  } catch {
    // The interruption, or what ended the query before.
  }
}

let parts: AsyncGenerator<QueryPart, void, undefined> | undefined

mainThread.on('message', async (message: ToThread) => {
  if (message === 'stop') {
    // Leaves the query if it waits for the main thread.
    await parts?.return().catch(() => {})
    const opened = await session?.catch(() => undefined)
    opened?.close()
    mainThread.close()
    return
  }
  if (message !== 'next') {
    parts = runQuery(message.query)
    return
  }
  const answer: FromThread = await parts!.next().then(
    ({ value = {} }) => ({ part: value }),
    (error) => ({ error: errorToPlain(error) }),
  )
  mainThread.postMessage(answer)
})
