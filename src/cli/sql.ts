// geth-reader sql: runs a query of DuckDB's SQL over the datasets of a directory.
import { randomUUID } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Command, Option } from 'commander'
import { openDatadir } from '../api/open-datadir.js'
import { outputFile } from '../api/output-path.js'
import type { SqlQueryRun, SqlRow, SqlScan } from '../api/sql.js'
import { throwIfAborted } from '../stop.js'
import { addDatadirOptions, type DatadirFlags, datadirOptions } from './datadir-options.js'
import { withDatasetExit } from './exit.js'
import { formatBytes } from './format-bytes.js'
import { wrapHelp } from './help-text.js'
import { interruptible } from './interruption.js'
import { LineOutput } from './line-output.js'
import { formatPlan } from './log-explanation.js'
import { type RowFormat, rowsAsCsv, rowsAsJson, rowsAsTable } from './sql-formats.js'

interface SqlFlags extends DatadirFlags {
  readonly json?: boolean
  readonly csv?: boolean
  readonly parquet?: string
  readonly finalized?: boolean
  readonly explain?: boolean
}

/** Rows of a table by whose values its columns get their widths. */
const sampledRows = 1000

const help = `
Each dataset is a table; geth-reader datasets shows the columns. Bytes are BLOBs: write unhex('a0b8…') in a query, and read 0x… in the
result. A table is also a function, whose arguments say what to read: blocks := '15M:+1000', in the forms of geth-reader logs,
and for tables that are made of logs address, topic0, topic1, topic2 and topic3, each 0x… or a list. Then only the blocks are read
that the log index or the blooms let through. A simple where does the same: address = unhex('…') and block_number between 5 and 9.
Tables of states need to know whose, and have the state after the newest block without blocks: address, slot, contract, call_data, and
all_holders := true, as the options of geth-reader export.

Examples:
  geth-reader sql "select address, count(*) as logs from logs(blocks := '-1000:') group by address order by logs desc limit 10"
  geth-reader sql "select sum(value_f64) / 1e6 from erc20_transfers(address := '0xa0b8…', blocks := '18M:19M')"
  geth-reader sql "select * from balances(address := '0xd8da…', blocks := '-100:')" --csv
  geth-reader sql "select * from transactions(blocks := '-10:')" --parquet newest.parquet

SQL needs DuckDB, which is installed separately: npm install @duckdb/node-api@1.5.5-r.5
A query can read and write files, as your user can, but writes none inside the data directory.

Exit codes: 0 done, 2 wrong usage, 3 run it again, 4 this directory cannot give it, 130 interrupted.`

export function sqlCommand(): Command {
  const how = (flags: string, description: string) =>
    new Option(flags, description).helpGroup('How rows are printed (default: as a table):')
  const command = new Command('sql')
    .description("Run a query of DuckDB's SQL over the datasets, without an export")
    .argument('<query>', 'the query')
    .addOption(how('--json', 'one JSON object per line').conflicts(['csv', 'parquet']))
    .addOption(how('--csv', 'CSV with a header').conflicts(['json', 'parquet']))
    .addOption(how('--parquet <file>', 'to a Parquet file instead').conflicts(['json', 'csv']))
    .addOption(how('--explain', 'also what was read (on standard error)'))
    .addOption(new Option('--finalized', 'tables end at the finalized block (default: at the head)'))
  return addDatadirOptions(command)
    .addHelpText('after', wrapHelp(help))
    .action((query: string, flags: SqlFlags) =>
      interruptible((signal) =>
        withDatasetExit(() =>
          flags.parquet === undefined
            ? printQuery(query, flags, signal)
            : writeQuery(query, { ...flags, parquet: flags.parquet }, signal),
        ),
      ),
    )
}

async function printQuery(query: string, flags: SqlFlags, interruption: AbortSignal): Promise<void> {
  await using chain = await openDatadir({ ...datadirOptions(flags), signal: interruption })
  const output = new LineOutput()
  const signal = AbortSignal.any([interruption, output.gone])
  const run = chain.sql(query, { files: true, finalized: flags.finalized === true, signal })
  const started = performance.now()
  try {
    await print(run, output, flags)
    await output.flush()
  } catch (error) {
    if (!output.gone.aborted || interruption.aborted) throw error
  }
  if (flags.explain) console.error(formatScans(run.scans, performance.now() - started))
}

async function print(run: SqlQueryRun, output: LineOutput, { json, csv }: SqlFlags): Promise<void> {
  const format: RowFormat = json ? rowsAsJson() : csv ? rowsAsCsv() : rowsAsTable()
  const first: SqlRow[] = []
  let isBegun = false
  const begin = async () => {
    isBegun = true
    for (const line of format.header(run.columns, first)) await output.line(line)
    for (const row of first) await output.line(format.line(row))
  }
  for await (const row of run) {
    if (isBegun) await output.line(format.line(row))
    else if (first.push(row) === sampledRows) await begin()
  }
  if (!isBegun) await begin()
}

/** Writes a file as a whole: under a hidden name first. */
async function writeQuery(
  query: string,
  flags: SqlFlags & { readonly parquet: string },
  signal: AbortSignal,
): Promise<void> {
  await using chain = await openDatadir({ ...datadirOptions(flags), signal })
  const path = outputFile('--parquet', flags.parquet, chain.datadir.paths)
  const hidden = join(dirname(path), `.${basename(path)}.${randomUUID()}`)
  const select = query.replace(/[\s;]+$/, '')
  const copy = `copy (\n${select}\n) to '${hidden.replaceAll("'", "''")}' (format parquet, compression zstd)`
  const run = chain.sql(copy, { files: true, finalized: flags.finalized === true, signal })
  const started = performance.now()
  try {
    const [result] = await run.rows()
    throwIfAborted(signal)
    renameSync(hidden, path)
    console.error(`geth-reader: ${Object.values(result ?? {})[0] ?? 0} rows written to ${path}`)
  } finally {
    rmSync(hidden, { force: true })
  }
  if (flags.explain) console.error(formatScans(run.scans, performance.now() - started))
}

/** What the scans of a query read, with the plan of each. */
function formatScans(scans: readonly SqlScan[], milliseconds: number): string {
  const lines = scans.flatMap(({ table, columns, steps, fromBlock, toBlock, blocksRead, rows, bytes }) => [
    `scan: ${table}, columns ${columns.join(', ')}`,
    steps.every(({ source }) => source === 'receipts')
      ? `plan: blocks ${fromBlock} to ${toBlock}, all of them`
      : formatPlan({ steps, unusedIndexes: [] }),
    `cost: ${blocksRead} of ${toBlock - fromBlock + 1n} blocks read, ${formatBytes(bytes)}, ${rows} rows`,
  ])
  return [...lines, `cost: ${(milliseconds / 1_000).toPrecision(3)} s`].join('\n')
}
