// ethers without a node: a provider over a directory, and a contract that is read through it.
// node ethers-client.ts ~/.ethereum 0xdAC17F958D2ee523a2206206994597C13D831ec7
import { BrowserProvider, Contract, EventLog, formatUnits } from 'ethers'
import { openDatadir } from 'geth-reader'

const [datadir, token] = process.argv.slice(2)
if (datadir === undefined || token === undefined) {
  console.error('usage: node ethers-client.ts DATADIR TOKEN')
  process.exit(2)
}

const chain = await openDatadir(datadir)
const provider = new BrowserProvider(chain.provider)
const { chainId } = await provider.getNetwork()
const head = await provider.getBlockNumber()
console.log(`chain ${chainId}, block ${head}`)

const abi = [
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
]
const contract = new Contract(token, abi, provider)
const events = await contract.queryFilter('Transfer', Math.max(0, head - 999))
console.log(`${events.length} transfers in the newest 1,000 blocks`)
const last = events.at(-1)
if (last instanceof EventLog) {
  const [, to] = last.args
  console.log(`the last one was to ${to}, who has ${formatUnits(await contract['balanceOf']!(to))}`)
}
provider.destroy()
await chain.close()
