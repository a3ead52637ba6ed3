// The ten largest holders of an ERC-20 token after one block, and what they had after another one.
// node top-holders.ts ~/.ethereum 0xdAC17F958D2ee523a2206206994597C13D831ec7 18000000 19000000
import { type Hex, openDatadir } from 'geth-reader'

const [datadir, token, earlier, later] = process.argv.slice(2)
if (datadir === undefined || token === undefined || earlier === undefined || later === undefined) {
  console.error('usage: node top-holders.ts DATADIR TOKEN BLOCK LATER_BLOCK')
  process.exit(2)
}

const address = token as Hex
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const chain = await openDatadir(datadir)

// Whoever holds a token has received it.
const holders = new Set<Hex>()
for await (const batch of chain.scanLogs({ address, topics: [transfer], toBlock: BigInt(later) })) {
  for (const { topics } of batch) if (topics[2]) holders.add(`0x${topics[2].slice(-40)}`)
}

/** Balances of all holders after a block. A token that refuses a call has no balance there. */
async function balancesAt(blockNumber: bigint): Promise<Map<Hex, bigint>> {
  const list = [...holders]
  const calls = list.map((holder) => ({
    to: address,
    data: `0x70a08231${holder.slice(2).padStart(64, '0')}` as Hex,
  }))
  const results = await chain.multicall({ calls, blockNumber })
  return new Map(
    results.map((result, i) => {
      const data = result.status === 'success' ? result.data : undefined
      return [list[i]!, BigInt(data ?? 0)]
    }),
  )
}

const before = await balancesAt(BigInt(earlier))
const after = await balancesAt(BigInt(later))
await chain.close()

const top = [...after].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0)).slice(0, 10)
console.log(`holder\tafter block ${later}\tchange since block ${earlier}`)
for (const [holder, balance] of top) {
  console.log(`${holder}\t${balance}\t${balance - (before.get(holder) ?? 0n)}`)
}
