// Asks a server with viem and ethers, over HTTP and WebSocket, and prints what they understood as JSON. A program of its
// own, because the certificates that a process trusts are chosen when it starts.
// Usage: node ask.mjs HTTP_URL WEB_SOCKET_URL WRONG_URL VALUES; quantities are printed as `123n`.
import { Contract, JsonRpcProvider, WebSocketProvider } from 'ethers'
import { createPublicClient, http, parseAbi, webSocket } from 'viem'

const [httpUrl, webSocketUrl, wrongUrl, json] = process.argv.slice(2)
const { transaction, token, owner } = JSON.parse(json)
const signatures = [
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address, uint256) returns (bool)',
]

async function askViem(transport) {
  const client = createPublicClient({ transport })
  const contract = { address: token, abi: parseAbi(signatures) }
  const reasonOf = (error) => error.walk(({ name }) => name === 'ContractFunctionRevertedError').reason
  const range = { fromBlock: 0n, toBlock: 340n }
  return {
    chainId: await client.getChainId(),
    head: await client.getBlockNumber(),
    block: await client.getBlock({ includeTransactions: true }),
    receipt: await client.getTransactionReceipt({ hash: transaction }),
    logs: await client.getLogs(range),
    balances: await Promise.all(
      [0n, 120n, 340n].map((blockNumber) => client.getBalance({ address: owner, blockNumber })),
    ),
    slot: await client.getStorageAt({ address: token, slot: '0x0' }),
    tokens: await client.readContract({ ...contract, functionName: 'balanceOf', args: [owner] }),
    refusal: await client
      .simulateContract({ ...contract, functionName: 'transfer', args: [owner, 10n ** 30n] })
      .catch(reasonOf),
    unknown: await client.request({ method: 'eth_nothing' }).catch(({ code }) => code),
  }
}

async function askEthers(provider) {
  try {
    const contract = new Contract(token, signatures, provider)
    const block = await provider.getBlock('latest', true)
    const receipt = await provider.getTransactionReceipt(transaction)
    const logs = await provider.getLogs({ fromBlock: 0, toBlock: 340 })
    return {
      chainId: Number((await provider.getNetwork()).chainId),
      head: BigInt(await provider.getBlockNumber()),
      block: [block.hash, block.prefetchedTransactions.map(({ hash }) => hash)],
      receipt: [receipt.hash, receipt.gasUsed, receipt.logs.map(({ index }) => index)],
      logs: logs.map(({ index, data }) => [index, data]),
      balances: await Promise.all([0, 120, 340].map((at) => provider.getBalance(owner, at))),
      slot: await provider.getStorage(token, 0),
      tokens: await contract.balanceOf(owner),
      refusal: await contract.transfer.staticCall(owner, 10n ** 30n).catch(({ reason }) => reason),
    }
  } finally {
    await provider.destroy()
  }
}

async function refusals() {
  const viem = createPublicClient({ transport: http(wrongUrl, { retryCount: 0 }) })
  const ethers = new JsonRpcProvider(wrongUrl, 1, { staticNetwork: true })
  try {
    return {
      viem: await viem.getBlockNumber().catch(({ details }) => details),
      ethers: await ethers.send('eth_blockNumber', []).catch(({ info }) => info.responseStatus),
    }
  } finally {
    ethers.destroy()
  }
}

const answers = {
  viem: {
    http: await askViem(http(httpUrl)),
    batches: await askViem(http(httpUrl, { batch: true })),
    webSocket: await askViem(webSocket(webSocketUrl, { reconnect: false })),
  },
  ethers: {
    http: await askEthers(new JsonRpcProvider(httpUrl)),
    webSocket: await askEthers(new WebSocketProvider(webSocketUrl)),
  },
  refusals: await refusals(),
}
process.stdout.write(
  JSON.stringify(answers, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value)),
  // The WebSocket of viem stays open.
  () => process.exit(),
)
