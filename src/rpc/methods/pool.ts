// Methods about accounts and pooled transactions, of which a directory has none.
import { method } from '../method.js'
import { decodeAddress } from '../parameters/hex.js'
import { required } from '../parameters/parameter.js'
import { listOf } from '../schemas.js'

const emptyPool = '{"pending":{},"queued":{}}'
const poolSchema = {
  title: 'Transactions of the pool, by sender and nonce',
  type: 'object',
  required: ['pending', 'queued'],
  properties: { pending: { type: 'object' }, queued: { type: 'object' } },
}

function emptyPoolMethod(summary: string) {
  return method({ summary, parameters: [], result: poolSchema, run: () => emptyPool })
}

/** Methods of accounts and of the pool by name. */
export const poolMethods = {
  eth_accounts: method({
    summary: 'No accounts: there are no private keys',
    parameters: [],
    result: listOf('Address'),
    run: () => '[]',
  }),

  eth_pendingTransactions: method({
    summary: 'No transactions: there is no pool',
    parameters: [],
    result: listOf('Transaction'),
    run: () => '[]',
  }),

  txpool_status: method({
    summary: 'Sizes of the pool, which is empty',
    parameters: [],
    result: {
      title: 'Sizes of the pool',
      type: 'object',
      required: ['pending', 'queued'],
      properties: { pending: { const: '0x0' }, queued: { const: '0x0' } },
    },
    run: () => '{"pending":"0x0","queued":"0x0"}',
  }),

  txpool_content: emptyPoolMethod('Transactions of the pool, which is empty'),

  txpool_contentFrom: method({
    summary: 'Transactions of a sender in the pool, which is empty',
    parameters: [required('address', 'Address', decodeAddress)],
    result: poolSchema,
    run: () => emptyPool,
  }),

  txpool_inspect: emptyPoolMethod('Transactions of the pool as text; it is empty'),
}
