// The queries of a comparison with geth. They are chosen from the chain itself, so that their results have the size that
// their names say. The requests of a query are all different, so that no side can respond from a cache.
import type { GethChain } from '../../api/geth-chain.js'
import { bytesToHex, type Hex, hexToBytes, quantity } from '../../bytes.js'
import { keccak256 } from '../../kernel/keccak.js'
import { throwIfAborted } from '../../stop.js'
import { countEmitters, type Emitters } from './emitters.js'

/** One request, for a server as JSON-RPC and for the library as a call of its typed API. */
export interface QueryRequest {
  readonly params: readonly unknown[]
  run(chain: GethChain): Promise<unknown>
}

/** One row of the comparison: a method and its requests. */
export interface Query {
  /** Stable name for programs. */
  readonly id: string
  readonly title: string
  readonly method: string
  /** How many requests are different; after them they repeat. */
  readonly requests: number
  /** Request `i`, from 0 to `requests` - 1. */
  request(i: number): QueryRequest
}

/** Blocks whose logs are counted and queried; the newest ones of a longer chain. */
const maxLogBlocks = 20_000

/** Logs of the largest result: below the server's limit of 10,000. */
const manyLogs = 9_000

/** Blocks whose transactions are asked for. */
const transactionBlocks = 2_000

/** Queries on the blocks up to `head`, without those for which the chain has nothing. */
export async function chooseQueries(chain: GethChain, head: bigint, signal: AbortSignal): Promise<Query[]> {
  const blocks = { from: head > BigInt(maxLogBlocks) ? head - BigInt(maxLogBlocks) + 1n : 0n, to: head }
  const emitters = await countEmitters(chain, blocks, { manyLogs, signal })
  return [
    ...logQueries(emitters),
    ...(await stateQueries(chain, emitters, head)),
    ...(await blockQueries(chain, blocks, signal)),
  ].filter(({ requests }) => requests > 0)
}

function logQueries({ blocks, choices, many }: Emitters): Query[] {
  const total = Number(blocks.to - blocks.from) + 1
  const range = `${total} blocks`
  /** The addresses and first topics that are in about this share of the blocks, with results within the server's limit. */
  const nearest = (share: number) => {
    const sorted = choices
      .filter(({ logs }) => logs <= manyLogs)
      .map((choice) => ({ ...choice, distance: Math.abs(Math.log(choice.blocks / (share * total))) }))
      .sort((a, b) => a.distance - b.distance)
    return sorted.filter(({ distance }) => distance <= sorted[0]!.distance + Math.log(1.2))
  }
  const percent = (count: number) => `${Number(((100 * count) / total).toPrecision(2))} %`
  const [rare, medium] = [nearest(1 / 2_000), nearest(1 / 4)]
  const filters = (found: typeof rare) => found.map(({ filter }) => filter)
  const queries: Query[] = [
    {
      id: 'logs-none',
      title: `logs, none in ${range}`,
      method: 'eth_getLogs',
      requests: 1_000_000,
      request: (i) => logRequest({ topics: [hashOf(`geth-reader bench ${i}`)] }, blocks),
    },
  ]
  if (rare[0]) {
    const title = `logs, ${rare[0].logs} in ${range}`
    queries.push(logQuery('logs-rare', title, { filters: filters(rare), blocks }))
  }
  if (medium[0]) {
    const title = `logs, ${medium[0].logs} in ${percent(medium[0].blocks)} of ${range}`
    queries.push(logQuery('logs-medium', title, { filters: filters(medium), blocks }))
  }
  if (many) {
    const title = `logs, ${many.logs} in ${many.to - many.from + 1n} blocks`
    queries.push(logQuery('logs-many', title, { filters: [{ address: many.address }], blocks: many }))
  }
  return queries
}

interface BlockRange {
  readonly from: bigint
  readonly to: bigint
}

interface RequestFilter {
  readonly address?: Hex
  readonly topics?: readonly Hex[]
}

/** Every filter with ranges of blocks that are shorter at both ends by up to a twentieth. */
function logQuery(
  id: string,
  title: string,
  { filters, blocks }: { readonly filters: readonly RequestFilter[]; readonly blocks: BlockRange },
): Query {
  const cuts = Math.floor(Number(blocks.to - blocks.from) / 20) + 1
  return {
    id,
    title,
    method: 'eth_getLogs',
    requests: filters.length * cuts * cuts,
    request(i) {
      const cut = Math.floor(i / filters.length)
      const from = blocks.from + BigInt(cut % cuts)
      return logRequest(filters[i % filters.length]!, {
        from,
        to: blocks.to - BigInt(Math.floor(cut / cuts)),
      })
    },
  }
}

function logRequest(filter: RequestFilter, { from, to }: BlockRange): QueryRequest {
  return {
    params: [{ ...filter, fromBlock: quantity(from), toBlock: quantity(to) }],
    run: (chain) => chain.getLogs({ ...filter, fromBlock: from, toBlock: to }),
  }
}

/** Balances of holders of tokens: a slot of the mapping that most tokens declare first, and `balanceOf`. */
async function stateQueries(chain: GethChain, { holders: found }: Emitters, head: bigint): Promise<Query[]> {
  const holders = shuffled(found, pseudoRandom(1))
  const storage = (i: number, blockNumber: bigint): QueryRequest => {
    const { token, holder } = holders[i % holders.length]!
    const slot = bytesToHex(keccak256(hexToBytes(`${holder.slice(2).padStart(64, '0')}${'0'.repeat(64)}`)))
    return {
      params: [token, slot, quantity(blockNumber)],
      run: (chain) => chain.getStorageAt({ address: token, slot, blockNumber }),
    }
  }
  const balanceOf = (i: number, blockNumber: bigint): QueryRequest => {
    const { token, holder } = holders[i % holders.length]!
    const data: Hex = `0x70a08231${holder.slice(2).padStart(64, '0')}`
    return {
      params: [{ to: token, data }, quantity(blockNumber)],
      run: (chain) => chain.call({ to: token, data, blockNumber }),
    }
  }
  const old = await oldBlocks(chain, head)
  const oldCount = old ? Number(old.to - old.from) + 1 : 0
  /** Each time that the turn of a holder comes, another block. */
  const oldBlock = (i: number) => {
    const turn = pseudoRandom(i % holders.length)(oldCount) + Math.floor(i / holders.length)
    return old!.from + BigInt(turn % oldCount)
  }
  const atHeadAndOld = (id: string, title: string, method: string, ask: typeof storage): Query[] => [
    {
      id: `${id}-head`,
      title: `${title} at the head`,
      method,
      requests: holders.length,
      request: (i) => ask(i, head),
    },
    {
      id: `${id}-old`,
      title: `${title} at old blocks`,
      method,
      requests: holders.length * oldCount,
      request: (i) => ask(i, oldBlock(i)),
    },
  ]
  return [
    ...atHeadAndOld('storage', 'storage', 'eth_getStorageAt', storage),
    ...atHeadAndOld('call', 'balanceOf', 'eth_call', balanceOf),
  ]
}

/** The longest range of blocks below the newest 128 that have a state in the directory. */
async function oldBlocks(chain: GethChain, head: bigint): Promise<BlockRange | undefined> {
  const { available } = await chain.getInfo()
  const ranges = available.states
    .map(({ fromBlock: from, toBlock: to }) => ({ from, to: to < head - 128n ? to : head - 128n }))
    .filter(({ from, to }) => from < to)
  return ranges.sort((a, b) => Number(b.to - b.from - (a.to - a.from)))[0]
}

async function blockQueries(chain: GethChain, blocks: BlockRange, signal: AbortSignal): Promise<Query[]> {
  const random = pseudoRandom(2)
  const count = Number(blocks.to - blocks.from) + 1
  const numbers = shuffled(
    Array.from({ length: count }, (_, i) => blocks.from + BigInt(i)),
    random,
  )
  const transactions: { blockNumber: bigint; index: number; hash: Hex }[] = []
  for (const blockNumber of numbers.slice(0, transactionBlocks)) {
    throwIfAborted(signal)
    const { transactions: hashes } = (await chain.getBlock({ blockNumber }))!
    for (const [index, hash] of hashes.entries()) transactions.push({ blockNumber, index, hash })
  }
  const mined = shuffled(transactions, random)
  const block = (includeTransactions: boolean) => (i: number) => {
    const blockNumber = numbers[i]!
    return {
      params: [quantity(blockNumber), includeTransactions],
      run: (chain: GethChain) => chain.getBlock({ blockNumber, includeTransactions }),
    }
  }
  return [
    {
      id: 'block',
      title: 'block with hashes',
      method: 'eth_getBlockByNumber',
      requests: count,
      request: block(false),
    },
    {
      id: 'block-full',
      title: 'block with transactions',
      method: 'eth_getBlockByNumber',
      requests: count,
      request: block(true),
    },
    {
      id: 'block-receipts',
      title: 'receipts of a block',
      method: 'eth_getBlockReceipts',
      requests: count,
      request(i) {
        const blockNumber = numbers[i]!
        return {
          params: [quantity(blockNumber)],
          run: (chain) => chain.getBlockReceipts({ blockNumber }),
        }
      },
    },
    {
      id: 'transaction',
      title: 'one transaction, by index',
      method: 'eth_getTransactionByBlockNumberAndIndex',
      requests: mined.length,
      request(i) {
        const { blockNumber, index } = mined[i]!
        return {
          params: [quantity(blockNumber), quantity(BigInt(index))],
          run: (chain) => chain.getTransaction({ blockNumber, index }),
        }
      },
    },
    {
      id: 'receipt',
      title: 'one receipt',
      method: 'eth_getTransactionReceipt',
      requests: mined.length,
      request(i) {
        const { hash } = mined[i]!
        return { params: [hash], run: (chain) => chain.getTransactionReceipt({ hash }) }
      },
    },
  ]
}

function hashOf(text: string): Hex {
  return bytesToHex(keccak256(new TextEncoder().encode(text)))
}

/** The values in another order, the same in every run. */
function shuffled<T>(values: readonly T[], random: (below: number) => number): T[] {
  const mixed = [...values]
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = random(i + 1)
    ;[mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!]
  }
  return mixed
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
