// Derives the rows of datasets with execution from what geth's tracers answer about a block: callTracer, flatCallTracer,
// prestateTracer with and without diff mode, and 4byteTracer.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { hex, int, type Json, type Row, type RpcBlock, u256 } from './expected-rows.js'

/** The traces of the transactions of a block by each tracer. */
export interface BlockTraces {
  readonly call: readonly Json[]
  readonly flat: readonly (readonly Json[])[]
  readonly prestate: readonly Json[]
  readonly diff: readonly Json[]
  readonly fourByte: readonly Json[]
}

/** The tracers of {@link BlockTraces} with their options. */
export const tracers: Readonly<Record<keyof BlockTraces, Json>> = {
  call: { tracer: 'callTracer' },
  flat: { tracer: 'flatCallTracer' },
  prestate: { tracer: 'prestateTracer' },
  diff: { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  fourByte: { tracer: '4byteTracer' },
}

/** Which traces the rows of a dataset are derived from. */
export const tracersOf: Readonly<Record<string, readonly (keyof BlockTraces)[]>> = {
  traces: ['flat'],
  geth_calls: ['call'],
  native_transfers: ['call'],
  contracts: ['call'],
  balance_diffs: ['diff'],
  nonce_diffs: ['diff'],
  code_diffs: ['diff'],
  storage_diffs: ['diff'],
  balance_reads: ['prestate'],
  nonce_reads: ['prestate'],
  code_reads: ['prestate'],
  storage_reads: ['prestate'],
  address_appearances: ['flat'],
  four_byte_counts: ['fourByte'],
}

/** A block with what its rows are derived from. */
export interface TracedRpcBlock extends RpcBlock {
  readonly traces: Partial<BlockTraces>
  readonly uncles: readonly Json[]
  /** Wei for the author before shares for uncles; 0 after the merge. */
  readonly reward: bigint
  /**
   * Codes of the contracts that the block created, by address, after it. Before Homestead the output of a creation is not always
   * the code of the contract.
   */
  readonly codes?: Readonly<Record<string, string>>
}

/** Reads the traces and uncles of blocks by JSON-RPC. */
export async function readTraces(
  request: (method: string, params: readonly unknown[]) => Promise<unknown>,
  blocks: readonly RpcBlock[],
  config: Json,
): Promise<TracedRpcBlock[]> {
  const traced: TracedRpcBlock[] = []
  for (const read of blocks) {
    const number = read.block['number']
    const isGenesis = number === '0x0'
    const traces: Record<string, unknown> = {}
    for (const [name, options] of Object.entries(tracers)) {
      const results = isGenesis ? [] : await request('debug_traceBlockByNumber', [number, options])
      traces[name] = (results as Json[]).map(({ result }) => result)
    }
    const uncles: Json[] = []
    for (const i of (read.block['uncles'] as unknown[]).keys())
      uncles.push(
        (await request('eth_getUncleByBlockNumberAndIndex', [number, `0x${i.toString(16)}`])) as Json,
      )
    const codes: Record<string, string> = {}
    if (!isSince(read.block, config['homesteadBlock'])) {
      for (const { to } of (traces['call'] as Json[]).flatMap(lastingFrames))
        codes[to as string] = (await request('eth_getCode', [to, number])) as string
    }
    traced.push({ ...read, traces, uncles, codes, reward: rewardOf(read.block, config) })
  }
  return traced
}

/** Wei of the reward for a block of proof of work by the forks of the chain. */
export function rewardOf(block: Json, config: Json): bigint {
  if (block['difficulty'] === '0x0' || block['number'] === '0x0') return 0n
  const ether = 10n ** 18n
  return (
    (isSince(block, config['constantinopleBlock'])
      ? 2n
      : isSince(block, config['byzantiumBlock'])
        ? 3n
        : 5n) * ether
  )
}

function isSince(block: Json, fork: unknown): boolean {
  return fork !== undefined && int(block['number'])! >= BigInt(fork as number)
}

/** Every column of every row of a dataset with execution, bytes as hex, integers as bigints. */
export function expectedExecutedRows(
  dataset: string,
  blocks: readonly TracedRpcBlock[],
  chainId: bigint,
): Row[] {
  return blocks.flatMap((block) =>
    rowsOf[dataset]!(block).map((row) => {
      const { block_number, block_hash } = blockPlace(block)
      const hash = datasetsWithHash.has(dataset) ? { block_hash } : {}
      return { block_number, ...hash, ...row, chain_id: chainId }
    }),
  )
}

const datasetsWithHash = new Set(['traces', 'native_transfers', 'contracts', 'address_appearances'])

const blockPlace = ({ block }: RpcBlock) => ({
  block_number: int(block['number']),
  block_hash: hex(block['hash']),
})

const hashesOf = ({ block }: RpcBlock) =>
  (block['transactions'] as Json[]).map((transaction) => transaction['hash'] as string)

const transactionPlace = (read: RpcBlock, i: number): Row => ({
  transaction_index: BigInt(i),
  transaction_hash: hashesOf(read)[i]!,
})

const rowsOf: Readonly<Record<string, (block: TracedRpcBlock) => Row[]>> = {
  traces: (read) => [
    ...read.traces.flat!.flatMap((frames, i) =>
      frames.map((frame) => ({ ...traceRow(frame), ...transactionPlace(read, i) })),
    ),
    ...rewardsOf(read).map(({ author, value }, i) => ({
      ...emptyTrace,
      action_from: author,
      action_value: value.toString(),
      action_reward_type: i === 0 ? 'reward' : 'uncle',
      action_type: 'reward',
      trace_address: '',
      subtraces: 0n,
      transaction_index: null,
      transaction_hash: null,
    })),
  ],
  geth_calls: (read) =>
    read.traces.call!.flatMap((first, i) =>
      framesIn(first).map(({ frame, address }) => ({
        typ: frame['type'],
        from_address: hex(frame['from']),
        to_address: hex(frame['to']),
        ...u256('value', frame['value']),
        ...u256('gas', frame['gas']),
        ...u256('gas_used', frame['gasUsed']),
        input: hex(frame['input']),
        output: hex(frame['output']),
        error: frame['error'] ?? null,
        ...transactionPlace(read, i),
        trace_address: address.join(' '),
      })),
    ),
  native_transfers: (read) => {
    const moves = read.traces.call!.flatMap((first, i) =>
      lastingFrames(first)
        .filter((frame) => ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'].includes(frame['type'] as string))
        .map((frame) => ({
          ...transactionPlace(read, i),
          from_address: hex(frame['from']),
          to_address: hex(frame['to']),
          value: int(frame['value'])!,
        })),
    )
    const rewards = rewardsOf(read).map(({ author, value }) => ({
      transaction_index: null,
      transaction_hash: null,
      from_address: `0x${'00'.repeat(20)}`,
      to_address: author,
      value,
    }))
    return [...moves, ...rewards]
      .filter(({ value }) => value > 0n)
      .map(({ value, ...row }, i) => ({ ...row, transfer_index: BigInt(i), ...u256('value', value) }))
  },
  contracts: (read) =>
    read.traces
      .call!.flatMap((first, i) =>
        lastingFrames(first)
          .filter((frame) => (frame['type'] as string).startsWith('CREATE'))
          .map((frame) => {
            const initCode = frame['input'] as string
            const code = read.codes?.[frame['to'] as string] ?? ((frame['output'] ?? '0x') as string)
            return {
              transaction_hash: hashesOf(read)[i],
              contract_address: frame['to'],
              deployer: first['from'],
              factory: frame['from'],
              init_code: initCode,
              code,
              init_code_hash: keccak(initCode),
              n_init_code_bytes: lengthOf(initCode),
              n_code_bytes: lengthOf(code),
              code_hash: keccak(code),
            }
          }),
      )
      .map((row, i) => ({ ...row, create_index: BigInt(i) })),
  balance_diffs: (read) =>
    diffsOf(read, ({ pre, post }) => {
      const [from, to] = [int(pre['balance']) ?? 0n, int(post['balance']) ?? 0n]
      return [{ from, to }].filter((row) => row.from !== row.to)
    }).map(({ from, to, ...row }) => ({ ...row, ...u256('from_value', from), ...u256('to_value', to) })),
  nonce_diffs: (read) =>
    diffsOf(read, ({ pre, post }) => {
      const [from, to] = [int(pre['nonce']) ?? 0n, int(post['nonce']) ?? 0n]
      return [{ from_value: from, to_value: to }].filter((row) => row.from_value !== row.to_value)
    }),
  code_diffs: (read) =>
    diffsOf(read, ({ pre, post }) => {
      const [from, to] = [hex(pre['code']) ?? '0x', hex(post['code']) ?? '0x']
      return [{ from_value: from, to_value: to }].filter((row) => row.from_value !== row.to_value)
    }),
  storage_diffs: (read) =>
    diffsOf(read, ({ pre, post }) => {
      const [before, after] = [pre['storage'] ?? {}, post['storage'] ?? {}] as Record<string, string>[]
      return [...new Set([...Object.keys(before!), ...Object.keys(after!)])]
        .sort()
        .map((slot) => ({ slot, from_value: before![slot] ?? zeroWord, to_value: after![slot] ?? zeroWord }))
        .filter((row) => row.from_value !== row.to_value)
    }),
  balance_reads: (read) => readsOf(read, 'address', (account) => [u256('balance', account['balance'])]),
  nonce_reads: (read) =>
    readsOf(read, 'address', ({ nonce }) => (nonce === undefined ? [] : [{ nonce: int(nonce) }])),
  code_reads: (read) =>
    readsOf(read, 'contract_address', ({ code }) => (code === undefined ? [] : [{ code }])),
  storage_reads: (read) =>
    readsOf(read, 'contract_address', ({ storage = {} }) =>
      Object.entries(storage as Json)
        .sort(byKey)
        .map(([slot, value]) => ({ slot, value })),
    ),
  address_appearances: (read) =>
    hashesOf(read)
      .flatMap((transaction_hash, i) =>
        appearancesIn(read, i).map((appearance) => ({ transaction_hash, ...appearance })),
      )
      .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
  four_byte_counts: (read) =>
    read.traces.fourByte!.flatMap((counts, i) =>
      Object.entries(counts)
        .map(([key, count]) => {
          const [signature, size] = key.split('-')
          return { ...transactionPlace(read, i), signature, size: BigInt(size!), count: int(count) }
        })
        .sort((a, b) =>
          a.signature === b.signature ? Number(a.size - b.size) : a.signature! < b.signature! ? -1 : 1,
        ),
    ),
}

const zeroWord = `0x${'00'.repeat(32)}`
const bytesOf = (text: string) => Buffer.from(text.slice(2), 'hex')
const lengthOf = (text: string) => BigInt(bytesOf(text).length)
const keccak = (text: string) => `0x${Buffer.from(keccak_256(bytesOf(text))).toString('hex')}`
const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
const sortKey = (row: Appearance & { readonly transaction_hash: string }) =>
  `${row.transaction_hash} ${row.address} ${row.relationship}`

const emptyTrace: Row = Object.fromEntries(
  [
    ...['action_from', 'action_to', 'action_gas', 'action_input', 'action_call_type', 'action_init'],
    ...['action_reward_type', 'result_gas_used', 'result_output', 'result_code', 'result_address', 'error'],
  ].map((name) => [name, null]),
)

const callTypes: Readonly<Record<string, string>> = {
  call: 'call',
  callcode: 'call_code',
  delegatecall: 'delegate_call',
  staticcall: 'static_call',
}

function traceRow(frame: Json): Row {
  const action = frame['action'] as Json
  const result = (frame['result'] ?? {}) as Json
  const isSuicide = frame['type'] === 'suicide'
  return {
    ...emptyTrace,
    action_from: hex(isSuicide ? action['address'] : action['from']),
    action_to: hex(isSuicide ? action['refundAddress'] : action['to']),
    action_value: int(isSuicide ? action['balance'] : action['value'])!.toString(),
    action_gas: int(action['gas']),
    action_input: hex(action['input']),
    action_call_type: callTypes[action['callType'] as string] ?? null,
    action_init: hex(action['init']),
    action_type: frame['type'],
    result_gas_used: int(result['gasUsed']),
    result_output: hex(result['output']),
    result_code: hex(result['code']),
    result_address: hex(result['address']),
    trace_address: (frame['traceAddress'] as number[]).join('_'),
    subtraces: int(frame['subtraces']),
    error: frame['error'] ?? null,
  }
}

interface FrameInTree {
  readonly frame: Json
  readonly address: readonly number[]
}

function framesIn(frame: Json, address: readonly number[] = []): FrameInTree[] {
  const calls = (frame['calls'] ?? []) as Json[]
  return [{ frame, address }, ...calls.flatMap((call, i) => framesIn(call, [...address, i]))]
}

/** The frames that did not fail, in frames that did not fail. */
function lastingFrames(frame: Json): Json[] {
  if (frame['error'] !== undefined) return []
  return [frame, ...((frame['calls'] ?? []) as Json[]).flatMap(lastingFrames)]
}

function rewardsOf({ block, uncles, reward }: TracedRpcBlock): { author: unknown; value: bigint }[] {
  if (reward === 0n) return []
  const own = { author: block['miner'], value: reward + (BigInt(uncles.length) * reward) / 32n }
  const depth = (uncle: Json) => int(uncle['number'])! + 8n - int(block['number'])!
  return [own, ...uncles.map((uncle) => ({ author: uncle['miner'], value: (depth(uncle) * reward) / 8n }))]
}

/** Rows of each account that a transaction changed. Members that the tracer leaves out of `post` are as before. */
function diffsOf<T extends Row>(
  read: TracedRpcBlock,
  rows: (account: { readonly pre: Json; readonly post: Json }) => T[],
): (T & Row)[] {
  return read.traces.diff!.flatMap((diff, i) => {
    const [before, after] = [diff['pre'], diff['post']] as [Record<string, Json>, Record<string, Json>]
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((address) => {
      const pre = before[address] ?? {}
      const changed = after[address]
      const { balance = pre['balance'], nonce = pre['nonce'], code = pre['code'], storage } = changed ?? {}
      const post = changed === undefined ? { balance: '0x0' } : { balance, nonce, code, storage }
      return rows({ pre, post }).map((row) => ({ ...transactionPlace(read, i), address, ...row }))
    })
  })
}

function readsOf(read: TracedRpcBlock, addressName: string, rows: (account: Json) => Row[]): Row[] {
  return read.traces.prestate!.flatMap((accounts, i) =>
    Object.entries(accounts as Record<string, Json>)
      .sort(byKey)
      .flatMap(([address, account]) =>
        rows(account).map((row) => ({ ...transactionPlace(read, i), [addressName]: address, ...row })),
      ),
  )
}

interface Appearance {
  readonly address: unknown
  readonly relationship: string
}

const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

function appearancesIn(read: TracedRpcBlock, i: number): Appearance[] {
  const found: Appearance[] = [{ address: read.block['miner'], relationship: 'miner_fee' }]
  const add = (relationship: string, address: unknown) => found.push({ address, relationship })
  for (const log of read.receipts[i]!['logs'] as Json[]) {
    const [topics, isEmpty] = [log['topics'] as string[], log['data'] === '0x']
    if (topics[0] !== transfer || topics.length < 3 || (isEmpty && topics.length < 4)) continue
    const name = isEmpty ? 'erc721_transfer' : 'erc20_transfer'
    add(`${name}_from`, `0x${topics[1]!.slice(26)}`)
    add(`${name}_to`, `0x${topics[2]!.slice(26)}`)
  }
  for (const frame of read.traces.flat![i]!) {
    const action = frame['action'] as Json
    const created = (frame['result'] as Json | undefined)?.['address']
    const isFirst = (frame['traceAddress'] as number[]).length === 0
    if (frame['type'] === 'suicide') {
      add('suicide', action['address'])
      add('suicide_refund', action['refundAddress'])
      continue
    }
    const isCall = frame['type'] === 'call'
    if (isFirst) add('tx_from', action['from'])
    if (isFirst && isCall) add('tx_to', action['to'])
    add(isCall ? 'call_from' : 'factory', action['from'])
    if (isCall) add('call_to', action['to'])
    if (created !== undefined) add('create', created)
    if (created !== undefined && isFirst) add('tx_to', created)
  }
  return found
}
