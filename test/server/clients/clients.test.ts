// viem and ethers as their users have them, with keys, over HTTP and HTTPS and their WebSockets.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type GethChain, type Hex, openDatadir } from '../../../src/index.js'
import { createServer, type GethServer, type ServerOptions } from '../../../src/server/geth-server.js'
import { type Fixture, readChainDescription, unpackFixture } from '../../fixtures.js'

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const certificate = file('../../../testdata/tls/first.cert.pem')
const tls = {
  cert: readFileSync(certificate, 'utf8'),
  key: readFileSync(file('../../../testdata/tls/first.key.pem'), 'utf8'),
}

const { transactions, contracts, accounts } = readChainDescription('rich')
const transaction = transactions['berlin-access-list']!.hash as Hex
const token = contracts['token'] as Hex
const owner = accounts[0] as Hex

let fixture: Fixture
let chain: GethChain
let server: GethServer

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 1 })
})
afterEach(() => server?.close())
afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

/** What the clients understood; quantities as `123n`. */
async function ask(options: ServerOptions) {
  const config = { plans: { free: {} }, keys: [{ key: 'k-client', plan: 'free' }] }
  server = createServer(chain, { port: 0, config, ...options })
  await server.listen()
  const urls = [
    `${server.url}/v3/k-client`,
    `${server.url.replace(/^http/, 'ws')}/ws/v3/k-client`,
    `${server.url}/v3/k-nobody`,
  ]
  const values = JSON.stringify({ transaction, token, owner })
  const { stdout } = await promisify(execFile)(process.execPath, [file('ask.mjs'), ...urls, values], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
    maxBuffer: 2 ** 26,
  })
  return JSON.parse(stdout)
}

/** What the typed API says, printed as the clients' answers are. */
async function expected() {
  const block = await chain.getBlock({ includeTransactions: true })
  const receipt = await chain.getTransactionReceipt({ hash: transaction })
  const logs = await chain.getLogs({ fromBlock: 0n, toBlock: 340n })
  const at = [0n, 120n, 340n]
  const data = `0x70a08231${owner.slice(2).padStart(64, '0')}` as const
  const { data: tokens } = await chain.call({ to: token, data })
  const both = {
    chainId: Number((await chain.getInfo()).chainId),
    head: await chain.getBlockNumber(),
    balances: await Promise.all(at.map((blockNumber) => chain.getBalance({ address: owner, blockNumber }))),
    slot: await chain.getStorageAt({ address: token, slot: '0x0' }),
    tokens: BigInt(tokens ?? 0),
    refusal: 'insufficient balance',
  }
  const viem = { ...both, block, receipt, logs, unknown: -32601 }
  const ethers = {
    ...both,
    block: [block?.hash, block?.transactions.map(({ hash }) => hash)],
    receipt: [receipt?.transactionHash, receipt?.gasUsed, receipt?.logs.map(({ logIndex }) => logIndex)],
    logs: logs.map(({ logIndex, data }) => [logIndex, data]),
  }
  return JSON.parse(
    JSON.stringify({ viem, ethers }, (_key, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    ),
  )
}

describe.each<[string, ServerOptions]>([
  ['HTTP', {}],
  ['HTTPS', { tls }],
])('over %s and its WebSocket', (_, options) => {
  it('viem and ethers read what the library reads, and are refused without a key', async () => {
    const { viem, ethers } = await expected()
    const answers = await ask(options)
    expect(answers.viem).toEqual({ http: viem, batches: viem, webSocket: viem })
    expect(answers.ethers).toEqual({ http: ethers, webSocket: ethers })
    expect(answers.refusals).toEqual({
      viem: 'a valid API key is required',
      ethers: '401 Unauthorized',
    })
    expect(viem.logs.length).toBeGreaterThan(100)
  })
})
