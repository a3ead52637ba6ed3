// Conditions of queries, as DuckDB's parser gives them, and the filters that follow from them.
import { describe, expect, it } from 'vitest'
import { whereFilters } from '../../src/sql/where-filters.js'
import { query } from '../datasets/duckdb.js'

const address = 'ab'.repeat(20)
const topic = 'cd'.repeat(32)

async function filters(sql: string) {
  const [row] = await query(`select json_serialize_sql('${sql.replaceAll("'", "''")}') as tree`)
  const tree = row!['tree']
  return Object.fromEntries(
    whereFilters(typeof tree === 'string' ? JSON.parse(tree) : tree, ['logs', 'blocks']),
  )
}

describe('the filters of a query', () => {
  it.each([
    [`address = unhex('${address}')`, { bytes: { address: [`0x${address}`] } }],
    [`erc20 = from_hex('${address.toUpperCase()}')`, { bytes: { address: [`0x${address}`] } }],
    [
      `l.Address in (unhex('${address}'), unhex('${'01'.repeat(20)}'))`,
      { bytes: { address: [`0x${address}`, `0x${'01'.repeat(20)}`] } },
    ],
    [`topic2 = unhex('${topic}') and data is not null`, { bytes: { topic2: [`0x${topic}`] } }],
    ['block_number between 5 and 9', { firstBlock: 5, lastBlock: 9 }],
    ['block_number > 5 and (block_number <= 9 and block_number < 20)', { firstBlock: 6, lastBlock: 9 }],
    ['block_number = 7 and block_number = 8', { firstBlock: 8, lastBlock: 7 }],
    ['l.block_number < 3000000000', { lastBlock: 2999999999 }],
    // Not understood, or not certain.
    [`address = unhex('${address}') or block_number > 5`, {}],
    [`not (address = unhex('${address}'))`, {}],
    [`address != unhex('${address}') and address not in (unhex('${address}'))`, {}],
    ['block_number not between 5 and 9 and block_number > 5.5 and block_number > log_index', {}],
    [`address = '0x${address}' and address = unhex('ab') and other.address = unhex('${address}')`, {}],
    [`unhex('${address}') = address and topic0 is null`, {}],
  ])('where %s', async (where, expected) => {
    expect(await filters(`select * from logs l where ${where}`)).toEqual({ logs: expected })
  })

  it.each([
    'select (select max(block_number) from logs where block_number < 5) from range(3)',
    'select * from (select * from logs where block_number < 5) where log_index = 1',
    'select * from LOGS where Block_Number < 5 union all select 1',
    'from logs where block_number < 5',
  ])('are found in %s', async (sql) => {
    expect(await filters(sql)).toEqual({ logs: { lastBlock: 4 } })
  })

  it.each([
    ['a second use', 'select * from logs where block_number < 5 union all select * from logs'],
    ['a use in another case', 'select * from logs where block_number < 5 union all select * from Logs'],
    [
      'a use as a function',
      "select * from logs where block_number < 5 union all select * from logs(blocks := '1:2')",
    ],
    [
      'a table of the query',
      'with logs as (select 1 as block_number) select * from logs where block_number < 5',
    ],
    ['a join', 'select * from logs join blocks using (block_number) where block_number < 5'],
    ['a sample', 'select * from logs where block_number < 5 using sample 10 rows'],
    ['a sample of the table', 'select * from logs tablesample 10% where block_number < 5'],
    ['other names of columns', 'select * from logs as l(block_number, x) where x < 5'],
    ['another schema', 'select * from s.logs where block_number < 5'],
    ['another table', 'select * from transactions where block_number < 5'],
  ])('are none for %s', async (_, sql) => {
    expect(await filters(sql)).toEqual({})
  })
})
