// The recipes of docs/recipes.md, run on a small chain: each command by the command line's own code, each query by DuckDB. The rows
// are derived again from what JSON-RPC answers.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import { bytesToHex, type Hex } from '../../src/bytes.js'
import { exportCommand } from '../../src/cli/export.js'
import { emptyRoot } from '../../src/constants.js'
import { query } from '../datasets/duckdb.js'
import { type RpcBlock, readRpcBlocks } from '../datasets/expected-rows.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'

interface Recipe {
  readonly title: string
  readonly command: string
  readonly sql: string
}

const page = readFileSync(new URL('../../docs/recipes.md', import.meta.url), 'utf8')
const recipes = Array.from(
  page.matchAll(/^## (\d+\. .*)\n[\s\S]*?```sh\n(.*)\n```\n\n```sql\n([\s\S]*?)```/gm),
  ([, title, command, sql]): Recipe => ({ title: title!, command: command!, sql: sql! }),
)

const { contracts, accounts, genesisBox, head } = readChainDescription('rich')
const [token, account] = [contracts['token'] as Hex, accounts[0] as Hex]
/** An account that contracts pay, in place of the one of mainnet in queries. */
const paid = '0x00000000000000000000000000000000000051de'
/** Blocks in which they do. */
const payments = '160:175'
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

let fixture: Fixture
let chain: GethChain
let blocks: RpcBlock[]
let folder: string
beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 1 })
  const request = (method: string, params: readonly unknown[]) =>
    chain.provider.request({ method, params } as never) as Promise<unknown>
  blocks = await readRpcBlocks(request, { from: 0, to: head.number })
  folder = mkdtempSync(join(tmpdir(), 'recipes-'))
})
afterAll(async () => {
  await chain.close()
  await fixture[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** The rows of a recipe on the fixture. */
async function cook({ title, command, sql }: Recipe, lake: string): Promise<unknown[][]> {
  const words = command
    .replace('0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', token)
    .replace('0xd8da6bf26964af9d7eed9e03e53415d37aa96045', account)
    .replace(/-b \S+:\S+/, `-b ${title.includes('from contracts') ? payments : `0:${head.number}`}`)
    .replace(/-b \d+M(?= )/, `-b ${head.number}`)
    .replace('-o lake', `-o ${lake}`)
    .split(' ')
  expect(words.slice(0, 2)).toEqual(['geth-reader', 'export'])
  const fixed = ['--datadir', fixture.path, '--reorg-buffer', '0', '--workers', '1', '--progress', 'none']
  await exportCommand().parseAsync([...words.slice(2), ...fixed], { from: 'user' })
  const ours = sql
    .replaceAll("'lake/", `'${lake}/`)
    .replace('0xd8da6bf26964af9d7eed9e03e53415d37aa96045', paid)
  const rows = await query(ours)
  return rows.map((row) => Object.values(row))
}

type Json = Readonly<Record<string, string>>
const number = (hex: string) => Number(BigInt(hex))
const transactions = () =>
  blocks.flatMap(({ block, receipts }) =>
    (block['transactions'] as unknown as Json[]).map((transaction, i) => ({
      to: transaction['to'] ?? null,
      gas: number(receipts[i]!['gasUsed'] as string),
      status: receipts[i]!['status'] as string | undefined,
    })),
  )
const balance = (address: Hex, blockNumber: bigint) => chain.getBalance({ address, blockNumber })
const word = async (data: Hex) =>
  BigInt((await chain.call({ to: token, data, blockNumber: BigInt(head.number) })).data!.slice(0, 66))

/** Groups by receiver. */
function byReceiver() {
  const groups = new Map<string, { gas: number; count: number; failed: number }>()
  for (const { to, gas, status } of transactions()) {
    if (to === null) continue
    const group = groups.get(to) ?? { gas: 0, count: 0, failed: 0 }
    groups.set(to, group)
    group.gas += gas
    if (status === undefined) continue
    group.count++
    if (status === '0x0') group.failed++
  }
  return [...groups]
}

/** Rows of an array that is sorted descending by one value, then ascending by another. */
function sorted<T>(rows: T[], value: (row: T) => bigint | number, then: (row: T) => string | number): T[] {
  return rows.sort((a, b) => {
    const [x, y] = [value(a), value(b)]
    return x === y ? (then(a) < then(b) ? -1 : 1) : x > y ? -1 : 1
  })
}

/** A frame of geth's callTracer. */
interface Frame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly error?: string
  readonly calls?: readonly Frame[]
}

/** Frames that moved ether and were not reverted. */
function paying({ error, calls = [], ...frame }: Frame): Frame[] {
  if (error !== undefined) return []
  const pays = !['DELEGATECALL', 'CALLCODE'].includes(frame.type) && BigInt(frame.value ?? 0) > 0n
  return [...(pays ? [frame] : []), ...calls.flatMap(paying)]
}

const expected: readonly (() => Promise<unknown[][]>)[] = [
  async () => {
    const logs = await chain.getLogs({ address: token, topics: [transferTopic], fromBlock: 0n })
    return sorted(
      logs,
      ({ data }) => BigInt(data),
      ({ blockNumber, logIndex }) => Number(blockNumber) * 1e6 + logIndex,
    )
      .slice(0, 20)
      .map(({ blockNumber, transactionHash, topics, data }) => [
        Number(blockNumber),
        transactionHash,
        `0x${topics[1]!.slice(26)}`,
        `0x${topics[2]!.slice(26)}`,
        BigInt(data).toString(),
      ])
  },
  async () => {
    const logs = await chain.getLogs({ address: token, topics: [transferTopic], fromBlock: 0n })
    const addresses = new Set(
      logs.flatMap(({ topics }) => topics.slice(1).map((topic) => `0x${topic.slice(26)}`)),
    )
    const balances = await Promise.all(
      [...addresses].map(async (address) => ({
        address,
        balance: await word(`0x70a08231${address.slice(2).padStart(64, '0')}`),
      })),
    )
    return sorted(
      balances.filter(({ balance }) => balance > 0n),
      ({ balance }) => balance,
      ({ address }) => address,
    )
      .slice(0, 20)
      .map(({ address, balance }) => [address, balance.toString()])
  },
  async () => {
    const rows: unknown[][] = []
    for (let block = 1n; block <= head.number; block++) {
      const change = (await balance(account, block)) - (await balance(account, block - 1n))
      if (change !== 0n) rows.push([Number(block), change.toString()])
    }
    return rows
  },
  async () => {
    const all = transactions()
    const groups = byReceiver().map(([to, { gas }]) => ({
      to,
      gas,
      count: all.filter((one) => one.to === to).length,
    }))
    return sorted(
      groups,
      ({ gas }) => gas,
      ({ to }) => to,
    )
      .slice(0, 20)
      .map(({ to, gas, count }) => [to, String(count), String(gas)])
  },
  async () => {
    const failing = byReceiver().filter(([, { failed }]) => failed > 0)
    return sorted(
      failing,
      ([, { failed }]) => failed,
      ([to]) => to,
    ).map(([to, { failed, count }]) => [to, String(failed), String(count)])
  },
  async () => {
    const burnt = blocks.map(
      ({ block }) => BigInt((block['baseFeePerGas'] as string) ?? 0) * BigInt(block['gasUsed'] as string),
    )
    return [[burnt.reduce((a, b) => a + b).toString()]]
  },
  async () =>
    blocks.flatMap(({ block }) => {
      const blobs = number((block['blobGasUsed'] as string) ?? '0x0') / 131_072
      return blobs === 0
        ? []
        : [[number(block['number'] as string), String(blobs), expect.stringContaining('█')]]
    }),
  async () => {
    const found: { hash: Hex; address: Hex | undefined; balance: bigint }[] = []
    for await (const { hash, address } of chain.scanAccounts()) {
      // The one without an address is of genesis.
      found.push({ hash, address, balance: address ? await balance(address, BigInt(head.number)) : 0n })
    }
    return sorted(
      found,
      ({ balance }) => balance,
      ({ hash }) => hash,
    )
      .slice(0, 20)
      .map(({ hash, address, balance }) => [hash, address ?? null, balance.toString()])
  },
  async () => {
    const found: { hash: Hex; address: Hex | undefined; slots: number }[] = []
    for await (const { hash, address, storageHash } of chain.scanAccounts()) {
      if (storageHash === bytesToHex(emptyRoot)) continue
      let slots = 0
      // geth has not stored the address of this contract of genesis.
      for await (const _ of chain.scanStorage({ address: address ?? (genesisBox as Hex) })) slots++
      found.push({ hash, address, slots })
    }
    return sorted(
      found,
      ({ slots }) => slots,
      ({ hash }) => hash,
    )
      .slice(0, 20)
      .map(({ hash, address, slots }) => [hash, address ?? null, String(slots)])
  },
  async () => {
    const { data } = await chain.call({ to: token, data: '0x95d89b41' })
    const symbol = Buffer.from(data!.slice(130), 'hex').toString().replaceAll('\0', '')
    return [[symbol, Number(await word('0x18160ddd')) / 10 ** Number(await word('0x313ce567'))]]
  },
  async () => {
    const rows: unknown[][] = []
    for (const { block } of blocks.slice(160, 176)) {
      const blockNumber = BigInt(block['number'] as string)
      const traces = await chain.traceBlock({ blockNumber }, { tracer: 'callTracer' })
      for (const { txHash, result } of traces as unknown as { txHash: Hex; result: Frame }[]) {
        for (const { from, to, value } of paying(result)) {
          if (to === paid && from !== result.from)
            rows.push([Number(blockNumber), txHash, from, BigInt(value!).toString()])
        }
      }
    }
    return rows
  },
]

describe('docs/recipes.md', () => {
  it('has at least ten recipes', () => {
    expect(recipes.length).toBeGreaterThanOrEqual(10)
    expect(expected.length).toBe(recipes.length)
  })

  it.runIf(isFull).each(recipes.map(({ title }, i) => [title, i] as const))('%s', async (_, i) => {
    const rows = await cook(recipes[i]!, join(folder, String(i)))
    expect(rows.length).toBeGreaterThan(0)
    expect(rows).toEqual(await expected[i]!())
  })
})
