import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import type { Block, BlockSelector, HashedHeader } from '../../src/chain/block.js'
import type { LogQuery } from '../../src/datadir/find-logs.js'
import { GethReaderError } from '../../src/errors.js'
import type { CallRequest } from '../../src/evm/engine.js'
import { defaultLimits, type Limits } from '../../src/rpc/limits.js'
import type { StateReader } from '../../src/state/state-source.js'
import { decodeHeader } from '../../src/types/header.js'
import { TestDispatcher } from '../server/test-dispatcher.js'
import { gethRecords } from '../types/geth-records.js'
import { type FakeMembers, fakeBackend, patientContext } from './fake-backend.js'

const newest = gethRecords.blocks.at(-1)!
const header = { ...decodeHeader(hexToBytes(newest.header)), number: 800, gasLimit: 60_000_000n }
const head: HashedHeader = { header, hash: hexToBytes(String(newest.block['hash'])) }
const hash = `0x${'ab'.repeat(32)}`
const address = `0x${'11'.repeat(20)}`

async function ask(members: FakeMembers, method: string, params: unknown, limits: Limits = defaultLimits) {
  const backend = fakeBackend({ head: () => head, tagNumber: tagNumbers(), ...members })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = JSON.parse((await new TestDispatcher(backend).handle(body, { ...patientContext, limits }))!)
  return answer.error ?? answer.result
}

function tagNumbers(numbers: { safe?: number; finalized?: number; earliest?: number } = {}) {
  const { safe, finalized, earliest = 0 } = numbers
  return (tag: string) => ({ latest: 800, earliest, safe, finalized })[tag]
}

describe('eth_getLogs', () => {
  /** The query that a filter leads to, or the error. */
  async function query(
    filter: unknown,
    { cutoff = 0, tags = tagNumbers(), limits = defaultLimits } = {},
  ): Promise<unknown> {
    let made: LogQuery | undefined
    const logs = async (query: LogQuery) => {
      made = query
      return []
    }
    const answer = await ask(
      {
        logs,
        historyCutoff: cutoff,
        firstPruned: (from) => (from < cutoff ? from : undefined),
        tagNumber: tags,
      },
      'eth_getLogs',
      [filter],
      limits,
    )
    return Array.isArray(answer) ? made : answer
  }

  const invalidRange = { code: -32602, message: 'invalid block range params' }
  const beyondHead = { code: -32602, message: 'block range extends beyond current head block' }

  // rpc-semantics.md 6.4, put to geth 1.17.5 by its authors; pending is rule D5.
  it.each<[object, object]>([
    [{}, { from: 800, to: 800 }],
    [{ fromBlock: '0x0' }, { from: 0, to: 800 }],
    [{ fromBlock: '0x320' }, { from: 800, to: 800 }],
    [
      { fromBlock: '0x1', toBlock: '0x2' },
      { from: 1, to: 2 },
    ],
    [
      { fromBlock: '0x0', toBlock: '0x0' },
      { from: 0, to: 0 },
    ],
    [
      { fromBlock: 'earliest', toBlock: 'latest' },
      { from: 0, to: 800 },
    ],
    [
      { fromBlock: 'earliest', toBlock: 'earliest' },
      { from: 0, to: 0 },
    ],
    [
      { fromBlock: 'pending', toBlock: 'pending' },
      { from: 800, to: 800 },
    ],
    [
      { fromBlock: '0x1', toBlock: 'pending' },
      { from: 1, to: 800 },
    ],
    [
      { fromBlock: 'latest', toBlock: 'latest' },
      { from: 800, to: 800 },
    ],
  ])('of %j scans %j', async (filter, blocks) => {
    expect(await query(filter)).toMatchObject({ blocks })
  })

  it.each<[object, object]>([
    [{ fromBlock: '0x2', toBlock: '0x1' }, invalidRange],
    [{ fromBlock: '0x1', toBlock: '0x0' }, invalidRange],
    [{ toBlock: '0x320' }, invalidRange],
    [{ fromBlock: 'latest', toBlock: '0x320' }, invalidRange],
    [{ fromBlock: '0x321' }, invalidRange],
    [{ fromBlock: '0x321', toBlock: '0x322' }, beyondHead],
    [{ fromBlock: '0x1', toBlock: '0x321' }, beyondHead],
    [{ fromBlock: '0x7fffffffffffffff', toBlock: '0x7ffffffffffffffe' }, invalidRange],
    [{ fromBlock: '0x7ffffffffffffffe', toBlock: '0x7fffffffffffffff' }, beyondHead],
    [{ fromBlock: 'safe' }, { code: -32000, message: 'safe header not found' }],
    [
      { fromBlock: '0x1', toBlock: 'finalized' },
      { code: -32000, message: 'finalized header not found' },
    ],
  ])('of %j fails with %j', async (filter, error) => {
    expect(await query(filter)).toEqual(error)
  })

  it('resolves safe and finalized', async () => {
    const tags = tagNumbers({ safe: 740, finalized: 736 })
    expect(await query({ fromBlock: 'finalized', toBlock: 'safe' }, { tags })).toMatchObject({
      blocks: { from: 736, to: 740 },
    })
    expect(await query({ fromBlock: 'safe', toBlock: 'finalized' }, { tags })).toEqual(invalidRange)
  })

  it('refuses a numeric start below the history cutoff, and begins there for earliest', async () => {
    const cutoff = 100
    const tags = tagNumbers({ earliest: cutoff })
    const pruned = { code: 4444, message: 'pruned history unavailable' }
    expect(await query({ fromBlock: '0x63' }, { cutoff, tags })).toEqual(pruned)
    expect(await query({ fromBlock: '0x63', toBlock: 'safe' }, { cutoff, tags })).toEqual(pruned)
    expect(await query({ fromBlock: '0x63', toBlock: '0x1' }, { cutoff, tags })).toEqual(invalidRange)
    expect(await query({ fromBlock: '0x64' }, { cutoff, tags })).toMatchObject({ blocks: { from: 100 } })
    expect(await query({ fromBlock: 'earliest' }, { cutoff, tags })).toMatchObject({ blocks: { from: 100 } })
  })

  it('passes a block hash on without looking at a range', async () => {
    expect(await query({ blockHash: hash })).toMatchObject({ blocks: { hash: hexToBytes(hash) } })
  })

  it('passes addresses and topics, with wildcards for null, [] and lists with null', async () => {
    const topic = `0x${'cd'.repeat(32)}`
    const filter = { address: [address, address], topics: [topic, null, [], [topic, null, 'anything']] }
    expect(await query(filter)).toMatchObject({
      addresses: [hexToBytes(address), hexToBytes(address)],
      topics: [[hexToBytes(topic)], [], [], []],
      maxResults: 10_000,
      timeoutMilliseconds: 10_000,
    })
  })

  it('counts addresses and topic alternatives against one limit', async () => {
    const many = (length: number, text: string) => Array.from({ length }, () => text)
    const filter = { address: many(2_000, address), topics: [many(1_500, hash), many(1_500, hash)] }
    expect(await query(filter)).toHaveProperty('addresses')
    const error = { code: -32602, message: 'query has more than 5000 addresses and topics' }
    expect(await query({ ...filter, topics: [...filter.topics, hash] })).toEqual(error)
    expect(await query({ address }, { limits: { ...defaultLimits, logParameters: 0 } })).toEqual({
      code: -32602,
      message: 'query has more than 0 addresses and topics',
    })
  })

  it.each<[string, GethReaderError, object]>([
    [
      'an unknown block hash',
      new GethReaderError('BLOCK_NOT_FOUND', ''),
      { code: -32000, message: 'unknown block' },
    ],
    [
      'a query that took too long',
      new GethReaderError('DEADLINE_EXCEEDED', ''),
      { code: -32005, message: 'query timeout exceeded' },
    ],
    [
      'too many results',
      new GethReaderError('TOO_MANY_RESULTS', '', { limit: 10_000 }),
      { code: -32005, message: 'query returned more than 10000 results' },
    ],
  ])('answers %s', async (_what, error, answer) => {
    expect(await ask({ logs: () => Promise.reject(error) }, 'eth_getLogs', [{}])).toEqual(answer)
  })
})

describe('block selection', () => {
  /** Selector that a block argument leads to. */
  async function selected(argument: unknown, tags = tagNumbers({ safe: 740, finalized: 736 })) {
    const selectors: BlockSelector[] = []
    const storedReceipts = async (selector: BlockSelector) => {
      selectors.push(selector)
      return undefined
    }
    const answer = await ask({ storedReceipts, tagNumber: tags }, 'eth_getBlockReceipts', [argument])
    return selectors[0] ?? answer
  }

  it.each<[unknown, object]>([
    ['latest', { number: 800 }],
    ['pending', { number: 800 }],
    ['earliest', { number: 0 }],
    ['safe', { number: 740 }],
    ['finalized', { number: 736 }],
    ['0x11', { number: 17 }],
    [17, { number: 17 }],
    ['17', { number: 17 }],
    ['0017', { number: 17 }],
    ['0X11', { number: 17 }],
    ['0x7fffffffffffffff', { number: Number.MAX_SAFE_INTEGER }],
    ['9223372036854775807', { number: Number.MAX_SAFE_INTEGER }],
    [{ blockNumber: '0x11' }, { number: 17 }],
    [{ blockNumber: 'safe', requireCanonical: true }, { number: 740 }],
    [hash, { hash: hexToBytes(hash), requireCanonical: false }],
    [
      { blockHash: hash, requireCanonical: true },
      { hash: hexToBytes(hash), requireCanonical: true },
    ],
    [
      { BlockHash: hash, blockNumber: null },
      { hash: hexToBytes(hash), requireCanonical: false },
    ],
  ])('of %j is %j', async (argument, selector) => {
    expect(await selected(argument)).toEqual(selector)
  })

  it('refuses decimals above 2^63-1 at once, however long', async () => {
    const tooHigh = { code: -32602, message: 'invalid argument 0: blocknumber too high' }
    expect(await selected('9223372036854775808')).toEqual(tooHigh)
    expect(await selected('9'.repeat(1_000_000))).toEqual(tooHigh)
  })

  it('has no safe and finalized block if the directory records none', async () => {
    const none = tagNumbers()
    expect(await selected('safe', none)).toEqual({ code: -32000, message: 'safe block not found' })
    expect(await selected('finalized', none)).toEqual({ code: -32000, message: 'finalized block not found' })
  })

  it('of a state has different errors for unknown numbers and unknown hashes', async () => {
    const members = { header: () => undefined }
    const balance = (at: unknown) => ask(members, 'eth_getBalance', [address, at])
    expect(await balance('0x999')).toEqual({ code: -32000, message: 'header not found' })
    expect(await balance(hash)).toEqual({ code: -32000, message: 'header for hash not found' })
  })
})

describe('state methods', () => {
  const slots: string[] = []
  const state: StateReader = {
    root: header.stateRoot,
    account: (of) =>
      bytesToHex(of) === address
        ? { nonce: 7n, balance: 10n ** 18n, storageRoot: new Uint8Array(32), codeHash: new Uint8Array(32) }
        : undefined,
    storage: (_of, slot) => {
      slots.push(bytesToHex(slot))
      return slot
    },
    code: () => Uint8Array.of(0x60, 0x00),
  }
  const members = { header: () => head, stateAt: () => state }
  const nobody = `0x${'22'.repeat(20)}`

  it('read balance, nonce and code', async () => {
    expect(await ask(members, 'eth_getBalance', [address])).toBe('0xde0b6b3a7640000')
    expect(await ask(members, 'eth_getTransactionCount', [address, 'pending'])).toBe('0x7')
    expect(await ask(members, 'eth_getCode', [address, null])).toBe('0x6000')
  })

  it('find nothing at an address without account', async () => {
    expect(await ask(members, 'eth_getBalance', [nobody, '0x1'])).toBe('0x0')
    expect(await ask(members, 'eth_getTransactionCount', [nobody])).toBe('0x0')
    expect(await ask(members, 'eth_getCode', [nobody])).toBe('0x')
  })

  it.each([
    ['0x0', '00'],
    ['', '00'],
    ['0', '00'],
    ['0x', '00'],
    ['0X1', '01'],
    ['0x001', '01'],
    ['a', '0a'],
    ['ABC', '0abc'],
    [`0x${'f'.repeat(64)}`, 'f'.repeat(64)],
  ])('take %j as a storage position', async (position, slot) => {
    const word = `0x${slot.padStart(64, '0')}`
    expect(await ask(members, 'eth_getStorageAt', [address, position])).toBe(word)
    expect(slots.at(-1)).toBe(word)
  })

  it('report the block before a bad storage position', async () => {
    const absent = await ask({ header: () => undefined }, 'eth_getStorageAt', [address, 'zz', '0x999'])
    expect(absent.message).toBe('header not found')
    const position = await ask(members, 'eth_getStorageAt', [address, 'zz', '0x1'])
    expect(position).toEqual({ code: -32602, message: 'invalid hex in storage key: "zz"' })
  })
})

describe('eth_call', () => {
  /** The call that arguments lead to, or the error. */
  async function called(
    params: readonly unknown[],
    limits = defaultLimits,
    stateAt = () => ({}) as StateReader,
  ) {
    let made: CallRequest | undefined
    const runEvm = async (_name: string, call: object) => {
      made = call as CallRequest
      return { output: Uint8Array.of(0xab), gasUsed: 1n } as never
    }
    const answer = await ask({ runEvm, stateAt, header: () => head }, 'eth_call', params, limits)
    return answer === '0xab' ? made : answer
  }

  it('caps gas at ten times the gas limit of the head and time at five seconds', async () => {
    expect(await called([{}])).toMatchObject({
      call: {},
      header: head.header,
      gasCap: 600_000_000n,
      timeoutMilliseconds: 5_000,
    })
  })

  it('takes a fixed gas cap instead, 0 for none', async () => {
    expect(await called([{}], { ...defaultLimits, callGasCap: 50_000_000n })).toMatchObject({
      gasCap: 50_000_000n,
    })
    expect(await called([{}], { ...defaultLimits, callGasCap: 0n })).toMatchObject({ gasCap: 2n ** 64n - 1n })
  })

  it('decodes every member of the call object', async () => {
    const call = {
      from: address,
      to: address,
      gas: '0x5208',
      gasPrice: '0x1',
      maxFeePerGas: '0x2',
      maxPriorityFeePerGas: '0x3',
      value: '0x4',
      nonce: '0x5',
      data: '0x01',
      input: '0x',
      accessList: [{ address, storageKeys: [hash] }],
      chainId: '0x539',
      maxFeePerBlobGas: '0x6',
      blobVersionedHashes: [hash],
      authorizationList: [{ chainId: '0x1', address, nonce: '0x2', yParity: '0x101', r: '0x3', s: '0x4' }],
      type: 'ignored',
    }
    expect(await called([call, hash])).toMatchObject({
      call: {
        from: hexToBytes(address),
        to: hexToBytes(address),
        gas: 21_000n,
        gasPrice: 1n,
        maxFeePerGas: 2n,
        maxPriorityFeePerGas: 3n,
        value: 4n,
        input: new Uint8Array(0),
        accessList: [{ address: hexToBytes(address), storageKeys: [hexToBytes(hash)] }],
        chainId: 1_337n,
        maxFeePerBlobGas: 6n,
        blobVersionedHashes: [hexToBytes(hash)],
        authorizationList: [
          { chainId: 1n, address: hexToBytes(address), nonce: 2n, yParity: 1, r: 3n, s: 4n },
        ],
      },
    })
  })

  it('leaves absent and null members out', async () => {
    const made = await called([{ to: null, gas: null, data: '0x01', accessList: null, INPUT: null }])
    expect(made.call).toEqual({ input: Uint8Array.of(1) })
  })

  it('decodes overrides; of several spellings of an address the last one counts', async () => {
    const other = `0x${'aa'.repeat(20)}`
    const made = await called([
      {},
      'latest',
      {
        [other]: { balance: '0x1', nonce: '0x2' },
        [address]: { code: '0x00', stateDiff: { [hash]: hash }, movePrecompileToAddress: other },
        [other.toUpperCase().replace('X', 'x')]: { state: {} },
      },
      { number: '0x1', time: '0x2', prevRandao: hash, feeRecipient: address, baseFee: '0x3' },
    ])
    expect(made.stateOverrides).toEqual([
      [hexToBytes(other), { state: [] }],
      [
        hexToBytes(address),
        {
          code: Uint8Array.of(0),
          stateDiff: [[hexToBytes(hash), hexToBytes(hash)]],
          movePrecompileTo: hexToBytes(other),
        },
      ],
    ])
    expect(made.blockOverrides).toEqual({
      number: 1n,
      time: 2n,
      prevRandao: hexToBytes(hash),
      feeRecipient: hexToBytes(address),
    })
  })

  it('leaves overrides that no call can have to the engine, which refuses them once the state is there', async () => {
    const withdrawals = [{ index: '0x1', address: null }]
    const made = await called([{}, 'latest', null, { beaconRoot: hash, withdrawals }])
    const withdrawal = { index: 1n, validatorIndex: 0n, address: new Uint8Array(20), amount: 0n }
    expect(made.blockOverrides).toEqual({ beaconRoot: hexToBytes(hash), withdrawals: [withdrawal] })
  })

  it('on pending runs in the next block on top of the state of the head', async () => {
    const made = await called([{}, 'pending'])
    expect(made.header).toMatchObject({ number: 801, stateRoot: header.stateRoot })
  })
})

describe('pending', () => {
  it('is an empty block without hash, miner and nonce', async () => {
    const pendingRoot = async () => Uint8Array.of(0xab)
    const block = await ask({ run: pendingRoot as never }, 'eth_getBlockByNumber', ['pending', true])
    expect(block).toMatchObject({
      hash: null,
      logsBloom: `0x${'00'.repeat(256)}`,
      miner: null,
      nonce: null,
      number: '0x321',
      stateRoot: '0xab',
      parentHash: bytesToHex(head.hash),
      transactions: [],
      uncles: [],
      withdrawals: [],
    })
    expect(block).not.toHaveProperty('parentBeaconBlockRoot')
  })

  it('has the state root of the head if the nodes of its state are not on disk', async () => {
    const pendingRoot = async () => undefined
    const block = await ask({ run: pendingRoot as never }, 'eth_getBlockByNumber', ['pending', false])
    expect(block).toMatchObject({ stateRoot: bytesToHex(header.stateRoot) })
  })

  it('has no transactions', async () => {
    expect(await ask({}, 'eth_getTransactionByBlockNumberAndIndex', ['pending', '0x0'])).toBe(null)
    expect(await ask({}, 'eth_getBlockTransactionCountByNumber', ['pending'])).toBe('0x0')
  })

  it('cannot be known on top of a head under proof of work', async () => {
    const work = { header: { ...header, difficulty: 1n }, hash: head.hash }
    expect(await ask({ head: () => work }, 'eth_getBlockByNumber', ['pending', false])).toEqual({
      code: -32000,
      message: 'pending block is not available',
    })
  })
})

describe('absent things', () => {
  const members = {
    block: (): Block | undefined => undefined,
    transactionAt: () => undefined,
    transaction: () => undefined,
    storedReceipts: async () => undefined,
    storedReceipt: () => undefined,
  }

  it.each<[string, unknown[]]>([
    ['eth_getBlockByNumber', ['0x999', true]],
    ['eth_getBlockByHash', [hash, false]],
    ['eth_getBlockTransactionCountByNumber', ['0x999']],
    ['eth_getBlockTransactionCountByHash', [hash]],
    ['eth_getTransactionByBlockHashAndIndex', [hash, '0x0']],
    ['eth_getTransactionByBlockNumberAndIndex', ['0x999', '']],
    ['eth_getTransactionByHash', [hash]],
    ['eth_getBlockReceipts', ['0x999']],
    ['eth_getTransactionReceipt', [hash]],
  ])('are null in %s', async (method, params) => {
    expect(await ask(members, method, params)).toBe(null)
  })
})

describe('web3_clientVersion', () => {
  it('names product, version, platform and runtime', async () => {
    expect(await ask({}, 'web3_clientVersion', [])).toMatch(
      /^geth-reader\/v\d+\.\d+\.\d+\/\w+-\w+\/node\d+\.\d+\.\d+$/,
    )
  })
})
