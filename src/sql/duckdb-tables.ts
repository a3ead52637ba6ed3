// The tables of a query in DuckDB: a function and a view for each. Their rows come from scans of the main thread.
import type * as DuckDB from '@duckdb/node-api'
import { bytesToHex } from '../bytes.js'
import { type Bindings, fillChunk } from './fill-chunk.js'
import type { OpenScan } from './open-scan.js'
import type { ScanRequest, SqlTable } from './query-messages.js'
import type { WhereFilter } from './where-filters.js'

/** DuckDB, with the functions below its API that copy whole arrays. */
export interface LoadedDuckDB {
  readonly api: typeof DuckDB
  readonly bindings: Bindings
}

/** Arguments of a table's function. */
type ScanArguments = Omit<ScanRequest, 'table' | 'columns'>

/** Makes the function of a table, such as `logs(blocks := …, address := …, topic0 := …)`, and the view `name` of all rows. */
export async function createTable(
  { api, bindings }: LoadedDuckDB,
  connection: DuckDB.DuckDBConnection,
  {
    table,
    where,
    openScan,
  }: {
    readonly table: SqlTable
    /** What the query that runs asks of a scan without arguments. */
    readonly where: () => WhereFilter | undefined
    readonly openScan: (scan: ScanRequest) => OpenScan
  },
): Promise<void> {
  const vectorSize = bindings.vector_size()
  const tableFunction = api.DuckDBTableFunction.create({
    name: table.name,
    namedParameterTypes: {
      blocks: api.VARCHAR,
      ...Object.fromEntries(table.bytesArguments.map((name) => [name, api.ANY])),
      ...Object.fromEntries(table.flags.map((name) => [name, api.BOOLEAN])),
    },
    supportsProjectionPushdown: true,
    bindFunction: (bind) => {
      try {
        const scan = readArguments(table, (name) => bind.getNamedParameter(name))
        for (const { name, type } of table.columns) bind.addResultColumn(name, api[typeNames[type]])
        const condition = isWithoutArguments(scan) ? where() : undefined
        bind.setBindData(condition ? withCondition(scan, condition, table) : scan)
      } catch (error) {
        bind.setError(messageOf(error))
      }
    },
    initFunction: (init) => {
      const indexes = init.getColumnIndexes()
      const columns = indexes.map((index) => table.columns[index]!.name)
      // One thread, so that rows come in the order of the chain.
      init.setMaxThreads(1)
      init.setInitData(openScan({ table: table.name, columns, ...(init.bindData as ScanArguments) }))
    },
    mainFunction: (info, chunk) => {
      try {
        const rows = (info.initData as OpenScan).take(vectorSize)
        if (rows) fillChunk(bindings, chunk.chunk, rows)
        else bindings.data_chunk_set_size(chunk.chunk, 0)
      } catch (error) {
        info.setError(messageOf(error))
      }
    },
  })
  connection.registerTableFunction(tableFunction)
  await connection.run(`create view ${table.name} as select * from ${table.name}()`)
}

/** The arguments of a call of the function. Throws TypeError for one that is no bytes. */
function readArguments(
  { bytesArguments, flags }: SqlTable,
  read: (name: string) => DuckDB.DuckDBValue,
): ScanArguments {
  const blocks = read('blocks')
  const bytes = bytesArguments.flatMap((name) => {
    const values = hexValues(name, read(name))
    return values ? [[name, values] as const] : []
  })
  return {
    blocks: blocks === null ? undefined : String(blocks),
    bytes: Object.fromEntries(bytes),
    flags: flags.filter((name) => read(name) === true),
  }
}

function isWithoutArguments({ blocks, bytes, flags }: ScanArguments): boolean {
  return blocks === undefined && Object.keys(bytes).length === 0 && flags.length === 0
}

/** Adds a condition, as far as it is about arguments of the table. */
function withCondition(
  scan: ScanArguments,
  { bytes = {}, ...blocks }: WhereFilter,
  { bytesArguments }: SqlTable,
): ScanArguments {
  const known = Object.entries(bytes).filter(([name]) => bytesArguments.includes(name))
  return { ...scan, ...blocks, bytes: Object.fromEntries(known) }
}

const typeNames = {
  bool: 'BOOLEAN',
  u32: 'UINTEGER',
  u64: 'UBIGINT',
  i32: 'INTEGER',
  i64: 'BIGINT',
  f64: 'DOUBLE',
  binary: 'BLOB',
  string: 'VARCHAR',
  // A scan does not give this one: DuckDB's decimals have at most 38 digits.
  decimal: 'VARCHAR',
} as const

/** Hex texts of an argument: one text, bytes, or a list of them. Undefined for none. */
function hexValues(name: string, value: DuckDB.DuckDBValue): readonly string[] | undefined {
  if (value === null) return undefined
  if (typeof value === 'string') return value.split(',').map((text) => text.trim())
  if (typeof value === 'object' && 'items' in value)
    return value.items.flatMap((item) => hexValues(name, item) ?? [])
  if (typeof value === 'object' && 'bytes' in value && value.bytes instanceof Uint8Array)
    return [bytesToHex(value.bytes)]
  throw new TypeError(`${name}: expected text or bytes, or a list of them`)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
