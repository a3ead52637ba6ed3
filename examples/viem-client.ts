// viem without a node: a client whose transport is a directory. What works over HTTP works here, watching included.
// node viem-client.ts ~/.ethereum 0xdAC17F958D2ee523a2206206994597C13D831ec7
import { type Hex, openDatadir } from 'geth-reader'
import { createPublicClient, custom, formatEther, formatGwei, parseAbiItem } from 'viem'

const [datadir, token] = process.argv.slice(2)
if (datadir === undefined || token === undefined) {
  console.error('usage: node viem-client.ts DATADIR TOKEN')
  process.exit(2)
}

const chain = await openDatadir(datadir)
const client = createPublicClient({ transport: custom(chain.provider) })

const block = await client.getBlock({ includeTransactions: true })
const value = block.transactions.reduce((sum, transaction) => sum + transaction.value, 0n)
console.log(
  `block ${block.number}: ${block.transactions.length} transactions move ${formatEther(value)} ether`,
)
console.log(`gas price ${formatGwei(await client.getGasPrice())} gwei on chain ${await client.getChainId()}`)

const event = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
const logs = await client.getLogs({ address: token as Hex, event, fromBlock: 'earliest', toBlock: 'latest' })
for (const { args, blockNumber } of logs.slice(-5)) {
  console.log(`block ${blockNumber}: ${args.from} sends ${args.value} to ${args.to}`)
}
await chain.close()
