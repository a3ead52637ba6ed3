// The queries of a comparison with geth. They are chosen from the chain itself, so that their results have the size that
// their names say.

import type { GethChain } from '../../api/geth-chain.js'
import { bytesToHex, type Hex, hexToBytes, quantity } from '../../bytes.js'
import { keccak256 } from '../../kernel/keccak.js'
import { throwIfAborted } from '../../stop.js'
import { countEmitters, type Emitters } from './emitters.js'

/** One request, for a server as JSON-RPC and for the library as a call of its typed API. */
interface QueryRequest {
  readonly params: readonly unknown[]
  run(chain: GethChain): Promise<unknown>
}

/** One row of the comparison: a method with so many requests that a cache of single objects does not decide it. */
export interface Query {
  /** Stable name for programs. */
  readonly id: string
  readonly title: string
  readonly method: string
  readonly requests: readonly QueryRequest[]
}

/** Blocks whose logs are counted and queried; the newest ones of a longer chain. */
const maxLogBlocks = 20_000

/** Logs of the largest result: below the server's limit of 10,000. */
const manyLogs = 9_000

/** Requests of each query that does not scan. */
const variations = 100

/** Queries on the blocks up to `head`, without those for which the chain has nothing. */
export async function chooseQueries(chain: GethChain, head: bigint, signal: AbortSignal): Promise<Query[]> {
  const blocks = { from: head > BigInt(maxLogBlocks) ? head - BigInt(maxLogBlocks) + 1n : 0n, to: head }
  const emitters = await countEmitters(chain, blocks, { manyLogs, signal })
  return [
    ...logQueries(emitters),
    ...(await stateQueries(chain, emitters, head)),
    ...(await blockQueries(chain, head, signal)),
  ].filter(({ requests }) => requests.length > 0)
}

function logQueries({ blocks, choices, many }: Emitters): Query[] {
  const total = Number(blocks.to - blocks.from) + 1
  const range = `${total} blocks`
  /** The address or first topic that is in nearly this share of the blocks, with a result within the server's limit. */
  const nearest = (share: number) => {
    const distance = (count: number) => Math.abs(Math.log(count / (share * total)))
    return choices
      .filter(({ logs }) => logs <= manyLogs)
      .sort((a, b) => distance(a.blocks) - distance(b.blocks))[0]
  }
  const rare = nearest(1 / 2_000)
  const medium = nearest(1 / 4)
  const percent = (count: number) => `${Number(((100 * count) / total).toPrecision(2))} %`
  return [
    logQuery(
      'logs-none',
      `logs, none in ${range}`,
      { topics: [bytesToHex(keccak256(new TextEncoder().encode('geth-reader bench')))] },
      blocks,
    ),
    ...(rare ? [logQuery('logs-rare', `logs, ${rare.logs} in ${range}`, rare.filter, blocks)] : []),
    ...(medium
      ? [
          logQuery(
            'logs-medium',
            `logs, ${medium.logs} in ${percent(medium.blocks)} of ${range}`,
            medium.filter,
            blocks,
          ),
        ]
      : []),
    ...(many
      ? [
          logQuery(
            'logs-many',
            `logs, ${many.logs} in ${many.to - many.from + 1n} blocks`,
            { address: many.address },
            many,
          ),
        ]
      : []),
  ]
}

function logQuery(
  id: string,
  title: string,
  filter: { readonly address?: Hex; readonly topics?: readonly Hex[] },
  { from, to }: { readonly from: bigint; readonly to: bigint },
): Query {
  const request: QueryRequest = {
    params: [{ ...filter, fromBlock: quantity(from), toBlock: quantity(to) }],
    run: (chain) => chain.getLogs({ ...filter, fromBlock: from, toBlock: to }),
  }
  return { id, title, method: 'eth_getLogs', requests: [request] }
}

/** Balances of holders of tokens: a slot of the mapping that most tokens declare first, and `balanceOf`. */
async function stateQueries(chain: GethChain, { holders }: Emitters, head: bigint): Promise<Query[]> {
  const random = pseudoRandom(1)
  const holdings = Array.from(
    { length: holders.length === 0 ? 0 : variations },
    () => holders[random(holders.length)]!,
  )
  const old = await oldBlocks(chain, head, random)
  const storage = (id: string, title: string, blockAt: (i: number) => bigint): Query => ({
    id,
    title,
    method: 'eth_getStorageAt',
    requests: holdings.map(({ token, holder }, i) => {
      const slot = bytesToHex(keccak256(hexToBytes(`${holder.slice(2).padStart(64, '0')}${'0'.repeat(64)}`)))
      const blockNumber = blockAt(i)
      return {
        params: [token, slot, quantity(blockNumber)],
        run: (chain) => chain.getStorageAt({ address: token, slot, blockNumber }),
      }
    }),
  })
  const call = (id: string, title: string, blockAt: (i: number) => bigint): Query => ({
    id,
    title,
    method: 'eth_call',
    requests: holdings.map(({ token, holder }, i) => {
      const data: Hex = `0x70a08231${holder.slice(2).padStart(64, '0')}`
      const blockNumber = blockAt(i)
      return {
        params: [{ to: token, data }, quantity(blockNumber)],
        run: (chain) => chain.call({ to: token, data, blockNumber }),
      }
    }),
  })
  const atHead = () => head
  const atOld = (i: number) => old[i % old.length]!
  return [
    storage('storage-head', 'storage at the head', atHead),
    ...(old.length > 0 ? [storage('storage-old', 'storage at old blocks', atOld)] : []),
    call('call-head', 'balanceOf at the head', atHead),
    ...(old.length > 0 ? [call('call-old', 'balanceOf at old blocks', atOld)] : []),
  ]
}

/** Blocks below the newest 128 with a state in the directory. */
async function oldBlocks(
  chain: GethChain,
  head: bigint,
  random: (below: number) => number,
): Promise<bigint[]> {
  const { available } = await chain.getInfo()
  const ranges = available.states
    .map(({ from, to }) => ({ from, to: to < head - 128n ? to : head - 128n }))
    .filter(({ from, to }) => from < to)
  const [range] = ranges.sort((a, b) => Number(b.to - b.from - (a.to - a.from)))
  if (!range) return []
  return Array.from(
    { length: variations },
    () => range.from + BigInt(random(Number(range.to - range.from) + 1)),
  )
}

async function blockQueries(chain: GethChain, head: bigint, signal: AbortSignal): Promise<Query[]> {
  const random = pseudoRandom(2)
  const from = head > BigInt(maxLogBlocks) ? head - BigInt(maxLogBlocks) + 1n : 0n
  const numbers = Array.from({ length: variations }, () => from + BigInt(random(Number(head - from) + 1)))
  const hashes: Hex[] = []
  for (const blockNumber of numbers) {
    throwIfAborted(signal)
    const { transactions } = (await chain.getBlock({ blockNumber }))!
    if (transactions.length > 0) hashes.push(transactions[random(transactions.length)]!)
  }
  const blocks = (includeTransactions: boolean) =>
    numbers.map(
      (blockNumber): QueryRequest => ({
        params: [quantity(blockNumber), includeTransactions],
        run: (chain) => chain.getBlock({ blockNumber, includeTransactions }),
      }),
    )
  return [
    { id: 'block', title: 'block with hashes', method: 'eth_getBlockByNumber', requests: blocks(false) },
    {
      id: 'block-full',
      title: 'block with transactions',
      method: 'eth_getBlockByNumber',
      requests: blocks(true),
    },
    {
      id: 'block-receipts',
      title: 'receipts of a block',
      method: 'eth_getBlockReceipts',
      requests: numbers.map((blockNumber) => ({
        params: [quantity(blockNumber)],
        run: (chain) => chain.getBlockReceipts({ blockNumber }),
      })),
    },
    {
      id: 'receipt',
      title: 'one receipt',
      method: 'eth_getTransactionReceipt',
      requests: hashes.map((hash) => ({
        params: [hash],
        run: (chain) => chain.getTransactionReceipt({ hash }),
      })),
    },
  ]
}

/** Whole numbers from 0 to below a bound, the same ones in every run (mulberry32). */
function pseudoRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
