// Tables of ethereum-etl, compared with what its mappers make of answers of JSON-RPC.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeSelectors } from '../../src/datasets/producers/etl-contracts.js'
import { type GethChain, openDatadir } from '../../src/index.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { type Row, type RpcBlock, readRpcBlocks } from './expected-rows.js'

type Json = Record<string, unknown>

const range = { from: 0, to: 119 }
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

let fixture: Fixture
let chain: GethChain
let folder: string
let blocks: RpcBlock[]
beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 1 })
  folder = mkdtempSync(join(tmpdir(), 'etl-'))
  const datasets = ['blocks', 'transactions', 'receipts', 'logs', 'token_transfers', 'traces', 'contracts']
  await chain.export(
    { datasets, folder, toBlock: BigInt(range.to) },
    { schema: 'etl', reorgBuffer: 0, exclude: ['total_difficulty'] },
  )
  blocks = await readRpcBlocks((method, params) => request(method, params), range)
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await chain.close()
  await fixture[Symbol.asyncDispose]()
})

const request = (method: string, params: readonly unknown[]) =>
  chain.provider.request({ method, params } as never) as Promise<unknown>

async function rowsOf(dataset: string): Promise<Row[]> {
  const name = readdirSync(folder).find((name) => name.includes(`__${dataset}__`))!
  const { buffer } = new Uint8Array(readFileSync(join(folder, name)))
  const rows = await parquetReadObjects({ file: buffer, compressors })
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? BigInt(value) : value]),
    ),
  )
}

const int = (value: unknown) => (value === undefined || value === null ? null : BigInt(value as string))
const digits = (value: unknown) => int(value)?.toString() ?? null
const text = (value: unknown) => value ?? null
const chainId = () => blocks.length > 0 && { chain_id: chainIdOf() }
const chainIdOf = () =>
  BigInt(
    JSON.parse(readFileSync(join(folder, '_manifest/blocks/00000000_to_00000119.json'), 'utf8')).chain_id,
  )
const inBlock = ({ block }: RpcBlock) => ({
  block_number: int(block['number']),
  block_hash: block['hash'],
  block_timestamp: int(block['timestamp']),
})

describe('the schema of ethereum-etl', () => {
  it('has blocks', async () => {
    expect(await rowsOf('blocks')).toEqual(
      blocks.map(({ block }) => ({
        number: int(block['number']),
        hash: block['hash'],
        parent_hash: block['parentHash'],
        nonce: block['nonce'],
        sha3_uncles: block['sha3Uncles'],
        logs_bloom: block['logsBloom'],
        transactions_root: block['transactionsRoot'],
        state_root: block['stateRoot'],
        receipts_root: block['receiptsRoot'],
        miner: block['miner'],
        difficulty: int(block['difficulty']),
        size: int(block['size']),
        extra_data: block['extraData'],
        gas_limit: int(block['gasLimit']),
        gas_used: int(block['gasUsed']),
        timestamp: int(block['timestamp']),
        transaction_count: BigInt((block['transactions'] as unknown[]).length),
        base_fee_per_gas: int(block['baseFeePerGas']),
        withdrawals_root: text(block['withdrawalsRoot']),
        blob_gas_used: int(block['blobGasUsed']),
        excess_blob_gas: int(block['excessBlobGas']),
        ...chainId(),
      })),
    )
  })

  it('has transactions', async () => {
    const expected = blocks.flatMap((read) =>
      (read.block['transactions'] as Json[]).map((transaction, i) => ({
        hash: transaction['hash'],
        nonce: int(transaction['nonce']),
        ...inBlock(read),
        transaction_index: int(transaction['transactionIndex']),
        from_address: transaction['from'],
        to_address: text(transaction['to']),
        value: digits(transaction['value']),
        gas: int(transaction['gas']),
        gas_price: int(read.receipts[i]!['effectiveGasPrice']),
        input: transaction['input'],
        max_fee_per_gas: int(transaction['maxFeePerGas']),
        max_priority_fee_per_gas: int(transaction['maxPriorityFeePerGas']),
        transaction_type: int(transaction['type']),
        max_fee_per_blob_gas: int(transaction['maxFeePerBlobGas']),
        ...chainId(),
      })),
    )
    expect(await rowsOf('transactions')).toEqual(expected)
    expect(expected.length).toBeGreaterThan(50)
  })

  it('has receipts', async () => {
    expect(await rowsOf('receipts')).toEqual(
      blocks.flatMap((read) =>
        read.receipts.map((receipt) => ({
          transaction_hash: receipt['transactionHash'],
          transaction_index: int(receipt['transactionIndex']),
          ...inBlock(read),
          cumulative_gas_used: int(receipt['cumulativeGasUsed']),
          gas_used: int(receipt['gasUsed']),
          contract_address: text(receipt['contractAddress']),
          root: text(receipt['root']),
          status: int(receipt['status']),
          effective_gas_price: int(receipt['effectiveGasPrice']),
          ...chainId(),
        })),
      ),
    )
  })

  it('has logs and transfers of tokens', async () => {
    const logs = blocks.flatMap((read) =>
      read.receipts.flatMap((receipt) => (receipt['logs'] as Json[]).map((log) => ({ read, log }))),
    )
    expect(await rowsOf('logs')).toEqual(
      logs.map(({ read, log }) => ({
        log_index: int(log['logIndex']),
        transaction_hash: log['transactionHash'],
        transaction_index: int(log['transactionIndex']),
        ...inBlock(read),
        address: log['address'],
        data: log['data'],
        topics: (log['topics'] as string[]).join(','),
        ...chainId(),
      })),
    )
    const transfers = logs.flatMap(({ read, log }) => {
      const topics = log['topics'] as string[]
      const data = (log['data'] as string).slice(2)
      const words = [...topics, ...(data.match(/.{1,64}/g) ?? []).map((word) => `0x${word}`)]
      if (topics[0] !== transfer || words.length !== 4 || data.length % 64 !== 0) return []
      return {
        token_address: log['address'],
        from_address: `0x${words[1]!.slice(-40)}`,
        to_address: `0x${words[2]!.slice(-40)}`,
        value: digits(words[3]),
        transaction_hash: log['transactionHash'],
        log_index: int(log['logIndex']),
        ...inBlock(read),
        ...chainId(),
      }
    })
    expect(await rowsOf('token_transfers')).toEqual(transfers)
    expect(transfers.length).toBeGreaterThan(5)
  })

  it('has traces and contracts', async () => {
    const found = await rowsOf('traces')
    const expected: Json[] = []
    for (const read of blocks.slice(1)) {
      const traced = (await request('debug_traceBlockByNumber', [
        read.block['number'],
        { tracer: 'flatCallTracer' },
      ])) as { result: Json[] }[]
      for (const { result } of traced) {
        const failed: string[] = []
        for (const trace of result) {
          const { action, result: made, type } = trace as { action: Json; result?: Json; type: string }
          const address = (trace['traceAddress'] as number[]).join(',')
          const isInside = failed.some((other) => other === '' || address.startsWith(`${other},`))
          if (trace['error'] !== undefined) failed.push(address)
          const isSuicide = type === 'suicide'
          expected.push({
            ...inBlock(read),
            transaction_hash: trace['transactionHash'],
            transaction_index: int(trace['transactionPosition']),
            from_address: isSuicide ? action['address'] : action['from'],
            to_address: text(
              isSuicide ? action['refundAddress'] : type === 'create' ? made?.['address'] : action['to'],
            ),
            value: digits((isSuicide ? action['balance'] : action['value']) ?? '0x0'),
            input: text(action['input'] ?? action['init']),
            output: text(made?.['output'] ?? made?.['code']),
            trace_type: type,
            call_type: text(action['callType']),
            reward_type: null,
            gas: int(action['gas']),
            gas_used: int(made?.['gasUsed']),
            subtraces: int(trace['subtraces']),
            trace_address: address,
            error: text(trace['error']),
            status: isInside || trace['error'] !== undefined ? 0n : 1n,
            trace_id: `${type}_${trace['transactionHash']}_${address.replaceAll(',', '_')}`,
            ...chainId(),
          })
        }
      }
    }
    expect(found.filter((row) => row['trace_type'] !== 'reward')).toEqual(expected)
    expect(expected.length).toBeGreaterThan(50)
    const reward = found.find((row) => row['trace_type'] === 'reward')
    expect(reward).toMatchObject({
      reward_type: 'block',
      from_address: null,
      trace_id: `reward_${reward?.['block_number']}_0`,
    })
    const created = expected.filter((trace) => trace['trace_type'] === 'create' && trace['status'] === 1n)
    const contracts = await rowsOf('contracts')
    for (const [i, trace] of created.entries()) {
      const { address, bytecode } = contracts[i]!
      // In Frontier a contract whose gas did not suffice for its code has none, though the trace shows the code.
      const isEmpty = bytecode === '0x'
      if (isEmpty) expect(await request('eth_getCode', [address, 'latest'])).toBe('0x')
      expect([address, isEmpty ? trace['output'] : bytecode]).toEqual([trace['to_address'], trace['output']])
    }
    expect(contracts.length).toBe(created.length)
    expect(contracts.length).toBeGreaterThan(3)
  })

  it('names its tables if it has not the one that was asked for', async () => {
    await expect(
      chain.export({ datasets: ['withdrawals'], folder }, { schema: 'etl', reorgBuffer: 0 }),
    ).rejects.toThrow(/no dataset withdrawals in the schema of ethereum-etl; there are blocks, transactions/)
  })
})

describe('the selectors of a code', () => {
  it('are the operands of PUSH4 before the first JUMPDEST, each once', () => {
    const code = `60806040526004361063b88d4fde1463a9059cbb1463a9059cbb147f63ffffffff${'00'.repeat(28)}5b63deadbeef`
    expect(codeSelectors(Buffer.from(code, 'hex'))).toEqual(['0xa9059cbb', '0xb88d4fde'])
  })
})
