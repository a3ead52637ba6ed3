// Counts the logs and blocks of each contract and event, so that queries of a known size can be chosen.
import type { GethChain } from '../../api/geth-chain.js'
import { bytesToHex, type Hex } from '../../bytes.js'
import type { LogColumns } from '../../logs/log-columns.js'

/** A filter by one address or one first topic, and what it finds. */
interface Choice {
  readonly filter: { readonly address: Hex } | { readonly topics: readonly [Hex] }
  readonly logs: number
  /** Blocks that have at least one. */
  readonly blocks: number
}

/** Counts over the logs of a range of blocks. Ranges include both ends. */
export interface Emitters {
  readonly blocks: { readonly from: bigint; readonly to: bigint }
  readonly choices: readonly Choice[]
  /** The newest blocks in which the busiest contract makes at most `manyLogs` logs; undefined without logs. */
  readonly many:
    | { readonly address: Hex; readonly from: bigint; readonly to: bigint; readonly logs: number }
    | undefined
  /** Receivers of tokens, from Transfer events, each once; at most {@link maxHolders}. */
  readonly holders: readonly { readonly token: Hex; readonly holder: Hex }[]
}

/** Topic of `Transfer(address,address,uint256)`. */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const maxHolders = 50_000

interface Count {
  logs: number
  blocks: number
  lastBlock: number
}

/** Reads all logs of the blocks once. `manyLogs` is the size of `many`, which never exceeds it. */
export async function countEmitters(
  chain: GethChain,
  blocks: { readonly from: bigint; readonly to: bigint },
  { manyLogs, signal }: { readonly manyLogs: number; readonly signal: AbortSignal },
): Promise<Emitters> {
  const addresses = new Map<Hex, Count>()
  const topics = new Map<Hex, Count>()
  const holders = new Map<string, { token: Hex; holder: Hex }>()
  const range = { fromBlock: blocks.from, toBlock: blocks.to }
  for await (const { columns } of chain.scanLogs(range, { signal })) {
    for (let i = 0; i < columns.length; i++) {
      const address = row(columns.address, 20, i)
      const block = columns.blockNumber[i]!
      count(addresses, address, block)
      if (columns.topicCount[i] === 0) continue
      const topic = row(columns.topics[0], 32, i)
      count(topics, topic, block)
      const isTransfer = topic === transferTopic && columns.topicCount[i] === 3
      // Every seventh, so that they are not the receivers of a few blocks.
      if (isTransfer && i % 7 === 0 && holders.size < maxHolders) {
        const holder = receiver(columns, i)
        holders.set(address + holder, { token: address, holder })
      }
    }
  }
  const choices = [
    ...Array.from(addresses, ([address, { logs, blocks }]) => ({ filter: { address }, logs, blocks })),
    ...Array.from(topics, ([topic, { logs, blocks }]) => ({
      filter: { topics: [topic] as const },
      logs,
      blocks,
    })),
  ]
  const [busiest] = [...addresses].sort(([, a], [, b]) => b.logs - a.logs)
  return {
    blocks,
    choices,
    holders: [...holders.values()],
    many: busiest && (await newestLogs(chain, busiest[0], { ...blocks, manyLogs, signal })),
  }
}

/** The newest whole blocks with at most so many logs of one contract. */
async function newestLogs(
  chain: GethChain,
  address: Hex,
  { from, to, manyLogs, signal }: { from: bigint; to: bigint; manyLogs: number; signal: AbortSignal },
): Promise<Emitters['many']> {
  const perBlock = new Map<number, number>()
  const options = { signal, order: 'descending', limit: manyLogs + 1 } as const
  let found = 0
  for await (const { columns } of chain.scanLogs({ address, fromBlock: from, toBlock: to }, options)) {
    for (const block of columns.blockNumber) perBlock.set(block, (perBlock.get(block) ?? 0) + 1)
    found += columns.length
  }
  if (found <= manyLogs) return { address, from, to, logs: found }
  // The limit may have cut the last block.
  const oldest = Math.min(...perBlock.keys())
  if (perBlock.size === 1) return undefined
  return { address, from: BigInt(oldest) + 1n, to, logs: found - perBlock.get(oldest)! }
}

function count(counts: Map<Hex, Count>, key: Hex, block: number): void {
  const found = counts.get(key)
  if (found === undefined) {
    counts.set(key, { logs: 1, blocks: 1, lastBlock: block })
    return
  }
  found.logs++
  if (found.lastBlock !== block) found.blocks++
  found.lastBlock = block
}

function receiver(columns: LogColumns, i: number): Hex {
  return bytesToHex(columns.topics[2].subarray(32 * i + 12, 32 * (i + 1)))
}

function row(column: Uint8Array, width: number, i: number): Hex {
  return bytesToHex(column.subarray(width * i, width * (i + 1)))
}
