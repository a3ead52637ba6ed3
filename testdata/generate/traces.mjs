// node testdata/generate/traces.mjs [GETH]: asks geth for traces, witnesses and simulations on a fixture, and writes a digest of each
// response to testdata/digests. Run it after `npm run build`.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { unpackFixtureInto } from '../../dist/demo/unpack-fixture.js'

const name = 'rich-1.17.5-leveldb-hash-archive'
const port = 18647
const testdata = fileURLToPath(new URL('..', import.meta.url))
const { gasCap } = JSON.parse(readFileSync(join(testdata, 'transcripts', name, 'meta.json'), 'utf8'))
const work = mkdtempSync(join(tmpdir(), 'geth-reader-traces-'))

const configs = [
  {},
  { enableMemory: true, enableReturnData: true },
  { disableStack: true, disableStorage: true, limit: 2_000 },
  { tracer: 'callTracer', tracerConfig: { withLog: true } },
  { tracer: 'callTracer', tracerConfig: { onlyTopCall: true, withLog: true } },
  { tracer: 'flatCallTracer' },
  { tracer: 'flatCallTracer', tracerConfig: { convertParityErrors: true, includePrecompiles: true } },
  { tracer: 'prestateTracer' },
  { tracer: 'prestateTracer', tracerConfig: { includeEmpty: true, disableCode: true } },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true, disableStorage: true } },
  { tracer: '4byteTracer' },
  { tracer: 'keccak256PreimageTracer' },
  { tracer: 'erc7562Tracer', tracerConfig: { withLog: true } },
  { tracer: 'muxTracer', tracerConfig: { callTracer: {}, prestateTracer: null, noopTracer: {} } },
]
const wrongConfigs = [
  { tracer: 'nosuch' },
  { tracer: '' },
  { tracer: 'callTracer', tracerConfig: { withLog: 'x' } },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true, includeEmpty: true } },
  { tracer: 'muxTracer', tracerConfig: [] },
  { timeout: 'soon' },
  { timeout: '5' },
  { timeout: 5 },
  { limit: 'x' },
  { overrides: 5 },
]
const holder = '0x00000000000000000000000000000000000000aa'
const balance = { [holder]: { balance: '0xde0b6b3a7640000' } }
const transfer = { from: holder, to: '0x00000000000000000000000000000000000000bb', value: '0x1' }
const reverts = { from: holder, input: '0x60006000fd' }
const simulations = [
  { blockStateCalls: [{ stateOverrides: balance, calls: [transfer, transfer] }], traceTransfers: true },
  { blockStateCalls: [{ stateOverrides: balance, calls: [reverts] }, { calls: [transfer] }] },
  { blockStateCalls: [{ calls: [transfer] }] },
  { blockStateCalls: [{ stateOverrides: balance, calls: [transfer] }], validation: true },
  { blockStateCalls: [{ blockOverrides: { time: '0x1' } }] },
  { blockStateCalls: [{ stateOverrides: balance, calls: [{ ...transfer, gas: '0x10' }] }] },
  { blockStateCalls: [{ calls: [] }], returnFullTransactions: true },
  { blockStateCalls: [{ stateOverrides: balance, calls: [transfer] }], returnFullTransactions: true },
  { blockStateCalls: [] },
]
const plain = { from: holder, to: holder, gas: '0x5208' }
/** Blocks of which geth shows something other than what was executed. */
const corners = [
  // Transactions that differ in nothing but their sender have one hash.
  { blockStateCalls: [{ calls: [{ ...plain, from: transfer.to }, plain] }], returnFullTransactions: true },
  // With authorizations it is no transaction of blobs.
  {
    blockStateCalls: [
      {
        stateOverrides: balance,
        calls: [
          {
            ...transfer,
            blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
            maxFeePerBlobGas: '0x0',
            authorizationList: [
              { chainId: '0x0', address: holder, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' },
            ],
          },
        ],
      },
    ],
  },
]
/** Before Homestead a creation that cannot pay for its code succeeds without it, and its log lasts. */
const unpaidCode = { from: holder, value: '0x5', input: '0x60206000a060646000f3' }

async function send(method, params) {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.text()).trim()
}

async function record() {
  const head = Number(JSON.parse(await send('eth_blockNumber', [])).result)
  const lines = []
  const add = async (method, params) => {
    const answer = await send(method, params)
    // geth has no witnesses of blocks before Byzantium, and says it so.
    if (answer.includes('method handler crashed')) return
    const digest = createHash('sha256').update(answer).digest('hex')
    lines.push(JSON.stringify([digest, method, params]))
  }
  for (let number = 0; number <= head; number++) {
    const block = `0x${number.toString(16)}`
    // Four of the configs for each block, in turn.
    for (let i = 0; i < 4; i++)
      await add('debug_traceBlockByNumber', [block, configs[(number * 4 + i) % configs.length]])
    await add('debug_executionWitness', [block])
    const { transactions } = JSON.parse(await send('eth_getBlockByNumber', [block, false])).result
    const last = transactions.at(-1)
    if (last !== undefined) await add('debug_traceTransaction', [last, configs[number % configs.length]])
    if (number % 10 === 0) {
      await add('debug_traceCall', [reverts, block, { stateOverrides: balance, txIndex: '0x0' }])
      await add('eth_simulateV1', [simulations[(number / 10) % simulations.length], block])
    }
    if (number > 0 && number % 15 === 0) {
      const raw = JSON.parse(await send('debug_getRawBlock', [block])).result
      await add('debug_traceBlock', [raw, { tracer: 'callTracer' }])
    }
  }
  const latest = `0x${head.toString(16)}`
  for (const config of wrongConfigs) {
    await add('debug_traceCall', [transfer, latest, config])
    await add('debug_traceBlockByNumber', [latest, config])
  }
  for (const simulation of simulations) await add('eth_simulateV1', [simulation, latest])
  for (const corner of corners) await add('eth_simulateV1', [corner, latest])
  // With a difficulty, calls run without the forks after the merge, but the block has their fields. After Cancun geth crashes.
  const difficult = [{ blockOverrides: { difficulty: '0x1' }, calls: [{ from: holder, to: transfer.to }] }]
  for (let number = 0; number <= head; number += 20)
    await add('eth_simulateV1', [{ blockStateCalls: difficult }, `0x${number.toString(16)}`])
  // By the rules of Frontier and of Homestead, where a creation takes 32,000 gas more.
  const unpaid = [
    ['0x1', '0x7530'],
    ['0xf', '0xee48'],
  ]
  for (const [block, gas] of unpaid) {
    const creation = { ...unpaidCode, gas }
    const blockStateCalls = [{ stateOverrides: balance, calls: [creation, transfer] }]
    for (const traceTransfers of [false, true])
      await add('eth_simulateV1', [{ blockStateCalls, traceTransfers }, block])
    for (const config of [configs[3], { tracer: 'flatCallTracer' }, {}])
      await add('debug_traceCall', [creation, block, { stateOverrides: balance, ...config }])
  }
  for (const call of [[transfer, 'pending'], [transfer], [transfer, latest, { txIndex: '0xffff' }]]) {
    await add('debug_traceCall', call)
  }
  writeFileSync(join(testdata, 'digests', 'traces.jsonl'), `${lines.join('\n')}\n`)
}

const { path } = unpackFixtureInto(join(testdata, 'fixtures', `${name}.tar.br`), work)
const flags = `--datadir ${path} --nodiscover --maxpeers 0 --ipcdisable --authrpc.port 0 --port 0 --gcmode archive --http`
const geth = spawn(
  process.argv[2] ?? 'geth',
  [
    ...flags.split(' '),
    '--http.port',
    port,
    '--http.api',
    'eth,debug',
    '--rpc.gascap',
    gasCap,
    '--rpc.evmtimeout',
    '60s',
  ],
  { stdio: 'ignore' },
)
try {
  for (let i = 0; i < 100; i++) {
    if (
      await send('eth_chainId', []).then(
        () => true,
        () => false,
      )
    )
      break
    await sleep(200)
  }
  await record()
} finally {
  geth.kill('SIGINT')
  await new Promise((resolve) => geth.once('exit', resolve))
  rmSync(work, { recursive: true, force: true })
}
