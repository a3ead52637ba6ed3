// What a report shows: for each chart its title, its meaning, its SQL and how its columns are drawn. Charts of the same rows are
// made from tables that the report stores, so that these are read from the directory once.
import type { ChartShape } from './draw-chart.js'

/** What a report is about. */
export interface ReportScope {
  /** Both ends included. */
  readonly from: number
  readonly to: number
}

export interface ReportSection {
  readonly id: string
  readonly title: string
  /** What the numbers mean, and what they leave out. */
  readonly text: string
  readonly sql: string
  /** The same query over the stored tables. */
  readonly storedSql: string
  readonly shape: ChartShape
}

/** How a query names the rows of a table, perhaps of one token. */
type TableName = (table: StoredTable | 'blocks' | 'logs', token?: string) => string

/** The columns of the tables that are stored for several charts. */
const storedColumns = {
  transactions: ['block_number', 'transaction_type', 'success', 'to_address', 'gas_used'],
  erc20_transfers: ['block_number', 'erc20', 'from_address', 'to_address', 'value_f64'],
} as const

type StoredTable = keyof typeof storedColumns

/** The queries that store tables. */
export function storingQueries(scope: ReportScope): readonly string[] {
  const { source } = textsOf(scope)
  return Object.entries(storedColumns).map(
    ([table, columns]) =>
      `create temp table stored_${table} as select ${columns.join(', ')} from ${source(table as StoredTable)}`,
  )
}

/** Rows of the stored tables; of other tables those of the directory. */
const storedName =
  (source: TableName): TableName =>
  (table, token) => {
    if (!(table in storedColumns)) return source(table, token)
    return token === undefined
      ? `stored_${table}`
      : `(select * from stored_${table} where erc20 = unhex('${token.slice(2)}'))`
  }

interface SectionText extends Omit<ReportSection, 'sql' | 'storedSql'> {
  readonly query: (name: TableName) => string
}

function withQueries({ query, ...section }: SectionText, source: TableName): ReportSection {
  return { ...section, sql: query(source), storedSql: query(storedName(source)) }
}

/** Most groups of blocks on an axis. */
const mostGroups = 60

/** Blocks of a group: 1, 2 or 5 times a power of ten. */
function groupSize({ from, to }: ReportScope): number {
  const least = (to - from + 1) / mostGroups
  for (let power = 1; ; power *= 10) {
    for (const step of [power, 2 * power, 5 * power]) if (step >= least) return step
  }
}

/** The groups of blocks of a range by their first block, which is a multiple of the size except for the first group. */
export function groupsOf({ from, to }: ReportScope): readonly number[] {
  const size = groupSize({ from, to })
  const first = Math.floor(from / size)
  return Array.from({ length: Math.floor(to / size) - first + 1 }, (_, i) => (first + i) * size)
}

/** The section from whose first row the token is taken if none is given. */
export const tokensSection = 'tokens'

/** All sections of a report without those of a token. Sections with the same query share its result. */
export function chainSections(scope: ReportScope): readonly ReportSection[] {
  const { source, group, each } = textsOf(scope)
  const transactions = (name: TableName) => `select ${group} as block, count(*) as transactions,
  ${[0, 1, 2, 3, 4].map((type) => `count(*) filter (transaction_type = ${type}) as type_${type}`).join(',\n  ')},
  100 * avg((not success)::int) as failed_percent,
  count(*) filter (to_address is null and success is not false) as contracts
from ${name('transactions')}
group by block
order by block`
  const headers = (
    name: TableName,
  ) => `select ${group} as block, avg(gas_used) as gas_used, avg(gas_limit) as gas_limit,
  avg(base_fee_per_gas) / 1e9 as mean_gwei, max(base_fee_per_gas) / 1e9 as highest_gwei,
  sum(base_fee_per_gas::double * gas_used) / 1e18 as burned_ether,
  coalesce(sum(blob_gas_used), 0)::ubigint as blob_gas
from ${name('blocks')}
group by block
order by block`
  const sections: readonly SectionText[] = [
    {
      id: 'transactions',
      title: 'Transactions',
      text: `Transactions in ${each}.`,
      query: transactions,
      shape: { kind: 'bars', series: [{ column: 'transactions', name: 'transactions' }] },
    },
    {
      id: 'types',
      title: 'Types of transactions',
      text: `Transactions in ${each} by type: 0 without fee market, 1 with an access list, 2 with fee market, 3 with blobs, 4 that sets code.`,
      query: transactions,
      shape: {
        kind: 'stackedBars',
        series: [0, 1, 2, 3, 4].map((type) => ({ column: `type_${type}`, name: `type ${type}` })),
      },
    },
    {
      id: 'failed',
      title: 'Failed transactions',
      text: `Share of the transactions that failed, in ${each}. Receipts before Byzantium do not say it.`,
      query: transactions,
      shape: { kind: 'line', unit: '%', series: [{ column: 'failed_percent', name: 'failed' }] },
    },
    {
      id: 'gas',
      title: 'Gas used and gas limit',
      text: `Means of the blocks in ${each}.`,
      query: headers,
      shape: {
        kind: 'line',
        series: [
          { column: 'gas_used', name: 'gas used' },
          { column: 'gas_limit', name: 'gas limit' },
        ],
      },
    },
    {
      id: 'base-fee',
      title: 'Base fee',
      text: `Mean and highest base fee in ${each}, in gwei.`,
      query: headers,
      shape: {
        kind: 'line',
        unit: 'gwei',
        series: [
          { column: 'mean_gwei', name: 'mean' },
          { column: 'highest_gwei', name: 'highest' },
        ],
      },
    },
    {
      id: 'burn',
      title: 'Burned fees',
      text: `Base fee times gas used in ${each}, in ether. The fees of blobs are burned too, and are not in it.`,
      query: headers,
      shape: { kind: 'bars', unit: 'ETH', series: [{ column: 'burned_ether', name: 'burned' }] },
    },
    {
      id: 'blobs',
      title: 'Blob gas',
      text: `Gas of blobs in ${each}; a blob takes 131,072.`,
      query: headers,
      shape: { kind: 'bars', series: [{ column: 'blob_gas', name: 'blob gas' }] },
    },
    {
      id: 'receivers-by-gas',
      title: 'Receivers by gas',
      text: 'Gas of the transactions to an account. Calls inside of a transaction count for its receiver.',
      query: (name) => `select to_address, sum(gas_used)::ubigint as gas, count(*) as transactions
from ${name('transactions')}
where to_address is not null
group by to_address
order by gas desc, to_address
limit 12`,
      shape: { kind: 'ranks', label: 'to_address', series: [{ column: 'gas', name: 'gas' }] },
    },
    {
      id: 'contracts-by-logs',
      title: 'Contracts by logs',
      text: 'Logs that a contract made.',
      query: (name) => `select address, count(*) as logs
from ${name('logs')}
group by address
order by logs desc, address
limit 12`,
      shape: { kind: 'ranks', label: 'address', series: [{ column: 'logs', name: 'logs' }] },
    },
    {
      id: 'new-contracts',
      title: 'New contracts',
      text: `Contracts that transactions created in ${each}. Those that contracts created are not in receipts: only an execution shows them.`,
      query: transactions,
      shape: { kind: 'bars', series: [{ column: 'contracts', name: 'new contracts' }] },
    },
    {
      id: 'active',
      title: 'Active accounts',
      text: `Different accounts in ${each} that received a transaction, or sent or received an ERC-20 token. Accounts that only sent transactions are not counted: a sender has to be recovered from its signature, which takes far longer.`,
      query: (name) => `select block, count(distinct account) as accounts
from (
  select ${group} as block, to_address as account from ${name('transactions')}
  union all
  select ${group}, unnest([from_address, to_address]) from ${name('erc20_transfers')}
)
group by block
order by block`,
      shape: { kind: 'line', series: [{ column: 'accounts', name: 'accounts' }] },
    },
    {
      id: tokensSection,
      title: 'ERC-20 tokens by transfers',
      text: 'Transfer events of a token.',
      query: (name) => `select erc20, count(*) as transfers
from ${name('erc20_transfers')}
group by erc20
order by transfers desc, erc20
limit 12`,
      shape: { kind: 'ranks', label: 'erc20', series: [{ column: 'transfers', name: 'transfers' }] },
    },
  ]
  return sections.map((section) => withQueries(section, source))
}

/** How queries and texts name the blocks of a report. */
function textsOf(scope: ReportScope): { source: TableName; group: string; each: string } {
  const size = groupSize(scope)
  return {
    source: (table, token) =>
      `${table}(blocks := '${scope.from}:${scope.to}'${token === undefined ? '' : `, address := '${token}'`})`,
    group: size === 1 ? 'block_number' : `block_number // ${size} * ${size}`,
    each: size === 1 ? 'each block' : `each group of ${size.toLocaleString('en')} blocks`,
  }
}

/** The sections of a token, which is `0x` and hex. */
export function tokenSections(scope: ReportScope, token: string): readonly ReportSection[] {
  const { source, group, each } = textsOf(scope)
  const sections: readonly SectionText[] = [
    {
      id: 'token-volume',
      title: `Volume of ${token}`,
      text: `Sum of the transfers in ${each}, in the smallest unit of the token.`,
      query: (name) => `select ${group} as block, count(*) as transfers, sum(value_f64) as volume
from ${name('erc20_transfers', token)}
group by block
order by block`,
      shape: { kind: 'bars', series: [{ column: 'volume', name: 'volume' }] },
    },
    {
      id: 'token-holders',
      title: `Holders of ${token}`,
      text: 'What accounts received less what they sent in these blocks, in the smallest unit. That is their balance if the range begins before the first transfer and every change of a balance makes an event.',
      query: (name) => `select holder, sum(change) as balance
from (
  select to_address as holder, value_f64 as change from ${name('erc20_transfers', token)}
  union all
  select from_address, -value_f64 from ${name('erc20_transfers', token)}
)
where holder != unhex('${'0'.repeat(40)}')
group by holder
order by balance desc, holder
limit 12`,
      shape: { kind: 'ranks', label: 'holder', series: [{ column: 'balance', name: 'balance' }] },
    },
  ]
  return sections.map((section) => withQueries(section, source))
}
