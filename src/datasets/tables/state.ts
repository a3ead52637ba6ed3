// Datasets of the state after blocks: of given accounts, slots, tokens and calls, or all of it.
import { column, type DatasetsByName, extra, nullable } from '../dataset.js'
import { sharedColumns } from './columns.js'

const { address, blockNumber, chainId, contractAddress, slot } = sharedColumns

function stateOf(value: string, type: 'u256' | 'u64' | 'binary', isStorage = false) {
  return {
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

export const stateDatasets: DatasetsByName = {
  balances: stateOf('balance', 'u256'),
  nonces: stateOf('nonce', 'u64'),
  codes: stateOf('code', 'binary'),
  slots: stateOf('value', 'binary', true),
  erc20_balances: {
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
