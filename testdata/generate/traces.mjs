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
  { overrides: { londonBlock: '0x5' } },
  { overrides: { terminalTotalDifficulty: 5.5 } },
  { overrides: { cancunTime: -1 } },
  { overrides: { daoForkSupport: 1 } },
  { overrides: { clique: 5 } },
  { overrides: { blobSchedule: { cancun: { target: 'x' } } } },
  { overrides: { depositContractAddress: null } },
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
const authorization = { chainId: '0x0', address: holder, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' }
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
            authorizationList: [authorization],
          },
        ],
      },
    ],
  },
]
/** Before Homestead a creation that cannot pay for its code succeeds without it, and its log lasts. */
const unpaidCode = { from: holder, value: '0x5', input: '0x60206000a060646000f3' }

/** Contracts that cannot pay for what they do, in hex without `0x`. */
const dear = {
  EXTCODECOPY: '612000600060007f00000000000000000000000000000000000000000000000000000000000000dd3c',
  CALL: '6110006000611000600060dd60dd61fffff1',
  'CALL with value': '6000600060006000600160dd61fffff1',
  CALLCODE: '6110006000611000600060dd60dd61fffff2',
  DELEGATECALL: '61f000600061f000600060dd61fffff4',
  STATICCALL: '61f000600061f000600060dd61fffffa',
}

const system = '0xfffffffffffffffffffffffffffffffffffffffe'
const logger = '0x00000000000000000000000000000000000000cc'
/** Calls of code whose traces have something special, each with the config. */
const odd = [
  // An SSTORE that clears a slot and cannot be paid for: its refund shows.
  { code: '6000600055', gas: '0x5b68', storage: true, config: {} },
  // A hash of bytes whose end is beyond 2^63.
  { code: '677fffffffffffffff677fffffffffffffff20', config: { tracer: 'keccak256PreimageTracer' } },
  // A CREATE2 whose code is more than 1 MiB after the memory.
  { code: '6000600162200000600060f5', gas: '0x600000', config: configs[9] },
  { code: '60006001622000006000f5', gas: '0x600000', config: configs[9] },
  // A contract at the address of the system sends what it does not have.
  { at: system, code: '6000600060006000600960dd61fffff1', config: configs[9] },
  { at: system, code: '6000600060006000600960dd61fffff1', config: configs[4] },
]
const emitter = { [logger]: { code: '0x60006000a0' } }
const call = { from: holder, to: logger, nonce: '0x0' }
/** Simulations of what geth does around its calls. */
const surroundings = [
  // The fee after a block without gas.
  { blockStateCalls: [{ blockOverrides: { gasLimit: '0x0' } }, {}], validation: true },
  // Transactions of one hash: the receipt of the second has the logs of both.
  { blockStateCalls: [{ stateOverrides: emitter, calls: [call, { ...call, from: transfer.to }] }] },
  {
    blockStateCalls: [
      { stateOverrides: emitter, calls: [call] },
      { calls: [{ ...call, from: transfer.to }] },
    ],
  },
  // Logs of the calls that a block makes by itself.
  {
    blockStateCalls: [
      {
        stateOverrides: { ...emitter, '0x000f3df6d732807ef1319fb7b8bb8522d0beac02': emitter[logger] },
        calls: [call],
      },
    ],
  },
  // A precompile where the requests of withdrawals are.
  {
    blockStateCalls: [
      {
        stateOverrides: {
          '0x0000000000000000000000000000000000000002': {
            movePrecompileToAddress: '0x00000961ef480eb55e80d19ad83579a64c007002',
          },
        },
      },
    ],
  },
  // A gap after the end of time.
  {
    blockStateCalls: [
      { blockOverrides: { time: '0xffffffffffffffff' } },
      { blockOverrides: { number: '0x157', time: '0x20' } },
    ],
  },
]

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
  // By the rules before and after EIP-150, of Berlin and of Osaka.
  for (const block of ['0x1', '0x23', '0x55', latest]) {
    for (const code of Object.values(dear)) {
      const stateOverrides = { ...balance, [transfer.to]: { code: `0x${code}`, balance: '0x5' } }
      for (const gas of ['0x5410', '0x5c94', '0x7724', '0xc350'])
        await add('debug_traceCall', [{ from: holder, to: transfer.to, gas }, block, { stateOverrides }])
    }
    // With a price, and before London, geth shows its tracers a transaction without authorities.
    for (const price of [{}, { gasPrice: '0x0' }]) {
      const call = { ...transfer, ...price, authorizationList: [authorization] }
      const traced = {
        stateOverrides: balance,
        tracer: 'prestateTracer',
        tracerConfig: { includeEmpty: true },
      }
      await add('debug_traceCall', [call, block, traced])
    }
  }
  for (const block of ['0x1', '0x23', '0x37', '0x55', '0x64', latest]) {
    for (const { at = transfer.to, code, gas = '0xfffff', storage, config } of odd) {
      const account = {
        code: `0x${code}`,
        ...(storage && { state: { [`0x${'00'.repeat(32)}`]: `0x${'11'.repeat(32)}` } }),
      }
      const stateOverrides = { ...balance, [at]: account }
      await add('debug_traceCall', [{ from: holder, to: at, gas }, block, { stateOverrides, ...config }])
    }
    // Rules that are later than the merge, by time alone.
    const blockOverrides = { time: '0xffffffff' }
    const stateOverrides = { ...balance, [transfer.to]: { code: '0x60ddff', balance: '0x5' } }
    await add('debug_traceCall', [transfer, block, { stateOverrides, blockOverrides, ...configs[9] }])
  }
  for (const simulation of surroundings) await add('eth_simulateV1', [simulation, latest])
  // A base fee before London does not count for the fee of its first block.
  const early = [{ blockOverrides: { baseFeePerGas: '0x5' } }, {}]
  await add('eth_simulateV1', [{ blockStateCalls: early, validation: true }, '0x5d'])
  for (const number of ['0x20000000000001', '0x7fffffffffffffff'])
    await add('debug_traceBlockByNumber', [number])
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
