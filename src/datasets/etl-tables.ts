// The tables of ethereum-etl (docs/schema.md and ethereumetl/streaming there): its names and its forms, with bytes as hex and large
// integers as digits. Each column has the values of a column of one of our datasets.
import { column, type Dataset, type DatasetColumn, nullable } from './dataset.js'
import { findDataset } from './dataset-table.js'
import { nearestName } from './nearest-name.js'

/** A name of ethereum-etl, and of the column that has its values if that is another one. */
type EtlColumn = string | readonly [name: string, source: string]

/** Types that are written in another form. */
const etlTypes: Partial<Record<DatasetColumn['type'], DatasetColumn['type']>> = {
  binary: 'string',
  u256: 'string',
}

// Columns that producers fill only for ethereum-etl.
const blockNumber = column('block_number', 'u32', 'number of the block')
const blockPlace = [
  column('block_hash', 'binary', 'hash of the block'),
  column('timestamp', 'u32', 'time of the block in seconds since 1970'),
  column('chain_id', 'u64', 'chain id of the network'),
]

interface EtlTable {
  readonly doc: string
  /** The dataset whose rows these are. */
  readonly producer: string
  readonly base: () => readonly DatasetColumn[]
  readonly sortedBy: readonly string[]
  /** All except `chain_id`, which is the last one. Default: all columns of `base`, in its order. */
  readonly columns?: readonly EtlColumn[]
}

const columnsOfDataset = (name: string) => () => findDataset(name).columns

const tables: Readonly<Record<string, EtlTable>> = {
  blocks: {
    doc: 'headers of blocks',
    producer: 'blocks',
    base: columnsOfDataset('blocks'),
    sortedBy: ['number'],
    columns: [
      ['number', 'block_number'],
      ['hash', 'block_hash'],
      'parent_hash',
      'nonce',
      ['sha3_uncles', 'uncles_hash'],
      'logs_bloom',
      'transactions_root',
      'state_root',
      'receipts_root',
      ['miner', 'author'],
      'difficulty',
      'total_difficulty',
      'size',
      'extra_data',
      'gas_limit',
      'gas_used',
      'timestamp',
      ['transaction_count', 'n_transactions'],
      'base_fee_per_gas',
      'withdrawals_root',
      'blob_gas_used',
      'excess_blob_gas',
    ],
  },
  transactions: {
    doc: 'transactions',
    producer: 'transactions',
    base: columnsOfDataset('transactions'),
    sortedBy: ['block_number', 'transaction_index'],
    columns: [
      ['hash', 'transaction_hash'],
      'nonce',
      'block_hash',
      'block_number',
      'transaction_index',
      'from_address',
      'to_address',
      'value',
      ['gas', 'gas_limit'],
      'gas_price',
      'input',
      ['block_timestamp', 'timestamp'],
      'max_fee_per_gas',
      'max_priority_fee_per_gas',
      'transaction_type',
      'max_fee_per_blob_gas',
    ],
  },
  receipts: {
    doc: 'receipts of transactions',
    producer: 'receipts',
    base: () => [
      ...findDataset('receipts').columns,
      nullable(column('status', 'u32', '1 for success, or 0; null before Byzantium')),
    ],
    sortedBy: ['block_number', 'transaction_index'],
    columns: [
      'transaction_hash',
      'transaction_index',
      'block_hash',
      'block_number',
      'cumulative_gas_used',
      'gas_used',
      'contract_address',
      'root',
      'status',
      'effective_gas_price',
      ['block_timestamp', 'timestamp'],
    ],
  },
  logs: {
    doc: 'logs of contracts',
    producer: 'logs',
    base: () => [
      ...findDataset('logs').columns,
      column('topics', 'string', 'all topics as hex, separated by commas'),
    ],
    sortedBy: ['block_number', 'log_index'],
    columns: [
      'log_index',
      'transaction_hash',
      'transaction_index',
      'block_hash',
      'block_number',
      'address',
      'data',
      'topics',
      ['block_timestamp', 'timestamp'],
    ],
  },
  token_transfers: {
    doc: 'Transfer events of ERC-20 and ERC-721 tokens, with arguments in topics or in the data',
    producer: 'etl_token_transfers',
    base: () => [
      column('token_address', 'binary', 'token'),
      column('from_address', 'binary', 'sender'),
      column('to_address', 'binary', 'receiver'),
      column('value', 'u256', 'amount, or the id of the token'),
      column('transaction_hash', 'binary', 'hash of the transaction'),
      column('log_index', 'u32', 'position of the log among those of its block'),
      blockNumber,
      ...blockPlace,
    ],
    sortedBy: ['block_number', 'log_index'],
  },
  traces: {
    doc: 'calls, creations, self-destructs and rewards',
    producer: 'etl_traces',
    base: () => [
      blockNumber,
      nullable(column('transaction_hash', 'binary', 'hash of the transaction')),
      nullable(column('transaction_index', 'u32', 'position of the transaction in its block')),
      nullable(column('from_address', 'binary', 'caller; null for a reward')),
      nullable(column('to_address', 'binary', 'callee, created contract, or who gets the wei')),
      column('value', 'u256', 'wei'),
      nullable(column('input', 'binary', 'input of a call, or the code that creates a contract')),
      nullable(column('output', 'binary', 'output of a call, or code of a created contract')),
      column('trace_type', 'string', 'call, create, suicide or reward'),
      nullable(column('call_type', 'string', 'call, callcode, delegatecall or staticcall')),
      nullable(column('reward_type', 'string', 'block or uncle')),
      nullable(column('gas', 'u64', 'gas of the frame')),
      nullable(column('gas_used', 'u64', 'gas that the frame used; null if it failed')),
      column('subtraces', 'u32', 'number of calls inside the frame'),
      column('trace_address', 'string', 'position of the frame, separated by commas'),
      nullable(column('error', 'string', 'why the frame failed')),
      column('status', 'u32', '1, or 0 if the frame or one around it failed'),
      column('trace_id', 'string', 'type, hash of the transaction or number of the block, and position'),
      ...blockPlace,
    ],
    sortedBy: ['block_number', 'transaction_index'],
  },
  contracts: {
    doc: 'contracts that were created and lasted',
    producer: 'etl_contracts',
    base: () => [
      column('address', 'binary', 'contract'),
      column('bytecode', 'binary', 'code'),
      column('function_sighashes', 'string', 'selectors in the code, separated by commas'),
      column('is_erc20', 'bool', 'whether the selectors are those of ERC-20'),
      column('is_erc721', 'bool', 'whether the selectors are those of ERC-721'),
      blockNumber,
      ...blockPlace,
    ],
    sortedBy: ['block_number'],
  },
}

/** Datasets in which execution makes the rows. */
const executed: ReadonlySet<string> = new Set(['traces', 'contracts'])

/** The columns of a table, with their names in ethereum-etl. */
function columnsOf({ base, columns }: EtlTable): DatasetColumn[] {
  const all = base()
  const names: readonly EtlColumn[] = columns
    ? [...columns, 'chain_id']
    : all.map(({ name }) => (name === 'timestamp' ? ['block_timestamp', name] : name))
  return names.map((written) => {
    const [name, source] = typeof written === 'string' ? [written, written] : written
    const from = all.find((column) => column.name === source)
    if (from === undefined) throw new TypeError(`${source}: expected a column of the dataset`)
    const type = etlTypes[from.type] ?? from.type
    return { name, type, isNullable: from.isNullable, isDefault: true, doc: from.doc, from }
  })
}

/** All tables of ethereum-etl. */
export const etlDatasets: readonly Dataset[] = Object.entries(tables).map(([name, table]) => ({
  name,
  doc: table.doc,
  origin: executed.has(name) ? 'execution' : 'records',
  producer: table.producer,
  sortedBy: table.sortedBy,
  columns: columnsOf(table),
}))

/** The table of ethereum-etl with a name. Throws TypeError if there is none. */
export function findEtlDataset(name: string): Dataset {
  const found = etlDatasets.find((dataset) => dataset.name === name)
  if (found) return found
  const names = etlDatasets.map(({ name }) => name)
  const hint = nearestName(name, names) || `; there are ${names.join(', ')}`
  throw new TypeError(`dataset: no dataset ${name} in the schema of ethereum-etl${hint}`)
}
