// The error tables of blocks, states, logs and calls through a socket: all that geth refused in the recordings, over
// HTTP and WebSocket, and what no recording has. A list of texts at the end tells which errors must have come by.

import { getAddress } from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openDatadir } from '../../../src/api/open-datadir.js'
import { type ErrorCode, GethReaderError } from '../../../src/errors.js'
import { createServer, defaultLimits, type Limits } from '../../../src/server/geth-server.js'
import type { StateReader } from '../../../src/state/state-source.js'
import { readTranscriptMeta, readTranscripts, unpackFixture } from '../../fixtures.js'
import { head, startApp, type TestApp } from './start-app.js'
import { connectWebSocket } from './web-socket-client.js'

interface RpcAnswer {
  readonly error: { readonly code: number; readonly message: string; readonly data?: string }
}

const request = (method: string, params: unknown[], id = 1) => ({ jsonrpc: '2.0', id, method, params })

/** Errors that came through a socket, as `code text`. */
const met = new Set<string>()

/** Asks over both transports; they must agree. */
async function ask(url: string, request: object): Promise<string> {
  const body = JSON.stringify(request)
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body })
  const text = await response.text()
  expect(response.status).toBe(200)
  const client = await connectWebSocket(url)
  client.send(body)
  expect(await client.next()).toEqual(JSON.parse(text))
  client.socket.terminate()
  const { error } = JSON.parse(text) as Partial<RpcAnswer>
  if (error) met.add(`${error.code} ${error.message}`)
  return text
}

/** A fixture behind a server. */
interface Served {
  readonly url: string
  close(): Promise<void>
}

async function serve(name: string, limits: Limits): Promise<Served> {
  const fixture = await unpackFixture(name)
  const chain = await openDatadir({ path: fixture.path, workers: 1 })
  const all = ['eth', 'net', 'web3', 'debug', 'txpool']
  const server = createServer(chain, { port: 0, limits, httpNamespaces: all, webSocketNamespaces: all })
  await server.listen()
  return {
    url: server.url,
    async close() {
      await server.close()
      await chain.close()
      await fixture[Symbol.asyncDispose]()
    },
  }
}

describe.each([
  'rich-1.17.5-leveldb-hash-archive',
  'rich-1.17.5-leveldb-hash-archive-killed',
  'rich-1.17.5-leveldb-hash-archive-pruned',
  'rich-1.17.5-leveldb-hash-full',
  'rich-1.17.5-pebble-path-postprague',
  'rich-1.17.5-pebble-path-postmerge',
])('what geth refused of %s', (name) => {
  let served: Served
  beforeAll(async () => {
    const callGasCap = BigInt(readTranscriptMeta(name).gasCap)
    served = await serve(name, { ...defaultLimits, callGasCap, callMilliseconds: 60_000 })
  })
  afterAll(() => served?.close())

  it('is refused in the same words', async () => {
    const refused = readTranscripts(name).filter(
      ({ rule, response }) => (rule === undefined || rule === 'archive') && 'error' in response,
    )
    expect(refused.length).toBeGreaterThan(10)
    const differences = []
    for (const { method, name: title, rule, request, response } of refused) {
      const ours = JSON.stringify(JSON.parse(await ask(served.url, request)))
      // A state that geth does not find may be on disk; transcripts.test.ts knows its values.
      if (rule === 'archive' && ours.includes('"result":')) continue
      if (ours !== JSON.stringify(response)) differences.push([method, title, JSON.stringify(response), ours])
    }
    expect(differences).toEqual([])
  })
})

describe('limits', () => {
  const limits = { ...defaultLimits, logResults: 3, logBlocks: 300, callMilliseconds: 300, callGasCap: 0n }
  let served: Served
  beforeAll(async () => {
    served = await serve('rich-1.17.5-leveldb-hash-archive', limits)
  })
  afterAll(() => served?.close())

  const account = `0x${'c0de'.repeat(10)}`
  const run = (code: string, call: object = {}) =>
    request('eth_call', [{ to: account, ...call }, 'latest', { [account]: { code } }])
  const many = Array.from({ length: 5_001 }, () => account)

  it.each<[object, number, string, object?]>([
    [
      request('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x120' }]),
      -32005,
      'query returned more than 3 results',
      { data: { from: '0x1', limit: 3, to: '0x2' } },
    ],
    [
      request('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x140' }]),
      -32602,
      'exceed maximum block range 300',
    ],
    [request('eth_getLogs', [{ address: many }]), -32602, 'query has more than 5000 addresses and topics'],
    [run('0x5b600056'), -32000, 'execution aborted (timeout = 300ms)'],
    // SSTORE with 2,000 gas left.
    [run('0x6000600055', { gas: '0x59de' }), -32000, 'out of gas: not enough gas for reentrancy sentry'],
    // CREATE of one byte too many.
    [
      run('0x6200c00160006000f0', { gas: '0x989680' }),
      -32000,
      'out of gas: max initcode size exceeded: code size 49153 limit 49152',
    ],
    [
      request('eth_call', [{ to: account, gas: '0x5208', gasPrice: `0x${'f'.repeat(64)}` }, 'latest']),
      -32000,
      `err: insufficient funds for gas * price + value: address 0x${'00'.repeat(20)} required balance exceeds 256 bits (supplied gas 21000)`,
    ],
    [
      request('eth_call', [
        { to: account },
        'latest',
        {
          [`0x${'01'.padStart(40, '0')}`]: { movePrecompileToAddress: account },
          [account]: { nonce: '0x1' },
        },
      ]),
      -32000,
      `account ${getAddress(account)} is already overridden`,
    ],
  ])('%j', async (request, code, message, rest = {}) => {
    expect(JSON.parse(await ask(served.url, request)).error).toEqual({ code, message, ...rest })
  })
})

describe('damage and what is missing', () => {
  let app: TestApp
  afterEach(() => app[Symbol.asyncDispose]())

  const fail =
    (code: ErrorCode, message: string, facts: object = {}) =>
    () => {
      throw new GethReaderError(code, message, { path: '/home/user', ...facts })
    }
  const hash = `0x${'ab'.repeat(32)}`
  const missingNode = `missing trie node ${'ab'.repeat(32)} (path 0102) not found`

  it.each<[string, object, object, object]>([
    [
      'a body of which there is only the header',
      { storedReceipts: fail('BLOCK_NOT_FOUND', 'header found, but block body is missing') },
      request('eth_getBlockReceipts', [hash]),
      { code: -32000, message: 'header found, but block body is missing' },
    ],
    [
      'an unfinished transaction index',
      { storedReceipt: fail('INDEX_INCOMPLETE', '') },
      request('eth_getTransactionReceipt', [hash]),
      {
        code: -32000,
        message: 'transaction indexing is in progress',
        data: 'transaction indexing is in progress',
      },
    ],
    [
      'a hole in a state',
      { stateAt: fail('STATE_UNAVAILABLE', missingNode, { root: hash, key: '0x0102' }) },
      request('eth_getStorageAt', [`0x${'00'.repeat(20)}`, '0x0', 'latest']),
      { code: -32000, message: missingNode },
    ],
    [
      'a log query that takes too long',
      { logs: fail('DEADLINE_EXCEEDED', '') },
      request('eth_getLogs', [{}]),
      { code: -32005, message: 'query timeout exceeded' },
    ],
    [
      'more logs than a query may return by default',
      { logs: fail('TOO_MANY_RESULTS', '', { limit: 10_000 }) },
      request('eth_getLogs', [{}]),
      { code: -32005, message: 'query returned more than 10000 results' },
    ],
    // geth: `receipts length mismatch: 2 vs 1` and `failed to get logs for block …`, see docs/differences.md.
    [
      'missing receipts',
      { storedReceipts: fail('DAMAGED', 'receipts length mismatch: 2 vs 1') },
      request('eth_getBlockReceipts', ['0x1']),
      { code: -32603, message: 'a file or record contradicts its own format or checksum' },
    ],
    [
      'missing receipts in a log query',
      { logs: fail('DAMAGED', '') },
      request('eth_getLogs', [{}]),
      { code: -32603, message: 'a file or record contradicts its own format or checksum' },
    ],
  ])('%s', async (_, members, request, error) => {
    const state = (() => ({})) as unknown as () => StateReader
    app = await startApp({
      members: { head, header: head, tagNumber: () => 800, stateAt: state, ...members },
    })
    expect(JSON.parse(await ask(app.url, request)).error).toEqual(error)
  })
})

describe('the tables', () => {
  // rpc-semantics.md 13.2 to 13.4 with 10.3, 10.4, 10.9, 10.11 and 10.12, but for what only geth says (pending blocks,
  // its caps on addresses and topics) and what no request reaches (insufficient funds for transfer, a precompile that
  // was moved onto an account that is overridden later).
  it.each([
    '-32000 header not found',
    '-32000 header for hash not found',
    '-32000 hash is not currently canonical',
    '-32000 finalized block not found',
    '-32000 safe block not found',
    '-32000 header found, but block body is missing',
    /^-32000 historical state [0-9a-f]{64} is not available$/,
    /^-32000 missing trie node [0-9a-f]{64} \(path 0102\) /,
    '-32000 transaction indexing is in progress',
    '4444 pruned history unavailable',
    /^-32602 storage key too long \(want at most 32 bytes\): "0x/,
    '-32602 invalid hex in storage key: "0xzz"',
    '-32602 invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
    '-32602 invalid argument 0: invalid addresses in query',
    /^-32602 invalid argument 0: invalid address: /,
    /^-32602 invalid argument 0: invalid address at index \d+: /,
    /^-32602 invalid argument 0: non-string address at index \d+$/,
    /^-32602 invalid argument 0: json: cannot unmarshal \w+ into Go struct field input.topics of type \[\]interface {}$/,
    '-32602 invalid argument 0: exceed max topics',
    '-32602 invalid argument 0: invalid topic(s)',
    /^-32602 invalid argument 0: hex has invalid length \d+ after decoding; expected 32 for topic$/,
    /^-32602 invalid argument 0: json: cannot unmarshal \w+ into Go value of type filters.input$/,
    '-32602 invalid block range params',
    '-32602 block range extends beyond current head block',
    '-32602 exceed maximum block range 300',
    '-32602 query has more than 5000 addresses and topics',
    '-32000 unknown block',
    '-32000 safe header not found',
    '-32000 finalized header not found',
    '-32005 query returned more than 10000 results',
    '-32005 query timeout exceeded',
    '3 execution reverted',
    '3 execution reverted: not allowed',
    '-32000 out of gas',
    '-32000 out of gas: gas uint64 overflow',
    '-32000 out of gas: not enough gas for reentrancy sentry',
    /^-32000 out of gas: max initcode size exceeded: code size \d+ limit \d+$/,
    '-32000 gas uint64 overflow',
    '-32000 invalid opcode: INVALID',
    '-32000 invalid opcode: opcode 0xc not defined',
    '-32000 invalid opcode: PUSH0',
    '-32000 stack underflow (0 <=> 1)',
    '-32000 stack limit reached 1024 (1023)',
    '-32000 invalid jump destination',
    '-32000 return data out of bounds',
    '-32000 invalid input length',
    '-32000 bad elliptic curve pairing size',
    /^-32000 err: intrinsic gas too low: have \d+, want \d+ \(supplied gas \d+\)$/,
    /^-32000 err: insufficient gas for floor data gas cost: have \d+, want \d+ \(supplied gas \d+\)$/,
    '-32000 both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
    /^-32000 chainId does not match node's \(have=\d+, want=\d+\)$/,
    /^-32000 err: max priority fee per gas higher than max fee per gas: address /,
    /^-32000 err: max fee per gas less than block base fee: address /,
    /^-32000 err: insufficient funds for gas \* price \+ value: address 0x\w+ have \d+ want \d+ /,
    /^-32000 err: insufficient funds for gas \* price \+ value: address 0x\w+ required balance exceeds 256 bits /,
    /^-32000 account 0x\w{40} has both 'state' and 'stateDiff'$/,
    /^-32000 account 0x\w{40} is not a precompile$/,
    /^-32000 account 0x\w{40} is already overridden$/,
    '-32000 block override "beaconRoot" is not supported for this RPC method',
    '-32000 block override "withdrawals" is not supported for this RPC method',
    /^-32000 execution aborted \(timeout = 300ms\)$/,
  ])('%s came through a socket', (text) => {
    expect([...met].some((error) => (typeof text === 'string' ? error === text : text.test(error)))).toBe(
      true,
    )
  })
})
