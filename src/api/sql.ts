// SQL over the datasets of a directory: arguments, the tables, and their scans. DuckDB runs in a thread of its own (sql/).
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { boolean, describe, type Members, optionalSignal } from '../check.js'
import { type CanonicalBlock, checkCanonical } from '../datadir/canonical-block.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import { hasWholeState, isMadeOfLogs } from '../datasets/dataset.js'
import { datasets, findDataset } from '../datasets/dataset-table.js'
import { type RowBatch, type RowScanCost, scannedColumns } from '../datasets/scan-rows.js'
import { GethReaderError } from '../errors.js'
import type { LogFilter } from '../logs/filter.js'
import { addScanStats, newScanStats, type ScanStats } from '../logs/scan-stats.js'
import type { QueryPart, ScanRequest, SqlTable } from '../sql/query-messages.js'
import { QueryThread, runQuery } from '../sql/run-query.js'
import type { SqlColumn, SqlValue } from '../sql/sql-value.js'
import { writtenPaths } from '../sql/written-paths.js'
import { OrderedRowScan } from '../workers/scan-rows.js'
import { checkArguments } from './members.js'
import { checkIsOutside } from './output-path.js'
import { logFilter } from './parameters.js'
import type { LogPlanStep } from './scan-logs.js'
import { argumentNames, holdersFlag, mayHaveHolders, requestedStates } from './sql-states.js'
import type { LogFilterParameters } from './types.js'
import { parseRange, resolveRange, type WrittenRange } from './written-range.js'

/** Options of `sql`. */
export interface SqlOptions {
  /** Tables end at the finalized block instead of the head. Default false. */
  readonly finalized?: boolean
  /**
   * Lets the query read and write every file that this process may, as DuckDB's SQL can (`read_parquet`, `copy … to`). Default false:
   * do not set it for a query that comes from somebody else. A query that names a path inside the data directory to write to throws
   * TypeError.
   */
  readonly files?: boolean
  /** Cancels the query, which throws ABORTED. */
  readonly signal?: AbortSignal
}

const optionMembers: Members<SqlOptions> = { finalized: true, files: true, signal: true }

/** A row of a result by the names of its columns. */
export type SqlRow = Readonly<Record<string, SqlValue>>

/** A scan of a table that a query made. */
export interface SqlScan {
  /** Name of the table, which is that of its dataset. */
  readonly table: string
  /** Columns that were read. */
  readonly columns: readonly string[]
  /** Both ends included. */
  readonly fromBlock: bigint
  readonly toBlock: bigint
  /** How the blocks to read were found. */
  readonly steps: readonly LogPlanStep[]
  /** Blocks that the index or the blooms let through and that were read so far; without a filter all of them. */
  readonly blocksRead: number
  /** Rows given to the query. */
  readonly rows: number
  /** Bytes of records, indexes and headers. */
  readonly bytes: number
  /** What it cost to find the blocks. */
  readonly search: Readonly<ScanStats>
}

/** A query. It runs during its iteration, of which there can be one. */
export interface SqlQueryRun extends AsyncIterable<SqlRow> {
  /** The columns of the result; empty before the first row is asked for. */
  readonly columns: readonly SqlColumn[]
  /** The scans so far. */
  readonly scans: readonly SqlScan[]
  /**
   * Runs the query and returns all rows.
   *
   * @example
   * ```ts
   * const run = chain.sql('select block_number, gas_used from blocks order by gas_used desc limit 3')
   * console.log(await run.rows())
   * console.log(run.columns, run.scans[0]?.blocksRead)
   * ```
   */
  rows(): Promise<SqlRow[]>
}

const topicNames = ['topic0', 'topic1', 'topic2', 'topic3']

/** Every dataset. */
const tables: readonly SqlTable[] = datasets.map((dataset) => ({
  name: dataset.name,
  columns: scannedColumns(dataset).map(({ name, type }) => ({ name, type })),
  bytesArguments: isMadeOfLogs(dataset)
    ? ['address', ...topicNames]
    : (dataset.selectedBy ?? []).map((argument) => argumentNames[argument]),
  flags: mayHaveHolders(dataset) ? [holdersFlag] : [],
  // A table of state has other rows if its argument names other blocks.
  takesConditions: dataset.origin !== 'state',
}))

/** A query that starts with its iteration. */
export function sql(datadir: Datadir, query: string, options: SqlOptions): SqlQueryRun {
  const scans: OpenedScan[] = []
  let columns: readonly SqlColumn[] = []
  async function* run(): AsyncGenerator<SqlRow, void, undefined> {
    if (typeof query !== 'string') throw new TypeError(`query: expected text, got ${describe(query)}`)
    for (const path of options.files === true ? writtenPaths(query) : []) {
      checkIsOutside('query', resolve(path), { expected: 'a path', paths: datadir.paths })
    }
    for await (const part of runQuery(query, ...(await threadArguments(datadir, options, scans)))) {
      columns = part.columns ?? columns
      yield* rowsOf(part, columns)
    }
  }
  const rows = run()
  return {
    get columns() {
      return columns
    },
    get scans() {
      return scans.map((scan) => scan.state)
    },
    rows: async () => {
      const all: SqlRow[] = []
      for await (const row of rows) all.push(row)
      return all
    },
    [Symbol.asyncIterator]: () => rows,
  }
}

/** All columns and rows of a result. */
export interface SqlResult {
  readonly columns: readonly SqlColumn[]
  readonly rows: readonly SqlRow[]
}

/** Queries one after the other, which see the tables that those before them created. */
export class SqlSession implements AsyncDisposable {
  readonly #thread: QueryThread

  private constructor(thread: QueryThread) {
    this.#thread = thread
  }

  static async open(datadir: Datadir, options: SqlOptions): Promise<SqlSession> {
    return new SqlSession(new QueryThread(...(await threadArguments(datadir, options, []))))
  }

  /** Runs a query. Throws as `sql`. */
  async read(query: string): Promise<SqlResult> {
    let columns: readonly SqlColumn[] = []
    const rows: SqlRow[] = []
    for await (const part of this.#thread.run(query)) {
      columns = part.columns ?? columns
      rows.push(...rowsOf(part, columns))
    }
    return { columns, rows }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }
}

function rowsOf({ rows = [] }: QueryPart, columns: readonly SqlColumn[]): SqlRow[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]!])))
}

async function threadArguments(
  datadir: Datadir,
  options: SqlOptions,
  scans: OpenedScan[],
): Promise<ConstructorParameters<typeof QueryThread>> {
  checkArguments([{}, {}], [options, optionMembers])
  const given = optionalSignal('signal', options.signal)
  const signal = given ? AbortSignal.any([given, datadir.closing]) : datadir.closing
  const isFinalized = boolean('finalized', options.finalized ?? false)
  // All scans of a query are of one chain.
  const last = await datadir.ask(async (view) => lastBlock(view, isFinalized))
  const start = {
    tables,
    allowsFiles: boolean('files', options.files ?? false),
    temporaryFolder: join(tmpdir(), `geth-reader-sql-${randomUUID()}`),
  }
  return [
    start,
    {
      signal,
      openScan: (request, ending) => {
        const scan = new OpenedScan(request, last)
        scans.push(scan)
        return scan.batches(datadir, ending)
      },
    },
  ]
}

function lastBlock({ chain }: ChainView, isFinalized: boolean): CanonicalBlock {
  const number = chain.tagNumber(isFinalized ? 'finalized' : 'latest')
  if (number === undefined)
    throw new GethReaderError('BLOCK_NOT_FOUND', 'this directory records no finalized block')
  return { number, hash: chain.header({ number })!.hash }
}

/** A scan of a table, with its cost so far. */
class OpenedScan {
  readonly #request: ScanRequest
  readonly #last: CanonicalBlock
  #scan: OrderedRowScan | undefined
  #state: SqlScan
  readonly #search = newScanStats()

  constructor(request: ScanRequest, last: CanonicalBlock) {
    this.#request = request
    this.#last = last
    const { table, columns } = request
    const none = { blocksRead: 0, rows: 0, bytes: 0, steps: [], fromBlock: 0n, toBlock: 0n }
    this.#state = { table, columns, ...none, search: this.#search }
  }

  get state(): SqlScan {
    return this.#state
  }

  /**
   * The rows. Throws RangeError and TypeError for wrong arguments, INVALID_RANGE for blocks beyond the last one, and
   * STATE_UNAVAILABLE for a block whose state is needed and is not there.
   */
  async *batches(
    datadir: Datadir,
    signal: AbortSignal,
  ): AsyncGenerator<readonly RowBatch[], void, undefined> {
    const { table, columns } = this.#request
    const filter = requestedLogs(this.#request)
    const range = await datadir.ask((view) => selectBlocks(view, this.#request, this.#last.number))
    if (range.from > range.to) return
    const states = await requestedStates(datadir, this.#request, { range, signal })
    const pieces = datadir.stream((view, ending) => {
      checkCanonical(view, this.#last)
      if (this.#scan === undefined) {
        const isExecuted = findDataset(table).origin === 'execution'
        const maxLead = isExecuted ? view.mostReplayedBlocks : undefined
        this.#scan = new OrderedRowScan({ dataset: table, columns, filter, maxLead, ...states, ...range })
        this.#plan(view, this.#scan, range)
      }
      return view.scanRows(this.#scan, ending)
    }, signal)
    for await (const { batches, cost } of pieces) {
      this.#add(cost)
      yield batches
    }
  }

  #plan(view: ChainView, scan: OrderedRowScan, { from, to }: { from: number; to: number }): void {
    const steps = scan.plan(view.snapshot).map(({ source, from, to }) => ({
      source,
      fromBlock: BigInt(from),
      toBlock: BigInt(to),
    }))
    this.#state = { ...this.#state, steps, fromBlock: BigInt(from), toBlock: BigInt(to) }
  }

  #add({ blocksRead, rows, bytes, search }: RowScanCost): void {
    addScanStats(this.#search, search)
    const { state } = this
    this.#state = {
      ...state,
      blocksRead: state.blocksRead + blocksRead,
      rows: state.rows + rows,
      bytes: state.bytes + bytes,
    }
  }
}

function requestedLogs({ table, bytes }: ScanRequest): LogFilter {
  if (!isMadeOfLogs(findDataset(table))) return logFilter({})
  // A log with fewer topics than the filter has positions does not match.
  const last = topicNames.findLastIndex((name) => bytes[name] !== undefined)
  const topics = topicNames.slice(0, last + 1).map((name) => bytes[name] ?? null)
  return logFilter({ address: bytes['address'], topics } as LogFilterParameters)
}

/** The range of a `blocks` argument. Throws TypeError. */
function parseBlocks(text: string): WrittenRange {
  try {
    return parseRange(text)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new TypeError(`blocks: ${error.message}, got ${text}`, { cause: error })
  }
}

/** The blocks of a range as it is written, or all up to the last one (for a table of state that one); of these those of a condition, perhaps none. */
async function selectBlocks(
  { chain }: ChainView,
  { table, blocks, firstBlock = 0, lastBlock = Number.POSITIVE_INFINITY }: ScanRequest,
  last: number,
): Promise<{ readonly from: number; readonly to: number }> {
  const dataset = findDataset(table)
  const all = dataset.origin === 'state' ? 'latest' : ':'
  const { fromBlock, toBlock } = await resolveRange(parseBlocks(blocks ?? all), (tag) => {
    const number = tag === 'latest' ? last : chain.tagNumber(tag)
    return number === undefined ? undefined : BigInt(number)
  })
  if (toBlock > last) {
    throw new GethReaderError('INVALID_RANGE', `blocks: expected at most ${last}, got ${toBlock}`, {
      block: toBlock,
      available: `0 to ${last}`,
    })
  }
  if (fromBlock > toBlock)
    throw new RangeError(`blocks: expected a range of blocks, got ${fromBlock} to ${toBlock}`)
  const range = { from: Math.max(Number(fromBlock), firstBlock), to: Math.min(Number(toBlock), lastBlock) }
  if (hasWholeState(dataset) && range.from !== range.to)
    throw new RangeError(`blocks: expected one block for ${table}, got ${fromBlock} to ${toBlock}`)
  return range
}
