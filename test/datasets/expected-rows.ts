// Derives the rows of datasets from answers of JSON-RPC, which are compared with geth's elsewhere: another way than that of the
// producers, which copy from the stored bytes.
import { keccak_256 } from '@noble/hashes/sha3.js'

export type Json = Record<string, unknown>
export type Row = Record<string, unknown>

export interface RpcBlock {
  readonly block: Json
  readonly receipts: readonly Json[]
  /** Envelopes of the transactions. */
  readonly raw: readonly string[]
}

/** Reads blocks by JSON-RPC. */
export async function readRpcBlocks(
  request: (method: string, params: readonly unknown[]) => Promise<unknown>,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<RpcBlock[]> {
  const blocks: RpcBlock[] = []
  for (let number = from; number <= to; number++) {
    const tag = `0x${number.toString(16)}`
    const block = (await request('eth_getBlockByNumber', [tag, true])) as Json
    const receipts = (await request('eth_getBlockReceipts', [tag])) as Json[]
    const raw: string[] = []
    for (let i = 0; i < receipts.length; i++) {
      raw.push(
        (await request('eth_getRawTransactionByBlockNumberAndIndex', [tag, `0x${i.toString(16)}`])) as string,
      )
    }
    blocks.push({ block, receipts, raw })
  }
  return blocks
}

export const hex = (value: unknown): string | null =>
  value === undefined || value === null ? null : (value as string)
export const int = (value: unknown): bigint | null =>
  value === undefined || value === null ? null : BigInt(value as string)
const bytesOf = (value: unknown): number => ((value as string).length - 2) / 2
const word = (value: unknown): string =>
  `0x${BigInt(value as string)
    .toString(16)
    .padStart(64, '0')}`
export const u256 = (name: string, value: unknown): Row => ({
  [`${name}_binary`]: value === null || value === undefined ? null : word(value),
  [`${name}_string`]: value === null || value === undefined ? null : BigInt(value as string).toString(),
  [`${name}_f64`]: value === null || value === undefined ? null : Number(BigInt(value as string)),
})

const topic = (signature: string) => `0x${Buffer.from(keccak_256(Buffer.from(signature))).toString('hex')}`
const transfer = topic('Transfer(address,address,uint256)')
const approval = topic('Approval(address,address,uint256)')
const single = topic('TransferSingle(address,address,address,uint256,uint256)')
const batch = topic('TransferBatch(address,address,address,uint256[],uint256[])')

/** Every column of every row of a dataset, bytes as hex, integers as bigints. */
export function expectedRows(dataset: string, blocks: readonly RpcBlock[], chainId: bigint): Row[] {
  return blocks.flatMap((block) => rowsOf[dataset]!(block).map((row) => ({ ...row, chain_id: chainId })))
}

const place = ({ block }: RpcBlock): Row => ({
  block_number: int(block['number']),
  block_hash: hex(block['hash']),
  timestamp: int(block['timestamp']),
})

const rowsOf: Readonly<Record<string, (block: RpcBlock) => Row[]>> = {
  blocks: (read) => {
    const { block } = read
    return [
      {
        ...place(read),
        parent_hash: hex(block['parentHash']),
        uncles_hash: hex(block['sha3Uncles']),
        author: hex(block['miner']),
        state_root: hex(block['stateRoot']),
        transactions_root: hex(block['transactionsRoot']),
        receipts_root: hex(block['receiptsRoot']),
        gas_used: int(block['gasUsed']),
        gas_limit: int(block['gasLimit']),
        extra_data: hex(block['extraData']),
        logs_bloom: hex(block['logsBloom']),
        difficulty: int(block['difficulty']),
        size: int(block['size']),
        mix_hash: hex(block['mixHash']),
        nonce: hex(block['nonce']),
        base_fee_per_gas: int(block['baseFeePerGas']),
        withdrawals_root: hex(block['withdrawalsRoot']),
        blob_gas_used: int(block['blobGasUsed']),
        excess_blob_gas: int(block['excessBlobGas']),
        parent_beacon_block_root: hex(block['parentBeaconBlockRoot']),
        requests_hash: hex(block['requestsHash']),
        n_transactions: BigInt((block['transactions'] as unknown[]).length),
        n_uncles: BigInt((block['uncles'] as unknown[]).length),
      },
    ]
  },
  transactions: (read) =>
    (read.block['transactions'] as Json[]).map((transaction, i) => {
      const receipt = read.receipts[i]!
      const input = Buffer.from((transaction['input'] as string).slice(2), 'hex')
      const zeros = input.filter((byte) => byte === 0).length
      const isLegacy = transaction['type'] === '0x0'
      const v = BigInt(transaction['v'] as string)
      return {
        ...place(read),
        transaction_index: int(transaction['transactionIndex']),
        transaction_hash: hex(transaction['hash']),
        nonce: int(transaction['nonce']),
        from_address: hex(transaction['from']),
        to_address: hex(transaction['to']),
        ...u256('value', transaction['value']),
        input: hex(transaction['input']),
        gas_limit: int(transaction['gas']),
        gas_used: int(receipt['gasUsed']),
        gas_price: int(receipt['effectiveGasPrice']),
        effective_gas_price: int(receipt['effectiveGasPrice']),
        transaction_type: int(transaction['type']),
        max_priority_fee_per_gas: int(transaction['maxPriorityFeePerGas']),
        max_fee_per_gas: int(transaction['maxFeePerGas']),
        success: receipt['status'] === undefined ? null : receipt['status'] === '0x1',
        n_input_bytes: BigInt(input.length),
        n_input_zero_bytes: BigInt(zeros),
        n_input_nonzero_bytes: BigInt(input.length - zeros),
        n_rlp_bytes: BigInt(bytesOf(read.raw[i])),
        r: word(transaction['r']),
        s: word(transaction['s']),
        v: isLegacy ? (v < 35n ? v === 28n : (v - 35n) % 2n === 1n) : v === 1n,
        max_fee_per_blob_gas: int(transaction['maxFeePerBlobGas']),
        n_blobs: BigInt(((transaction['blobVersionedHashes'] as unknown[]) ?? []).length),
        n_access_list_items: BigInt(((transaction['accessList'] as unknown[]) ?? []).length),
        n_authorizations: BigInt(((transaction['authorizationList'] as unknown[]) ?? []).length),
      }
    }),
  receipts: (read) =>
    read.receipts.map((receipt) => ({
      ...place(read),
      transaction_index: int(receipt['transactionIndex']),
      transaction_hash: hex(receipt['transactionHash']),
      success: receipt['status'] === undefined ? null : receipt['status'] === '0x1',
      root: hex(receipt['root']),
      cumulative_gas_used: int(receipt['cumulativeGasUsed']),
      gas_used: int(receipt['gasUsed']),
      effective_gas_price: int(receipt['effectiveGasPrice']),
      contract_address: hex(receipt['contractAddress']),
      n_logs: BigInt((receipt['logs'] as unknown[]).length),
      blob_gas_used: int(receipt['blobGasUsed']),
      blob_gas_price: int(receipt['blobGasPrice']),
      transaction_type: int(receipt['type']),
      logs_bloom: hex(receipt['logsBloom']),
    })),
  withdrawals: (read) =>
    ((read.block['withdrawals'] as Json[]) ?? []).map((withdrawal) => ({
      ...place(read),
      withdrawal_index: int(withdrawal['index']),
      validator_index: int(withdrawal['validatorIndex']),
      address: hex(withdrawal['address']),
      amount_gwei: int(withdrawal['amount']),
    })),
  logs: (read) =>
    logsOf(read).map((log) => ({
      ...logPlace(read, log),
      address: hex(log['address']),
      ...Object.fromEntries([0, 1, 2, 3].map((i) => [`topic${i}`, (log['topics'] as string[])[i] ?? null])),
      data: hex(log['data']),
      n_data_bytes: BigInt(bytesOf(log['data'])),
    })),
  erc20_transfers: (read) => tokenRows(read, 'erc20', { topic: transfer, topics: 3, bytes: 32 }),
  erc20_approvals: (read) => tokenRows(read, 'erc20', { topic: approval, topics: 3, bytes: 32 }),
  erc721_transfers: (read) => tokenRows(read, 'erc721', { topic: transfer, topics: 4, bytes: 0 }),
  erc1155_transfers: (read) =>
    logsOf(read).flatMap((log) => {
      const topics = log['topics'] as string[]
      const words = (log['data'] as string).slice(2).match(/.{64}/g) ?? []
      if (topics.length !== 4 || (topics[0] !== single && topics[0] !== batch)) return []
      const count = topics[0] === single ? 1 : Number(BigInt(`0x${words[2]}`))
      return Array.from({ length: count }, (_, i) => ({
        ...logPlace(read, log),
        erc1155: hex(log['address']),
        operator: addressOf(topics[1]!),
        from_address: addressOf(topics[2]!),
        to_address: addressOf(topics[3]!),
        ...u256('token_id', `0x${words[topics[0] === single ? 0 : 3 + i]}`),
        ...u256('value', `0x${words[topics[0] === single ? 1 : 4 + count + i]}`),
        batch_index: BigInt(i),
      }))
    }),
}

const logsOf = ({ receipts }: RpcBlock): Json[] => receipts.flatMap((receipt) => receipt['logs'] as Json[])
const addressOf = (topic: string) => `0x${topic.slice(26)}`

function logPlace(read: RpcBlock, log: Json): Row {
  return {
    ...place(read),
    transaction_index: int(log['transactionIndex']),
    log_index: int(log['logIndex']),
    transaction_hash: hex(log['transactionHash']),
  }
}

function tokenRows(
  read: RpcBlock,
  token: string,
  event: { readonly topic: string; readonly topics: number; readonly bytes: number },
): Row[] {
  return logsOf(read)
    .filter((log) => {
      const topics = log['topics'] as string[]
      return (
        topics[0] === event.topic && topics.length === event.topics && bytesOf(log['data']) === event.bytes
      )
    })
    .map((log) => {
      const topics = log['topics'] as string[]
      return {
        ...logPlace(read, log),
        [token]: hex(log['address']),
        from_address: addressOf(topics[1]!),
        to_address: addressOf(topics[2]!),
        ...(token === 'erc20' ? u256('value', log['data']) : u256('token_id', topics[3])),
      }
    })
}
