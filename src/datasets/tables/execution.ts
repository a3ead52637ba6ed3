// Datasets that are made by executing blocks: traces, and what transactions read and change.
import { column, type DatasetsByName, extra, nullable } from '../dataset.js'
import { byTransaction, sharedColumns } from './columns.js'

const {
  address,
  blockHash,
  blockNumber,
  chainId,
  contractAddress,
  fromAddress,
  slot,
  toAddress,
  transactionHash,
  transactionIndex,
} = sharedColumns

const traceAddress = column(
  'trace_address',
  'string',
  'position of the frame in the calls of its transaction',
)
const diffPlace = [blockNumber, transactionIndex, transactionHash, address]

function diff(type: 'u256' | 'u64' | 'binary', what: string, isStorage = false) {
  return {
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

export const executionDatasets: DatasetsByName = {
  traces: {
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
}
