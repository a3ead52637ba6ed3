// Columns that several of these tables of datasets have.
import { column } from '../dataset.js'

export const sharedColumns = {
  chainId: column('chain_id', 'u64', 'chain id of the network'),
  blockNumber: column('block_number', 'u32', 'number of the block'),
  blockHash: column('block_hash', 'binary', 'hash of the block'),
  transactionIndex: column('transaction_index', 'u32', 'position of the transaction in its block'),
  transactionHash: column('transaction_hash', 'binary', 'hash of the transaction'),
  fromAddress: column('from_address', 'binary', 'sender'),
  toAddress: column('to_address', 'binary', 'receiver'),
  address: column('address', 'binary', 'account'),
  contractAddress: column('contract_address', 'binary', 'contract'),
  slot: column('slot', 'binary', 'slot of the storage'),
}

/** Order of rows of transactions, or of what they did. */
export const byTransaction = ['block_number', 'transaction_index']
