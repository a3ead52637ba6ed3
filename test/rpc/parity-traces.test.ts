// The trace_ methods against geth's tracers, which test/rpc/traces.test.ts compares with geth's recorded answers: frames against
// flatCallTracer, changes against prestateTracer in diff mode, opcodes against the struct logger.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type FlatCallTrace,
  type GethChain,
  type Hex,
  openDatadir,
  type PrestateDiff,
  type StructLogTrace,
} from '../../src/index.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'
import { isFull, sample } from '../full-form.js'

const { transactions } = readChainDescription('rich')
const hashes = Object.values(transactions).flatMap(({ hash, side }) => (side ? [] : [hash as Hex]))
let fixture: Fixture
let chain: GethChain

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 2 })
})

afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

const ask = (method: string, ...params: unknown[]) => chain.provider.request({ method, params })
const hex = (number: bigint | number): Hex => `0x${number.toString(16)}`

interface Frame extends Omit<FlatCallTrace, 'result'> {
  readonly result: FlatCallTrace['result'] | null
}

interface Operation {
  readonly pc: number
  readonly op: string
  readonly cost: number
  readonly sub: VmTrace | null
  readonly ex: {
    readonly used: number
    readonly push: readonly Hex[]
    readonly mem: { readonly data: Hex; readonly off: number } | null
    readonly store: { readonly key: Hex; readonly val: Hex } | null
  } | null
}

interface VmTrace {
  readonly code: Hex
  readonly ops: readonly Operation[]
}

type Delta = '=' | { '+'?: Hex; '-'?: Hex; '*'?: { from: Hex; to: Hex } }

interface AccountDiff {
  readonly balance: Delta
  readonly nonce: Delta
  readonly code: Delta
  readonly storage: Readonly<Record<Hex, Delta>>
}

interface Results {
  readonly output: Hex
  readonly trace: readonly Omit<Frame, 'blockHash'>[]
  readonly stateDiff: Readonly<Record<Hex, AccountDiff>> | null
  readonly vmTrace: VmTrace | null
  readonly transactionHash?: Hex
}

/** geth's frames in the form of reth, except the gas of the first one. */
function withoutFirstGas(frames: readonly FlatCallTrace[]): unknown[] {
  return frames.map((frame, i) => {
    const { gas: _, ...action } = frame.action
    return { ...frame, action: i === 0 ? action : frame.action, result: frame.result ?? null }
  })
}

describe('trace_transaction', () => {
  it('gives the frames of flatCallTracer, the first with the gas that the code got', async () => {
    for (const hash of sample(hashes, 25)) {
      const geth = await chain.traceTransaction(
        { hash },
        { tracer: 'flatCallTracer', tracerConfig: { convertParityErrors: true } },
      )
      const frames = (await ask('trace_transaction', hash)) as Frame[]
      const { gas } = (await chain.getTransaction({ hash }))!
      expect(BigInt(frames[0]!.action.gas!), hash).toBeLessThan(gas)
      expect(withoutFirstGas(frames as FlatCallTrace[]), hash).toEqual(withoutFirstGas(geth!))
      expect(await ask('trace_get', hash, ['0x0'])).toEqual(frames[0])
      expect(await ask('trace_get', hash, [frames.length - 1])).toEqual(frames.at(-1))
      expect(await ask('trace_get', hash, [frames.length])).toBeNull()
    }
    expect(await ask('trace_get', hashes[0], [0, 0])).toBeNull()
    expect(await ask('trace_transaction', `0x${'12'.repeat(32)}`)).toBeNull()
  }, 60_000)
})

describe('trace_block', () => {
  it('gives the frames of all transactions, then the rewards of proof of work', async () => {
    for (const number of [1n, 5n, ...(await blocksOf(hashes.slice(0, 20)))]) {
      const block = (await chain.getBlock({ blockNumber: number }))!
      const frames = (await ask('trace_block', hex(number))) as Frame[]
      const expected: unknown[] = []
      for (const hash of block.transactions) {
        expected.push(...((await ask('trace_transaction', hash)) as unknown[]))
      }
      const isReward = ({ type }: { type: string }) => type === 'reward'
      expect(frames.filter((frame) => !isReward(frame))).toEqual(expected)
      const rewards = frames.filter(isReward) as unknown as {
        action: { author: Hex; rewardType: string; value: Hex }
      }[]
      if (block.difficulty === 0n) expect(rewards).toEqual([])
      else {
        expect(rewards[0]!.action).toMatchObject({ author: block.miner, rewardType: 'block' })
        expect(rewards.length).toBe(1 + block.uncles.length)
      }
    }
    expect(await ask('trace_block', '0x0')).toEqual([])
    expect(await ask('trace_block', 'pending')).toEqual([])
    expect(await ask('trace_block', '0xffffff')).toBeNull()
  }, 60_000)
})

async function blocksOf(of: readonly Hex[]): Promise<bigint[]> {
  const numbers = new Set<bigint>()
  for (const hash of of) numbers.add((await chain.getTransaction({ hash }))!.blockNumber)
  return [...numbers]
}

describe('trace_filter', () => {
  it('gives the frames of the blocks that match', async () => {
    const [from, to] = isFull ? [200, 300] : [200, 230]
    const all: Frame[] = []
    for (let number = from; number <= to; number++) {
      all.push(...((await ask('trace_block', hex(number))) as Frame[]))
    }
    const range = { fromBlock: hex(from), toBlock: hex(to) }
    expect(await ask('trace_filter', range)).toEqual(all)
    expect(await ask('trace_filter', { ...range, after: 3, count: 5 })).toEqual(all.slice(3, 8))
    expect(await ask('trace_filter', { ...range, count: 0 })).toEqual([])
    const sender = all.find(({ action }) => action.from)!.action.from!
    const target = all.findLast(({ action }) => action.to)!.action.to!
    const isFrom = ({ action }: Frame) => action.from === sender || action.address === sender
    const isTo = ({ action, result }: Frame) =>
      [action.to, action.refundAddress, result?.address, (action as { author?: Hex }).author].includes(target)
    const addresses = { fromAddress: [sender], toAddress: [target] }
    expect(await ask('trace_filter', { ...range, fromAddress: [sender] })).toEqual(all.filter(isFrom))
    expect(await ask('trace_filter', { ...range, toAddress: [target] })).toEqual(all.filter(isTo))
    expect(await ask('trace_filter', { ...range, ...addresses })).toEqual(
      all.filter((frame) => isFrom(frame) || isTo(frame)),
    )
    expect(await ask('trace_filter', { ...range, ...addresses, mode: 'intersection' })).toEqual(
      all.filter((frame) => isFrom(frame) && isTo(frame)),
    )
  }, 60_000)

  it('refuses ranges that are too long, upside down or beyond the head, and unknown modes', async () => {
    const refused: [object, string][] = [
      [{ fromBlock: '0x0', toBlock: '0x65' }, 'Block range too large; currently limited to 100 blocks'],
      [{ fromBlock: '0x5', toBlock: '0x4' }, 'fromBlock cannot be greater than toBlock'],
      [{ fromBlock: '0x5', toBlock: '0xfffffff' }, 'block #268435455 not found'],
      [{ mode: 'both' }, 'unknown mode "both", expected union or intersection'],
      [{ count: -1 }, 'expected a count from 0, got -1'],
    ]
    for (const [filter, message] of refused)
      await expect(ask('trace_filter', filter)).rejects.toThrow(message)
  })
})

describe('replays', () => {
  const types = ['trace', 'stateDiff', 'vmTrace']

  it('have the frames of trace_transaction, without their place', async () => {
    for (const hash of hashes) {
      const { trace } = (await ask('trace_replayTransaction', hash, ['trace'])) as Results
      const frames = (await ask('trace_transaction', hash)) as Frame[]
      expect(trace, hash).toEqual(
        frames.map(
          ({ blockHash: _, blockNumber: __, transactionHash: ___, transactionPosition: ____, ...frame }) =>
            frame,
        ),
      )
    }
  }, 60_000)

  it('have the changes of prestateTracer in diff mode', async () => {
    for (const hash of hashes) {
      const { stateDiff } = (await ask('trace_replayTransaction', hash, ['stateDiff'])) as Results
      const config = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } } as const
      const geth = (await chain.traceTransaction({ hash }, config)) as PrestateDiff
      // geth shows an account that does not exist after the transaction with a code hash of zeros, even if it never existed.
      const isGone = (address: Hex) => geth.post[address]?.codeHash === `0x${'00'.repeat(32)}`
      const isShown = (address: Hex) => address in geth.pre || address in stateDiff! || !isGone(address)
      const addresses = new Set([
        ...Object.keys(geth.pre),
        ...(Object.keys(geth.post) as Hex[]).filter(isShown),
      ])
      // Before Spurious Dragon a transaction could leave an empty account, which geth's tracer does not show.
      const isEmpty = ({ balance, nonce, code, storage }: AccountDiff) =>
        Object.keys(storage).length === 0 &&
        JSON.stringify([balance, nonce, code]) === '[{"+":"0x0"},{"+":"0x0"},{"+":"0x"}]'
      const diffs = Object.entries(stateDiff!).filter(([, diff]) => !isEmpty(diff))
      expect(new Set(diffs.map(([address]) => address)), hash).toEqual(addresses)
      for (const [address, { balance, nonce, storage }] of diffs) {
        const before = geth.pre[address as Hex]
        const after = geth.post[address as Hex]
        const oldBalance = before?.balance ?? '0x0'
        if (after === undefined || isGone(address as Hex)) expect(balance, hash).toEqual({ '-': oldBalance })
        else if (before === undefined) expect(balance, hash).toEqual({ '+': after.balance ?? '0x0' })
        else if (after.balance === undefined) expect(balance, hash).toBe('=')
        else expect(balance, hash).toEqual({ '*': { from: oldBalance, to: after.balance } })
        if (before && after?.nonce) {
          expect(nonce, hash).toEqual({ '*': { from: hex(before.nonce ?? 0), to: hex(after.nonce) } })
        }
        const slots = after && { ...before?.storage, ...after.storage }
        expect(new Set(Object.keys(storage)), hash).toEqual(new Set(Object.keys(slots ?? {})))
      }
    }
  }, 60_000)

  it('have the opcodes of the struct logger', async () => {
    let inner = 0
    for (const hash of hashes) {
      const { vmTrace } = (await ask('trace_replayTransaction', hash, ['vmTrace'])) as Results
      const geth = (await chain.traceTransaction({ hash }, { tracer: 'structLogger' })) as StructLogTrace
      const steps: { pc: number; op: string; depth: number; ex: Operation['ex'] }[] = []
      const visit = ({ ops }: VmTrace, depth: number) => {
        for (const { pc, op, ex, sub } of ops) {
          steps.push({ pc, op, depth, ex })
          if (sub !== null) visit(sub, depth + 1)
          if (sub !== null) inner++
        }
      }
      visit(vmTrace!, 1)
      const logs = geth.structLogs
      expect(steps.map(({ pc, op, depth }) => ({ pc, op, depth }))).toEqual(
        logs.map(({ pc, op, depth }) => ({ pc, op, depth })),
      )
      // What an opcode leaves is what the next one of its frame finds.
      for (const [i, { ex, depth }] of steps.entries()) {
        let next = i + 1
        while (next < steps.length && steps[next]!.depth > depth) next++
        if (ex === null || next >= steps.length || steps[next]!.depth < depth) continue
        expect(ex.used).toBe(logs[next]!.gas)
        if (ex.push.length > 0) expect(logs[next]!.stack!.slice(-ex.push.length)).toEqual(ex.push)
      }
    }
    expect(inner).toBeGreaterThan(3)
  }, 120_000)

  it('of a block are those of its transactions', async () => {
    for (const number of (await blocksOf(hashes)).slice(0, 30)) {
      const replays = (await ask('trace_replayBlockTransactions', hex(number), types)) as Results[]
      const { transactions: inBlock } = (await chain.getBlock({ blockNumber: number }))!
      expect(replays.map(({ transactionHash }) => transactionHash)).toEqual(inBlock)
      for (const { transactionHash, ...replay } of replays) {
        expect(replay).toEqual(await ask('trace_replayTransaction', transactionHash, types))
      }
    }
  }, 60_000)

  it('show nothing that is not asked for', async () => {
    expect(await ask('trace_replayTransaction', hashes[0], [])).toMatchObject({
      trace: [],
      stateDiff: null,
      vmTrace: null,
    })
    await expect(ask('trace_replayTransaction', hashes[0], ['logs'])).rejects.toThrow(
      'unrecognized trace type: logs',
    )
    await expect(ask('trace_replayTransaction', `0x${'12'.repeat(32)}`, [])).rejects.toThrow(
      'transaction not found',
    )
  })
})

describe('trace_call', () => {
  it('traces a call after a block, with overrides', async () => {
    const from = `0x${'aa'.repeat(20)}`
    const to = `0x${'bb'.repeat(20)}`
    const call = { from, to, value: '0x5', gas: '0x7530' }
    const overrides = { [from]: { balance: '0x64' } }
    const types = ['trace', 'stateDiff', 'vmTrace']
    const results = (await ask('trace_call', call, types, 'latest', overrides)) as Results
    expect(results).toMatchObject({
      output: '0x',
      trace: [
        {
          action: { callType: 'call', from, to, value: '0x5', gas: '0x2328', input: '0x' },
          result: { gasUsed: '0x5208', output: '0x' },
          subtraces: 0,
          traceAddress: [],
          type: 'call',
        },
      ],
      stateDiff: {
        [from]: {
          balance: { '*': { from: '0x64', to: '0x5f' } },
          nonce: { '*': { from: '0x0', to: '0x1' } },
        },
        [to]: { balance: { '+': '0x5' }, code: { '+': '0x' }, nonce: { '+': '0x0' }, storage: {} },
      },
      vmTrace: { code: '0x', ops: [] },
    })
    await expect(ask('trace_call', call, types)).rejects.toThrow('insufficient funds')
  })
})
