// Requests that never repeat, from a chain of any size: each method in its share of real traffic, each time about another
// block, transaction or account. Only the methods without arguments are asked again and again.
import type { GethChain } from '../../src/api/geth-chain.js'
import type { Hex } from '../../src/bytes.js'
import { requestBody } from '../../src/cli/bench/json-rpc-client.js'
import { chooseQueries, type Query } from '../../src/cli/bench/queries.js'
import { Random } from '../../test/random.js'
import { type Asked, drawMethods, fullBlockShare } from './traffic.js'

/** What is asked of one method, each time something else. */
interface Pool {
  readonly method: string
  readonly size: number
  /** How often it is drawn among the pools of its method. */
  readonly weight: number
  readonly wantsFullBlock: boolean
  params(i: number): readonly unknown[]
}

/** A sequence of requests, the same in every run. It is made as far as it is asked for. */
export interface DistinctMix {
  at(turn: number): Asked
  /** Share of the requests so far that were asked before, as the chain has too few. */
  repeatedShare(): number
}

/** Requests of a query for a method, perhaps not its own. */
type Derived = readonly [method: string, params: (params: readonly unknown[]) => readonly unknown[]]

/** Another member of the query's parameters for each further method. `balanceOf` has the holder in its data. */
const holder: Derived[1] = ([call, block]) => [`0x${(call as { data: Hex }).data.slice(-40)}`, block]
const same: Derived[1] = (params) => params
const state = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].map(
  (method): Derived => [method, holder],
)

/** What is asked with the requests of each query. Log queries with many results are left out: each would take seconds. */
const derivedFrom: Readonly<Record<string, readonly Derived[]>> = {
  'logs-none': [['eth_getLogs', same]],
  'logs-rare': [['eth_getLogs', same]],
  'storage-head': [['eth_getStorageAt', same]],
  'storage-old': [['eth_getStorageAt', same]],
  'call-head': [['eth_call', same], ...state],
  'call-old': [['eth_call', same], ...state],
  block: [['eth_getBlockByNumber', same]],
  'block-full': [['eth_getBlockByNumber', same]],
  'block-receipts': [['eth_getBlockReceipts', same]],
  transaction: [['eth_getTransactionByBlockNumberAndIndex', same]],
  receipt: [
    ['eth_getTransactionReceipt', same],
    ['eth_getTransactionByHash', same],
  ],
}

/** Blocks that are asked for by their hash. */
const hashedBlocks = 2_000

/** Makes sequences from the chain, without or with blocks of full transactions. */
export async function readDistinctMixes(chain: GethChain): Promise<(fullBlocks: boolean) => DistinctMix> {
  const head = await chain.getBlockNumber()
  const queries = await chooseQueries(chain, head, new AbortController().signal)
  const pools = [
    ...queries.flatMap(poolsOf),
    ...(await hashPools(chain, queries)),
    ...['eth_chainId', 'eth_blockNumber', 'net_version'].map((method) =>
      newPool(method, Number.POSITIVE_INFINITY, () => []),
    ),
  ]
  return (fullBlocks) => createMix(pools, fullBlocks)
}

function poolsOf(query: Query): Pool[] {
  return (derivedFrom[query.id] ?? []).map(([method, params]) => ({
    ...newPool(method, query.requests, (i) => params(query.request(i).params)),
    // Most requests about states are about the newest one.
    weight: query.id.endsWith('-head') ? 3 : 1,
    wantsFullBlock: query.id === 'block-full',
  }))
}

async function hashPools(chain: GethChain, queries: readonly Query[]): Promise<Pool[]> {
  const byNumber = queries.find(({ id }) => id === 'block')
  if (!byNumber) return []
  const hashes: Hex[] = []
  const transactions: (readonly [Hex, Hex])[] = []
  for (let i = 0; i < Math.min(hashedBlocks, byNumber.requests); i++) {
    const [number] = byNumber.request(i).params as [Hex]
    const block = (await chain.getBlock({ blockNumber: BigInt(number) }))!
    hashes.push(block.hash)
    // One of each block, since the share of the method is small.
    const { length } = block.transactions
    if (length > 0) transactions.push([block.hash, `0x${(i % length).toString(16)}`])
  }
  return [
    newPool('eth_getBlockByHash', hashes.length, (i) => [hashes[i], false]),
    newPool('eth_getTransactionByBlockHashAndIndex', transactions.length, (i) => transactions[i]!),
  ]
}

function newPool(method: string, size: number, params: Pool['params']): Pool {
  return { method, size, params, weight: 1, wantsFullBlock: false }
}

function createMix(pools: readonly Pool[], fullBlocks: boolean): DistinctMix {
  const random = new Random(1)
  const usable = pools.filter(({ size, wantsFullBlock }) => size > 0 && (fullBlocks || !wantsFullBlock))
  const draw = drawMethods(new Set(usable.map(({ method }) => method)), random)
  const next = new Map<Pool, number>()
  const asked: Asked[] = []
  let repeated = 0
  const ask = (): Asked => {
    const method = draw()
    const all = usable.filter((pool) => pool.method === method)
    const full = all.filter(({ wantsFullBlock }) => wantsFullBlock)
    const pool =
      full.length > 0 && random.fraction() < fullBlockShare
        ? full[0]!
        : pickWeighted(
            all.filter((one) => !full.includes(one)),
            random,
          )
    const i = next.get(pool) ?? 0
    next.set(pool, i + 1)
    if (i >= pool.size) repeated++
    return { method, body: requestBody(method, pool.params(Number.isFinite(pool.size) ? i % pool.size : 0)) }
  }
  return {
    at(turn) {
      while (asked.length <= turn) asked.push(ask())
      return asked[turn]!
    },
    repeatedShare: () => (asked.length === 0 ? 0 : repeated / asked.length),
  }
}

function pickWeighted(pools: readonly Pool[], random: Random): Pool {
  let left = random.fraction() * pools.reduce((sum, { weight }) => sum + weight, 0)
  for (const pool of pools) {
    left -= pool.weight
    if (left < 0) return pool
  }
  return pools.at(-1)!
}
