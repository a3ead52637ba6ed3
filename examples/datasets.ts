// Exports blocks and logs of the newest finalized blocks as Parquet, and asks DuckDB about them.
// node datasets.ts ~/.ethereum lake 1000
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { openDatadir } from 'geth-reader'

const [datadir, folder, blocks = '1000'] = process.argv.slice(2)
if (datadir === undefined || folder === undefined) {
  console.error('usage: node datasets.ts DATADIR FOLDER [BLOCKS]')
  process.exit(2)
}

const chain = await openDatadir(datadir)
const { finalized, head } = await chain.getInfo()
const toBlock = (finalized ?? head).number
const fromBlock = toBlock < BigInt(blocks) ? 0n : toBlock - BigInt(blocks) + 1n
const exported = await chain.export({ datasets: ['blocks', 'logs'], folder, fromBlock, toBlock })
console.log(`${exported.rows} rows of blocks ${exported.fromBlock} to ${exported.toBlock}`)
await chain.close()

const files = (dataset: string) => `'${join(folder, `*__${dataset}__*.parquet`)}'`
const database = await DuckDBInstance.create()
const connection = await database.connect()
const result = await connection.runAndReadAll(`
  SELECT '0x' || lower(hex(address)) AS contract, count(*) AS logs, round(avg(gas_used)) AS gas_of_block
  FROM ${files('logs')} JOIN ${files('blocks')} USING (block_number)
  GROUP BY address ORDER BY logs DESC, contract LIMIT 5`)
console.table(result.getRowObjectsJson())
connection.closeSync()
database.closeSync()
