// All datasets with their columns. Schemas, the help of the command line, types and documents come from this table. Names, order
// and types are those of cryo, as far as it has the dataset.
import { column, type Dataset, extra, nullable } from './dataset.js'
import { nearestName } from './nearest-name.js'

const chainId = column('chain_id', 'u64', 'chain id of the network')
const blockNumber = column('block_number', 'u32', 'number of the block')
const blockHash = column('block_hash', 'binary', 'hash of the block')
const timestamp = extra(column('timestamp', 'u32', 'time of the block in seconds since 1970'))
const transactionIndex = column('transaction_index', 'u32', 'position of the transaction in its block')
const transactionHash = column('transaction_hash', 'binary', 'hash of the transaction')
const logIndex = column('log_index', 'u32', 'position of the log among those of its block')
const fromAddress = column('from_address', 'binary', 'sender')
const toAddress = column('to_address', 'binary', 'receiver')
const address = column('address', 'binary', 'account')
const contractAddress = column('contract_address', 'binary', 'contract')
const slot = column('slot', 'binary', 'slot of the storage')

/** The columns of a log that token datasets have before and after their own. */
const logPlace = [blockNumber, extra(blockHash), transactionIndex, logIndex, transactionHash]
const byLog = ['block_number', 'log_index']
const byTransaction = ['block_number', 'transaction_index']

const records = { origin: 'records' } as const
const state = { origin: 'state' } as const
const execution = { origin: 'execution' } as const

const traceAddress = column(
  'trace_address',
  'string',
  'position of the frame in the calls of its transaction',
)
const diffPlace = [blockNumber, transactionIndex, transactionHash, address]

function diff(type: 'u256' | 'u64' | 'binary', what: string, isStorage = false) {
  return {
    ...execution,
    doc: `${what} before and after each transaction that changed it`,
    sortedBy: [...byTransaction, 'address', ...(isStorage ? ['slot'] : [])],
    columns: [
      ...diffPlace,
      ...(isStorage ? [slot] : []),
      column('from_value', type, `${what} before the transaction`),
      column('to_value', type, `${what} after the transaction`),
      chainId,
    ],
  }
}

function reads(value: string, type: 'u256' | 'u64' | 'binary', of = address) {
  const isStorage = value === 'value'
  return {
    ...execution,
    doc: `${isStorage ? 'slots' : `the ${value} of accounts`} that each transaction read`,
    sortedBy: [...byTransaction, of.name, ...(isStorage ? ['slot'] : [])],
    columns: [
      blockNumber,
      transactionIndex,
      transactionHash,
      of,
      ...(isStorage ? [slot] : []),
      column(value, type, 'what was read'),
      chainId,
    ],
  }
}

function stateOf(value: string, type: 'u256' | 'u64' | 'binary', isStorage = false) {
  return {
    ...state,
    doc: isStorage
      ? 'given slots of given accounts after blocks'
      : `the ${value} of given accounts after blocks`,
    sortedBy: ['block_number', 'address'],
    selectedBy: isStorage ? (['address', 'slot'] as const) : (['address'] as const),
    columns: [
      blockNumber,
      address,
      ...(isStorage ? [slot] : []),
      column(value, type, 'after the block'),
      chainId,
    ],
  }
}

const table: Readonly<Record<string, Omit<Dataset, 'name'>>> = {
  blocks: {
    ...records,
    doc: 'headers of blocks',
    sortedBy: ['block_number'],
    columns: [
      blockHash,
      extra(column('parent_hash', 'binary', 'hash of the block before')),
      extra(column('uncles_hash', 'binary', 'hash of the list of uncles')),
      column('author', 'binary', 'account that gets the fees'),
      extra(column('state_root', 'binary', 'root of the state after the block')),
      extra(column('transactions_root', 'binary', 'root of the transactions')),
      extra(column('receipts_root', 'binary', 'root of the receipts')),
      blockNumber,
      column('gas_used', 'u64', 'gas of all transactions'),
      extra(column('gas_limit', 'u64', 'most gas that the block may use')),
      column('extra_data', 'binary', 'free bytes of the author'),
      extra(column('logs_bloom', 'binary', 'bloom of addresses and topics of all logs')),
      column('timestamp', 'u32', timestamp.doc),
      extra(column('difficulty', 'u64', 'difficulty of the block; 0 after the merge')),
      extra(nullable(column('total_difficulty', 'u256', 'sum of difficulties up to this block'))),
      extra(column('size', 'u64', 'bytes of the block in RLP')),
      extra(column('mix_hash', 'binary', 'mix digest, or the random value after the merge')),
      extra(column('nonce', 'binary', '8 bytes of proof of work')),
      nullable(column('base_fee_per_gas', 'u64', 'base fee in wei; null before London')),
      extra(nullable(column('withdrawals_root', 'binary', 'root of the withdrawals; null before Shanghai'))),
      extra(nullable(column('blob_gas_used', 'u64', 'gas of all blobs; null before Cancun'))),
      extra(nullable(column('excess_blob_gas', 'u64', 'excess of blob gas; null before Cancun'))),
      extra(
        nullable(
          column('parent_beacon_block_root', 'binary', 'root of the beacon block; null before Cancun'),
        ),
      ),
      extra(nullable(column('requests_hash', 'binary', 'hash of the requests; null before Prague'))),
      extra(column('n_transactions', 'u32', 'number of transactions')),
      extra(column('n_uncles', 'u32', 'number of uncles')),
      chainId,
    ],
  },
  transactions: {
    ...records,
    doc: 'transactions with the result in their receipts',
    sortedBy: byTransaction,
    columns: [
      blockNumber,
      column('transaction_index', 'u64', transactionIndex.doc),
      transactionHash,
      column('nonce', 'u64', 'nonce of the sender'),
      fromAddress,
      nullable(column('to_address', 'binary', 'receiver; null for the creation of a contract')),
      column('value', 'u256', 'wei that are sent'),
      column('input', 'binary', 'input of the call, or the code that creates the contract'),
      column('gas_limit', 'u64', 'most gas that the transaction may use'),
      column('gas_used', 'u64', 'gas that it used'),
      column('gas_price', 'u64', 'wei that each gas cost; the same as effective_gas_price'),
      column('transaction_type', 'u32', '0 to 4'),
      nullable(column('max_priority_fee_per_gas', 'u64', 'highest tip; null for types 0 and 1')),
      nullable(column('max_fee_per_gas', 'u64', 'highest price; null for types 0 and 1')),
      nullable(column('success', 'bool', 'whether it succeeded; null before Byzantium')),
      column('n_input_bytes', 'u32', 'bytes of the input'),
      column('n_input_zero_bytes', 'u32', 'bytes of the input that are zero'),
      column('n_input_nonzero_bytes', 'u32', 'bytes of the input that are not zero'),
      extra(column('n_rlp_bytes', 'u32', 'bytes of the transaction as it is signed and sent')),
      extra(blockHash),
      timestamp,
      extra(column('r', 'binary', '32 bytes of the signature')),
      extra(column('s', 'binary', '32 bytes of the signature')),
      extra(column('v', 'bool', 'parity of the signature')),
      extra(column('effective_gas_price', 'u64', 'wei that each gas cost')),
      extra(
        nullable(column('max_fee_per_blob_gas', 'u64', 'highest price of blob gas; null except for type 3')),
      ),
      extra(column('n_blobs', 'u32', 'number of blobs')),
      extra(column('n_access_list_items', 'u32', 'addresses in the access list')),
      extra(column('n_authorizations', 'u32', 'signed authorizations of EIP-7702')),
      chainId,
    ],
  },
  receipts: {
    ...records,
    doc: 'receipts of transactions',
    sortedBy: byTransaction,
    columns: [
      blockNumber,
      transactionIndex,
      transactionHash,
      nullable(column('success', 'bool', 'whether the transaction succeeded; null before Byzantium')),
      extra(nullable(column('root', 'binary', 'state root after the transaction; null since Byzantium'))),
      column('cumulative_gas_used', 'u64', 'gas of the block up to this transaction'),
      column('gas_used', 'u64', 'gas of the transaction'),
      column('effective_gas_price', 'u64', 'wei that each gas cost'),
      nullable(column('contract_address', 'binary', 'contract that the transaction was to create')),
      column('n_logs', 'u32', 'number of logs'),
      nullable(column('blob_gas_used', 'u64', 'gas of blobs; null except for type 3')),
      nullable(column('blob_gas_price', 'u64', 'wei for each blob gas; null except for type 3')),
      column('transaction_type', 'u32', '0 to 4'),
      extra(column('logs_bloom', 'binary', 'bloom of addresses and topics of the logs')),
      extra(blockHash),
      timestamp,
      chainId,
    ],
  },
  withdrawals: {
    ...records,
    doc: 'withdrawals of validators, since Shanghai',
    sortedBy: ['block_number', 'withdrawal_index'],
    columns: [
      blockNumber,
      column('withdrawal_index', 'u64', 'number of the withdrawal in the chain'),
      column('validator_index', 'u64', 'number of the validator'),
      column('address', 'binary', 'account that is paid'),
      column('amount_gwei', 'u64', 'amount in gwei'),
      extra(blockHash),
      timestamp,
      chainId,
    ],
  },
  logs: {
    ...records,
    doc: 'logs of contracts',
    sortedBy: byLog,
    columns: [
      blockNumber,
      extra(blockHash),
      transactionIndex,
      logIndex,
      transactionHash,
      column('address', 'binary', 'contract that made the log'),
      ...[0, 1, 2, 3].map((i) =>
        nullable(column(`topic${i}`, 'binary', `topic ${i}; null if there is none`)),
      ),
      column('data', 'binary', 'data of the log'),
      column('n_data_bytes', 'u32', 'bytes of the data'),
      timestamp,
      chainId,
    ],
  },
  erc20_transfers: {
    ...records,
    doc: 'Transfer events of ERC-20 tokens',
    sortedBy: byLog,
    columns: [
      ...logPlace,
      column('erc20', 'binary', 'token'),
      fromAddress,
      toAddress,
      column('value', 'u256', 'amount'),
      timestamp,
      chainId,
    ],
  },
  erc20_approvals: {
    ...records,
    doc: 'Approval events of ERC-20 tokens',
    sortedBy: byLog,
    columns: [
      ...logPlace,
      column('erc20', 'binary', 'token'),
      column('from_address', 'binary', 'owner'),
      column('to_address', 'binary', 'spender'),
      column('value', 'u256', 'amount'),
      timestamp,
      chainId,
    ],
  },
  erc721_transfers: {
    ...records,
    doc: 'Transfer events of ERC-721 tokens',
    sortedBy: byLog,
    columns: [
      ...logPlace,
      column('erc721', 'binary', 'token contract'),
      fromAddress,
      toAddress,
      column('token_id', 'u256', 'token'),
      timestamp,
      chainId,
    ],
  },
  erc1155_transfers: {
    ...records,
    doc: 'TransferSingle and TransferBatch events of ERC-1155 tokens, one row for each token',
    sortedBy: [...byLog, 'batch_index'],
    columns: [
      ...logPlace,
      column('erc1155', 'binary', 'token contract'),
      column('operator', 'binary', 'account that made the transfer'),
      fromAddress,
      toAddress,
      column('token_id', 'u256', 'token'),
      column('value', 'u256', 'amount'),
      column('batch_index', 'u32', 'position in the event; 0 for a single transfer'),
      timestamp,
      chainId,
    ],
  },
  traces: {
    ...execution,
    doc: 'calls, creations, self-destructs and rewards, as flat traces',
    sortedBy: byTransaction,
    columns: [
      nullable(column('action_from', 'binary', 'caller')),
      nullable(column('action_to', 'binary', 'callee')),
      column('action_value', 'string', 'wei'),
      nullable(column('action_gas', 'u64', 'gas of the frame')),
      nullable(column('action_input', 'binary', 'input of a call')),
      nullable(column('action_call_type', 'string', 'kind of a call')),
      nullable(column('action_init', 'binary', 'code that creates a contract')),
      nullable(column('action_reward_type', 'string', 'reward or uncle')),
      column('action_type', 'string', 'call, create, suicide or reward'),
      nullable(column('result_gas_used', 'u64', 'gas that the frame used')),
      nullable(column('result_output', 'binary', 'output of a call')),
      nullable(column('result_code', 'binary', 'code of a created contract')),
      nullable(column('result_address', 'binary', 'created contract')),
      traceAddress,
      column('subtraces', 'u32', 'number of calls inside the frame'),
      nullable(transactionIndex),
      nullable(transactionHash),
      blockNumber,
      blockHash,
      nullable(column('error', 'string', 'why the frame failed')),
      chainId,
    ],
  },
  geth_calls: {
    ...execution,
    doc: "frames of geth's callTracer",
    sortedBy: byTransaction,
    columns: [
      column('typ', 'string', 'operation that opened the frame'),
      fromAddress,
      nullable(toAddress),
      nullable(column('value', 'u256', 'wei')),
      column('gas', 'u256', 'gas of the frame'),
      column('gas_used', 'u256', 'gas that the frame used'),
      column('input', 'binary', 'input'),
      nullable(column('output', 'binary', 'output')),
      nullable(column('error', 'string', 'why the frame failed')),
      blockNumber,
      transactionHash,
      transactionIndex,
      traceAddress,
      chainId,
    ],
  },
  native_transfers: {
    ...execution,
    doc: 'every movement of wei above zero that was not reverted',
    sortedBy: ['block_number', 'transfer_index'],
    columns: [
      blockNumber,
      blockHash,
      nullable(transactionIndex),
      column('transfer_index', 'u32', 'position in the block'),
      nullable(transactionHash),
      fromAddress,
      toAddress,
      column('value', 'u256', 'wei'),
      chainId,
    ],
  },
  contracts: {
    ...execution,
    doc: 'contracts that were created',
    sortedBy: ['block_number', 'create_index'],
    columns: [
      blockNumber,
      blockHash,
      column('create_index', 'u32', 'position in the block'),
      nullable(transactionHash),
      column('contract_address', 'binary', 'the contract'),
      column('deployer', 'binary', 'sender of the transaction'),
      column('factory', 'binary', 'account that created it'),
      column('init_code', 'binary', 'code that created it'),
      column('code', 'binary', 'its code'),
      column('init_code_hash', 'binary', 'keccak of init_code'),
      column('n_init_code_bytes', 'u32', 'bytes of init_code'),
      column('n_code_bytes', 'u32', 'bytes of code'),
      column('code_hash', 'binary', 'keccak of code'),
      chainId,
    ],
  },
  balance_diffs: diff('u256', 'balance'),
  nonce_diffs: diff('u64', 'nonce'),
  code_diffs: diff('binary', 'code'),
  storage_diffs: diff('binary', 'slot', true),
  balance_reads: reads('balance', 'u256'),
  nonce_reads: reads('nonce', 'u64'),
  code_reads: reads('code', 'binary', contractAddress),
  storage_reads: reads('value', 'binary', contractAddress),
  address_appearances: {
    ...execution,
    doc: 'accounts that appear in transactions, and how',
    sortedBy: ['block_number', 'transaction_hash', 'address', 'relationship'],
    columns: [
      blockNumber,
      extra(blockHash),
      transactionHash,
      address,
      column('relationship', 'string', 'how the account appears'),
      chainId,
    ],
  },
  four_byte_counts: {
    ...execution,
    doc: 'selectors of calls, counted for each transaction',
    sortedBy: [...byTransaction, 'signature', 'size'],
    columns: [
      blockNumber,
      transactionIndex,
      transactionHash,
      column('signature', 'binary', 'first four bytes of the input'),
      column('size', 'u64', 'bytes of the input after them'),
      column('count', 'u64', 'number of such calls'),
      chainId,
    ],
  },
  balances: stateOf('balance', 'u256'),
  nonces: stateOf('nonce', 'u64'),
  codes: stateOf('code', 'binary'),
  slots: stateOf('value', 'binary', true),
  erc20_balances: {
    ...state,
    doc: 'balances of ERC-20 tokens after blocks, of given holders or of all',
    sortedBy: ['erc20', 'block_number'],
    selectedBy: ['contract', 'address'],
    columns: [
      blockNumber,
      column('erc20', 'binary', 'token'),
      address,
      nullable(column('balance', 'u256', 'balance after the block')),
      chainId,
    ],
  },
  erc20_supplies: {
    ...state,
    doc: 'supplies of ERC-20 tokens after blocks',
    sortedBy: ['erc20', 'block_number'],
    selectedBy: ['contract'],
    columns: [
      blockNumber,
      column('erc20', 'binary', 'token'),
      nullable(column('total_supply', 'u256', 'supply after the block')),
      chainId,
    ],
  },
  erc20_metadata: {
    ...state,
    doc: 'name, symbol and decimals of ERC-20 tokens after blocks',
    sortedBy: ['erc20', 'block_number'],
    selectedBy: ['contract'],
    columns: [
      blockNumber,
      column('erc20', 'binary', 'token'),
      nullable(column('name', 'string', 'name')),
      nullable(column('symbol', 'string', 'symbol')),
      nullable(column('decimals', 'u32', 'decimals')),
      chainId,
    ],
  },
  eth_calls: {
    ...state,
    doc: 'results of given calls after blocks',
    sortedBy: ['block_number', 'contract_address'],
    selectedBy: ['contract', 'callData'],
    columns: [
      blockNumber,
      contractAddress,
      column('call_data', 'binary', 'input'),
      extra(column('call_data_hash', 'binary', 'keccak of the input')),
      nullable(column('output_data', 'binary', 'output; null if the call failed')),
      extra(nullable(column('output_data_hash', 'binary', 'keccak of the output'))),
      chainId,
    ],
  },
  accounts: {
    ...state,
    doc: 'all accounts after one block',
    sortedBy: ['address_hash'],
    selectedBy: [],
    columns: [
      column('address_hash', 'binary', 'keccak of the address'),
      nullable(address),
      column('nonce', 'u64', 'nonce'),
      column('balance', 'u256', 'wei'),
      column('code_hash', 'binary', 'keccak of the code'),
      column('storage_root', 'binary', 'root of the storage'),
      chainId,
    ],
  },
  storage: {
    ...state,
    doc: 'all slots after one block',
    sortedBy: ['address_hash', 'slot_hash'],
    selectedBy: [],
    columns: [
      column('address_hash', 'binary', 'keccak of the address'),
      nullable(address),
      column('slot_hash', 'binary', 'keccak of the slot'),
      nullable(slot),
      column('value', 'binary', 'value of the slot'),
      chainId,
    ],
  },
}

/** All datasets. */
export const datasets: readonly Dataset[] = Object.entries(table).map(([name, rest]) => ({ name, ...rest }))

/** The dataset with a name. Throws TypeError if there is none. */
export function findDataset(name: string): Dataset {
  const found = datasets.find((dataset) => dataset.name === name)
  if (found) return found
  const names = datasets.map(({ name }) => name)
  throw new TypeError(
    `dataset: no dataset ${name}${nearestName(name, names) || `; there are ${names.join(', ')}`}`,
  )
}
