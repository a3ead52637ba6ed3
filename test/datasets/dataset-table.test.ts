import { describe, expect, it } from 'vitest'
import { datasets, findDataset } from '../../src/datasets/dataset-table.js'

describe('the table of datasets', () => {
  it.each(datasets)(
    '$name names each column once, sorts by its own columns and ends with the chain id',
    (dataset) => {
      const names = dataset.columns.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      expect(names).toEqual(expect.arrayContaining([...dataset.sortedBy]))
      expect(names.at(-1)).toBe('chain_id')
    },
  )

  it('has all datasets in this order', () => {
    expect(datasets.map(({ name }) => name)).toEqual([
      'blocks',
      'transactions',
      'receipts',
      'withdrawals',
      'logs',
      'erc20_transfers',
      'erc20_approvals',
      'erc721_transfers',
      'erc1155_transfers',
      'traces',
      'geth_calls',
      'native_transfers',
      'contracts',
      'balance_diffs',
      'nonce_diffs',
      'code_diffs',
      'storage_diffs',
      'balance_reads',
      'nonce_reads',
      'code_reads',
      'storage_reads',
      'address_appearances',
      'four_byte_counts',
      'balances',
      'nonces',
      'codes',
      'slots',
      'erc20_balances',
      'erc20_supplies',
      'erc20_metadata',
      'eth_calls',
      'accounts',
      'storage',
    ])
  })

  // The default columns of cryo, from its source.
  it.each([
    [
      'logs',
      'block_number transaction_index log_index transaction_hash address topic0 topic1 topic2 topic3 data n_data_bytes chain_id',
    ],
    ['blocks', 'block_hash author block_number gas_used extra_data timestamp base_fee_per_gas chain_id'],
    [
      'erc20_transfers',
      'block_number transaction_index log_index transaction_hash erc20 from_address to_address value chain_id',
    ],
    [
      'geth_calls',
      'typ from_address to_address value gas gas_used input output error block_number transaction_hash transaction_index trace_address chain_id',
    ],
  ])('has the default columns of cryo for %s', (name, columns) => {
    const defaults = findDataset(name).columns.filter(({ isDefault }) => isDefault)
    expect(defaults.map(({ name }) => name).join(' ')).toBe(columns)
  })

  it('suggests the name that was meant', () => {
    expect(() => findDataset('block')).toThrow('dataset: no dataset block; did you mean blocks?')
    expect(() => findDataset('zzzzzzzzzzzz')).toThrow(/there are blocks, transactions/)
  })
})
