// node testdata/generate/dev.mjs [GETH]: makes the fixture of `geth --dev` and records what that geth answers about it.
// The key of the developer account is part of geth; times, and so hashes, differ from one run to the next.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { packFixture } from './pack.mjs'

const name = 'dev-1.17.5-leveldb-hash-archive'
const port = 18646
const gasCap = 600_000_000
const testdata = fileURLToPath(new URL('..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'geth-reader-dev-'))
const datadir = join(work, 'datadir')

// Adds its input to slot 0, logs the sum and returns it.
const initCode = '0x6018600c60003960186000f3600035600054018060005560005260206000a060206000f3'
const word = (number) => `0x${number.toString(16).padStart(64, '0')}`

async function send(method, ...params) {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return response.json()
}

async function ask(method, ...params) {
  const { result, error } = await send(method, ...params)
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

async function sendTransaction(transaction) {
  const hash = await ask('eth_sendTransaction', { gas: '0xf4240', ...transaction })
  for (let i = 0; i < 100; i++) {
    const receipt = await ask('eth_getTransactionReceipt', hash).catch(() => null)
    if (receipt !== null) return receipt
    await sleep(100)
  }
  throw new Error(`transaction ${hash} was not mined within 10 s`)
}

async function buildChain() {
  const [from] = await ask('eth_accounts')
  const { contractAddress } = await sendTransaction({ from, data: initCode })
  for (const number of [5, 6]) await sendTransaction({ from, to: contractAddress, data: word(number) })
  return { from, to: contractAddress }
}

/** What is asked of geth, by file name; the service answers calls otherwise, as it does not know the fork Bogota. */
function questions({ from, to }) {
  const call = { from, to, data: word(7) }
  return [
    ['eth_blockNumber', 'head'],
    ['eth_chainId', 'dev'],
    ['eth_getBlockByNumber', 'genesis', '0x0', true],
    ['eth_getBlockByNumber', 'head-full', '0x3', true],
    ['eth_getBlockReceipts', 'creation', '0x1'],
    ['eth_getBalance', 'developer', from, 'latest'],
    ['eth_getCode', 'adder', to, 'latest'],
    ['eth_getStorageAt', 'sum-before', to, '0x0', '0x2'],
    ['eth_getStorageAt', 'sum', to, '0x0', 'latest'],
    ['eth_getLogs', 'all', { fromBlock: '0x0', toBlock: 'latest' }],
    ['eth_call', 'by-bogota', call, 'latest'],
    ['eth_estimateGas', 'by-bogota', call, 'latest'],
    ['eth_createAccessList', 'by-bogota', call, 'latest'],
  ]
}

async function record(chain) {
  const folder = join(testdata, 'transcripts', name)
  rmSync(folder, { recursive: true, force: true })
  const all = questions(chain)
  for (const [method, title, ...params] of all) {
    const rule = title === 'by-bogota' && { rule: 'fork' }
    const response = await send(method, ...params)
    const request = { jsonrpc: '2.0', id: 1, method, params }
    mkdirSync(join(folder, method), { recursive: true })
    writeFileSync(
      join(folder, method, `${title}.json`),
      `${JSON.stringify({ ...rule, request, response }, null, 2)}\n`,
    )
  }
  const { number, hash, stateRoot } = await ask('eth_getBlockByNumber', 'latest', false)
  const head = { number: Number(number), hash, stateRoot }
  const client = await ask('web3_clientVersion')
  const meta = { cases: all.length, client, evmTimeout: '5s', gasCap, head }
  writeFileSync(join(folder, 'meta.json'), `${JSON.stringify(meta, null, 2)}\n`)
  const { hash: genesis } = await ask('eth_getBlockByNumber', '0x0', false)
  return {
    name,
    geth: '1.17.5',
    engine: 'leveldb',
    scheme: 'hash',
    gcmode: 'archive',
    chain: 'dev',
    chainId: 1337,
    genesis,
    head,
  }
}

function pack(meta) {
  for (const secret of ['nodekey', 'jwtsecret', 'nodes', 'transactions.rlp', 'blobpool']) {
    rmSync(join(datadir, 'geth', secret), { recursive: true, force: true })
  }
  rmSync(join(datadir, 'keystore'), { recursive: true, force: true })
  writeFileSync(join(work, 'meta.json'), `${JSON.stringify(meta, null, 2)}\n`)
  packFixture(name, work, ['meta.json', 'datadir'])
}

const http = ['--http', '--http.addr', '127.0.0.1', '--http.port', String(port)]
const apart = ['--nodiscover', '--maxpeers', '0', '--port', '0', '--authrpc.port', '18652', '--ipcdisable']
const state = ['--state.scheme', 'hash', '--gcmode', 'archive', '--db.engine', 'leveldb']
const geth = spawn(
  process.argv[2] ?? 'geth',
  [
    '--dev',
    '--datadir',
    datadir,
    ...state,
    ...http,
    ...apart,
    '--rpc.gascap',
    String(gasCap),
    '--verbosity',
    '1',
  ],
  { stdio: 'inherit' },
)
const ended = new Promise((resolve) => geth.once('exit', resolve))
try {
  for (let i = 0; i < 100 && geth.exitCode === null; i++) {
    if (await ask('eth_chainId').catch(() => undefined)) break
    await sleep(200)
  }
  const meta = await record(await buildChain())
  geth.kill('SIGINT')
  await ended
  pack(meta)
} finally {
  geth.kill('SIGKILL')
  await ended
  rmSync(work, { recursive: true, force: true })
}
