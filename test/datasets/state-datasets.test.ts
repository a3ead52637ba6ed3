// Datasets of state, read back by hyparquet and DuckDB and compared with what geth answered for the same directory.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import type { Hex } from '../../src/bytes.js'
import { manifestProblems, readExports } from '../../src/datasets/export-folder.js'
import { type Fixture, readChainDescription, readTranscripts, unpackFixture } from '../fixtures.js'
import { isFull, sample } from '../full-form.js'
import { query } from './duckdb.js'
import { readParquet } from './read-parquet.js'

const archive = 'rich-1.17.5-leveldb-hash-archive'
const { contracts, accounts, head, config } = readChainDescription('rich')
const token = contracts['token'] as Hex
const token2 = contracts['token2'] as Hex
const holders = accounts as Hex[]
const chainId = BigInt(config['chainId'] as number)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'state-datasets-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const read = (dataset: string, from = folder) => readParquet(from, dataset)
const keccak = (hex: string) =>
  `0x${Buffer.from(keccak_256(Buffer.from(hex.slice(2), 'hex'))).toString('hex')}`
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`

/** A recorded request for the state after a canonical block. */
interface Recorded {
  readonly block: bigint
  readonly params: readonly unknown[]
  /** Undefined for an error. */
  readonly result: string | undefined
}

/** Recorded requests whose last parameter is a block: those with a result, and calls that failed as they ran. */
function recordings(method: string): Recorded[] {
  return readTranscripts(archive).flatMap((transcript) => {
    const { params } = transcript.request
    if (transcript.method !== method || !Array.isArray(params)) return []
    const tag: unknown = params.at(-1)
    const isNumber = typeof tag === 'string' && /^0x(0|[1-9a-f][0-9a-f]{0,3})$/.test(tag)
    if (!isNumber && tag !== 'latest') return []
    const { result, error } = transcript.response as { result?: string; error?: { message: string } }
    const isFailure = /^(execution reverted|invalid opcode|point is not|bad elliptic|invalid input length)/
    if (result === undefined && !isFailure.test(error!.message)) return []
    return [{ block: isNumber ? BigInt(tag) : BigInt(head.number), params, result }]
  })
}

/** Recordings of accounts, with whole addresses. */
const ofAccounts = (method: string) =>
  recordings(method).filter(({ params }) => /^0x[0-9a-fA-F]{40}$/.test(String(params[0])))

describe('a dataset of state', () => {
  let fixture: Fixture
  let chain: GethChain
  beforeAll(async () => {
    fixture = await unpackFixture(archive)
    chain = await openDatadir({ path: fixture.path, workers: 2 })
  })
  afterAll(async () => {
    await chain.close()
    await fixture[Symbol.asyncDispose]()
  })

  const options = { reorgBuffer: 0 }
  /** The output of eth_call; no bytes if it fails. */
  const call = async (to: string, data: string, block: bigint) =>
    chain.provider
      .request({ method: 'eth_call', params: [{ to, data } as never, `0x${block.toString(16)}`] })
      .catch((error: Error) => {
        expect(error.message).toMatch(/^(execution reverted|out of gas|invalid|stack underflow)/)
        return '0x'
      }) as Promise<string>

  it.each([
    ['balances', 'eth_getBalance', 'balance_string', (value: string) => BigInt(value).toString()],
    ['nonces', 'eth_getTransactionCount', 'nonce', (value: string) => BigInt(value)],
    ['codes', 'eth_getCode', 'code', (value: string) => value],
  ] as const)('%s has what geth answered to %s', async (dataset, method, column, parse) => {
    const recorded = ofAccounts(method)
    expect(recorded.length).toBeGreaterThan(15)
    const address = [...new Set(recorded.map(({ params }) => params[0] as Hex))]
    for (const block of new Set(recorded.map(({ block }) => block))) {
      const range = { fromBlock: block, toBlock: block }
      await chain.export({ datasets: [dataset], folder, address, ...range }, options)
    }
    const rows = await read(dataset)
    for (const { block, params, result } of recorded) {
      const found = rows.filter(
        (row) => row['block_number'] === block && row['address'] === String(params[0]).toLowerCase(),
      )
      expect(found).toEqual([expect.objectContaining({ [column]: parse(result!), chain_id: chainId })])
    }
  })

  it('slots has what geth answered to eth_getStorageAt', async () => {
    const recorded = ofAccounts('eth_getStorageAt').filter(({ params }) =>
      /^0x[0-9a-fA-F]{1,64}$/.test(String(params[1])),
    )
    expect(recorded.length).toBeGreaterThan(30)
    for (const block of new Set(recorded.map(({ block }) => block))) {
      const here = recorded.filter((one) => one.block === block)
      const of = (i: number) => [...new Set(here.map(({ params }) => params[i] as Hex))]
      const range = { fromBlock: block, toBlock: block }
      await chain.export({ datasets: ['slots'], folder, address: of(0), slot: of(1), ...range }, options)
    }
    const rows = await read('slots')
    for (const { block, params, result } of recorded) {
      const [address, slot] = [String(params[0]).toLowerCase(), word(BigInt(String(params[1])))]
      const found = rows.filter(
        (row) => row['block_number'] === block && row['address'] === address && row['slot'] === slot,
      )
      expect(found).toEqual([expect.objectContaining({ value: result })])
    }
  })

  it('eth_calls has what geth answered to eth_call, and nulls for calls that failed', async () => {
    const recorded = recordings('eth_call').filter(({ params }) => {
      const request = (params[0] ?? {}) as Record<string, string>
      const isPlain = Object.keys(request).every((name) => ['to', 'data'].includes(name))
      const isHex = /^0x/.test(request['data'] ?? '0x')
      return params.length === 2 && isPlain && isHex && /^0x[0-9a-fA-F]{40}$/.test(String(request['to']))
    })
    expect(recorded.filter(({ result }) => result === undefined).length).toBeGreaterThan(10)
    expect(recorded.filter(({ result }) => result !== undefined).length).toBeGreaterThan(40)
    for (const { block, params, result } of sample(recorded, 20)) {
      const [{ to, data = '0x' }] = params as [{ to: Hex; data?: Hex }]
      rmSync(folder, { recursive: true })
      await chain.export(
        { datasets: ['eth_calls'], folder, contract: to, callData: data, fromBlock: block, toBlock: block },
        { ...options, columns: ['all'] },
      )
      expect(await read('eth_calls')).toEqual([
        {
          block_number: block,
          contract_address: to.toLowerCase(),
          call_data: data.toLowerCase(),
          call_data_hash: keccak(data),
          output_data: result ?? null,
          output_data_hash: result === undefined ? null : keccak(result),
          chain_id: chainId,
        },
      ])
    }
  })

  it.each([0, 60, 152, 340])('accounts and storage have all that geth lists of block %i', async (block) => {
    const path = new URL(`../../testdata/dumps/${archive}/${block}.json`, import.meta.url)
    const dump = JSON.parse(readFileSync(path, 'utf8')) as { accounts: Record<string, DumpedAccount> }
    const range = { fromBlock: BigInt(block), toBlock: BigInt(block) }
    await chain.export({ datasets: ['accounts', 'storage'], folder, ...range }, options)
    const listed = Object.values(dump.accounts).sort((a, b) => (a.key < b.key ? -1 : 1))
    const expected = listed.map((account) => ({
      address_hash: account.key,
      address: account.address ?? null,
      nonce: BigInt(account.nonce),
      balance_binary: word(BigInt(account.balance)),
      balance_string: account.balance,
      balance_f64: Number(account.balance),
      code_hash: account.codeHash,
      storage_root: account.root,
      chain_id: chainId,
    }))
    expect(await read('accounts')).toEqual(expected)
    const slots = listed.flatMap(({ key, address, storage = {} }) =>
      Object.entries(storage)
        .map(([slot, value]) => ({
          address_hash: key,
          address: address ?? null,
          slot_hash: keccak(slot),
          slot,
          value: word(BigInt(`0x${value}`)),
          chain_id: chainId,
        }))
        .sort((a, b) => (a.slot_hash < b.slot_hash ? -1 : 1)),
    )
    const rows = await read('storage')
    expect(rows.filter((row) => row['slot'] !== null)).toEqual(slots)
    // One slot of genesis was never set by a transaction, so geth has no preimage of it and leaves it out.
    expect(rows.length - slots.length).toBe(1)
  })

  it('erc20_balances, erc20_supplies and erc20_metadata have what the tokens answer', async () => {
    const range = { fromBlock: 10n, toBlock: 13n }
    const datasets = ['erc20_balances', 'erc20_supplies', 'erc20_metadata']
    // The last one is no token, and the addresses of the arguments are in no order.
    const contract = [token2, token, contracts['failer'] as Hex]
    const address = [...holders, '0x00000000000000000000000000000000000e3977' as Hex]
    await chain.export({ datasets, folder, contract, address, ...range }, { ...options, chunkSize: 4 })
    const balances: unknown[] = []
    const supplies: unknown[] = []
    const metadata: unknown[] = []
    for (const blocks of [
      [10n, 11n],
      [12n, 13n],
    ]) {
      for (const erc20 of [...contract].sort()) {
        for (const block of blocks) {
          const place = { block_number: block, erc20, chain_id: chainId }
          for (const holder of [...address].sort()) {
            const output = await call(erc20, `0x70a08231${holder.slice(2).padStart(64, '0')}`, block)
            balances.push({ ...place, address: holder, balance_string: decimal(output) })
          }
          supplies.push({ ...place, total_supply_string: decimal(await call(erc20, '0x18160ddd', block)) })
          const decimals = decimal(await call(erc20, '0x313ce567', block))
          metadata.push({
            ...place,
            name: text(await call(erc20, '0x06fdde03', block)),
            symbol: text(await call(erc20, '0x95d89b41', block)),
            decimals: decimals === null ? null : BigInt(decimals),
          })
        }
      }
    }
    const without = (rows: Record<string, unknown>[]) =>
      rows.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !/_(binary|f64)$/.test(name))),
      )
    expect(without(await read('erc20_balances'))).toEqual(balances)
    expect(without(await read('erc20_supplies'))).toEqual(supplies)
    expect(without(await read('erc20_metadata'))).toEqual(metadata)
    // The second token exists from block 11 on.
    expect(
      balances.filter((row) => (row as { balance_string: null }).balance_string === null).length,
    ).toBeGreaterThan(0)
    expect(metadata).toContainEqual(expect.objectContaining({ erc20: token, name: 'Fixture Token' }))
  })

  it('erc20_balances has all holders of a token up to each block', async () => {
    const range = { fromBlock: 335n, toBlock: 340n }
    const parameters = { datasets: ['erc20_balances'], contract: [token, token2], allHolders: true }
    await chain.export({ ...parameters, folder, ...range }, { ...options, chunkSize: 2 })
    const rows = await read('erc20_balances')
    for (let block = range.fromBlock; block <= range.toBlock; block++) {
      for (const erc20 of [token, token2]) {
        const logs = await chain.getLogs({
          address: erc20,
          topics: ['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'],
          fromBlock: 0n,
          toBlock: block,
        })
        const addresses = new Set(
          logs.flatMap(({ topics }) => topics.slice(1).map((topic) => `0x${topic.slice(26)}`)),
        )
        const found = rows.filter((row) => row['block_number'] === block && row['erc20'] === erc20)
        expect(found.map((row) => row['address'])).toEqual([...addresses].sort())
        const total = found.reduce((sum, row) => sum + BigInt(row['balance_string'] as string), 0n)
        expect(total).toBe(BigInt(await call(erc20, '0x18160ddd', block)))
      }
    }
    // The token may also be given as the address.
    const other = join(folder, 'other')
    const { contract: address, ...rest } = parameters
    await chain.export({ ...rest, address, folder: other, ...range }, { ...options, chunkSize: 2 })
    expect(await read('erc20_balances', other)).toEqual(rows)
  })

  it('is the same in every chunk for any number of workers, and reads well in DuckDB', async () => {
    const parameters = {
      datasets: ['balances', 'nonces', 'erc20_supplies'],
      address: [...holders].reverse(),
      contract: token,
    }
    const range = { fromBlock: 100n, toBlock: 160n }
    await chain.export({ ...parameters, ...range, folder }, { ...options, chunkSize: 16 })
    const single = await openDatadir({ path: fixture.path, workers: 1 })
    const other = join(folder, 'other')
    await single.export(
      { ...parameters, ...range, folder: other, address: holders },
      { ...options, chunkSize: 16 },
    )
    await single.close()
    const files = readdirSync(folder).filter((name) => name.endsWith('.parquet'))
    expect(files.length).toBe(5 * 3)
    for (const name of files)
      expect(readFileSync(join(other, name))).toEqual(readFileSync(join(folder, name)))
    const [row] = await query(
      `select count(*)::int as rows, sum(nonce)::bigint::varchar as nonces from '${folder}/*__nonces__*.parquet'`,
    )
    const rows = await read('nonces')
    expect(row).toEqual({
      rows: rows.length,
      nonces: rows.reduce((sum, { nonce }) => sum + (nonce as bigint), 0n).toString(),
    })
    expect(rows.length).toBe(61 * holders.length)
    expect(rows.map((row) => `${row['block_number']} ${row['address']}`)).toEqual(
      rows.map((row) => `${row['block_number']} ${row['address']}`).sort(),
    )
  })

  it('is the same beside datasets of records and of executed blocks, as are those', async () => {
    const parameters = {
      address: [token, ...holders],
      contract: token,
      slot: '0x2' as Hex,
      callData: '0x18160ddd' as Hex,
    }
    const range = { fromBlock: 60n, toBlock: 70n }
    const states = ['balances', 'slots', 'eth_calls', 'erc20_supplies']
    const others = ['transactions', 'logs', 'receipts', 'native_transfers']
    // What one dataset has loaded of a block another one uses after the states were read.
    const mixed = ['logs', ...states, 'transactions', 'receipts', 'native_transfers']
    await chain.export({ ...parameters, datasets: mixed, folder, ...range }, options)
    const apart = join(folder, 'apart')
    await chain.export({ ...parameters, datasets: states, folder: apart, ...range }, options)
    for (const dataset of others) {
      // Receipts have no accounts that an address could select.
      const { address } = dataset === 'receipts' ? {} : parameters
      await chain.export(
        { ...(address && { address }), datasets: [dataset], folder: apart, ...range },
        options,
      )
    }
    const files = readdirSync(apart).filter((name) => name.endsWith('.parquet'))
    expect(files.length).toBe(8)
    for (const name of files)
      expect(readFileSync(join(folder, name)), name).toEqual(readFileSync(join(apart, name)))
  })

  it.each(['balances', 'slots', 'erc20_supplies', 'eth_calls'])(
    '%s is the same as a stream and as batches',
    async (dataset) => {
      const parameters = {
        fromBlock: 120n,
        toBlock: 125n,
        ...(dataset === 'erc20_supplies' ? {} : { address: [token, ...holders] }),
        ...(dataset === 'slots' && { slot: '0x2' as Hex }),
        ...(dataset === 'eth_calls' && { callData: '0x18160ddd' as Hex }),
        ...(dataset === 'erc20_supplies' && { contract: token }),
      }
      await chain.export({ ...parameters, datasets: [dataset], folder }, { ...options, format: 'csv' })
      const [file] = readdirSync(folder).filter((name) => name.endsWith('.csv'))
      const parts: Uint8Array[] = []
      for await (const part of chain.exportStream({ ...parameters, dataset }, { ...options, format: 'csv' }))
        parts.push(part)
      const csv = readFileSync(join(folder, file!))
      expect(Buffer.concat(parts)).toEqual(csv)
      let rows = 0
      for await (const { length } of chain.scanDataset(dataset, parameters)) rows += length
      expect(rows).toBe(csv.toString().trimEnd().split('\n').length - 1)
      expect(rows).toBeGreaterThan(5)
    },
  )

  it.each([
    ['accounts', {}, 'dataset: accounts has the whole state of a block'],
    ['erc20_supplies', { contract: [token, token2] }, 'contract: expected one for erc20_supplies'],
    ['erc20_balances', { contract: token, allHolders: true }, 'allHolders: expected false'],
    ['balances', {}, 'address: expected at least one for balances'],
  ])('%s of %j is no stream', async (dataset, parameters, message) => {
    const read = async () => {
      for await (const _ of chain.scanDataset(dataset, parameters));
    }
    await expect(read()).rejects.toThrow(message)
  })

  it('may have gaps in a folder if it is the whole state after one block', async () => {
    const datasets = ['accounts', 'nonces']
    for (const block of [0n, 338n, 340n]) {
      const range = { fromBlock: block, toBlock: block }
      await chain.export({ datasets, folder, address: token, ...range }, options)
    }
    expect(manifestProblems(readExports(folder))).toEqual([
      'nonces: blocks 1 to 337 are missing',
      'nonces: blocks 339 to 339 are missing',
    ])
  })

  it('has one block by default, the newest final one, and says in its manifest what it has rows for', async () => {
    const finalized = (await chain.getBlock({ blockTag: 'finalized' }))!.number
    const parameters = { datasets: ['balances', 'accounts'], folder, address: holders[0]! }
    expect(await chain.export(parameters)).toMatchObject({ fromBlock: finalized, toBlock: finalized })
    const range = String(finalized).padStart(8, '0')
    const manifest = (dataset: string) =>
      JSON.parse(readFileSync(join(folder, `_manifest/${dataset}/${range}_to_${range}.json`), 'utf8'))
    expect(manifest('balances')).toMatchObject({
      rows: 1,
      filter: JSON.stringify({ addresses: [holders[0]] }),
    })
    expect(manifest('accounts')).toMatchObject({ filter: '' })
    expect(await chain.export(parameters)).toMatchObject({ skipped: 1 })
    await expect(chain.export({ ...parameters, address: holders[1]! })).rejects.toThrow(/expected filter/)
  })

  it.each([
    [{ datasets: ['balances'] }, 'address: expected at least one for balances'],
    [{ datasets: ['slots'], address: holders[0]! }, 'slot: expected at least one for slots'],
    [
      { datasets: ['slots'], address: holders[0]!, slot: '0xzz' },
      'slot: expected 0x and up to 64 hex digits',
    ],
    [{ datasets: ['balances'], address: '0x12' }, 'address: expected 0x and 40 hex digits'],
    [{ datasets: ['erc20_balances'], contract: token }, 'address: expected at least one for erc20_balances'],
    [{ datasets: ['erc20_balances'], address: token }, 'contract: expected at least one for erc20_balances'],
    [{ datasets: ['eth_calls'], contract: token }, 'callData: expected at least one for eth_calls'],
    [
      { datasets: ['eth_calls'], contract: token, callData: '0x1' },
      'callData: expected 0x and an even number',
    ],
    [{ datasets: ['blocks'], slot: '0x1' }, 'slot: expected none, no dataset of blocks uses it'],
    [{ datasets: ['logs'], contract: token }, 'contract: expected none'],
    [{ datasets: ['accounts'], address: token }, 'address: expected none, no dataset of accounts uses it'],
    [{ datasets: ['balances'], address: token, allHolders: true }, 'allHolders: expected none'],
    [
      { datasets: ['accounts'], fromBlock: 3n, toBlock: 4n },
      'fromBlock: expected one block for accounts, got 3 to 4',
    ],
  ])('refuses what is wrong: %#', async (parameters, message) => {
    await expect(chain.export({ folder, toBlock: 9n, ...parameters } as never)).rejects.toThrow(message)
    expect(readdirSync(folder)).toEqual([])
  })
})

interface DumpedAccount {
  readonly balance: string
  readonly nonce: number
  readonly root: string
  readonly codeHash: string
  readonly storage?: Readonly<Record<string, string>>
  readonly address?: string
  /** Hash of the address. */
  readonly key: string
}

/** The first word of an output in decimal digits; null if it has none. */
const decimal = (output: string) => (output.length < 66 ? null : BigInt(output.slice(0, 66)).toString())

/** The text of a `string` in its usual encoding; null for anything else. */
function text(output: string): string | null {
  if (output.length < 130) return null
  const length = Number(BigInt(`0x${output.slice(66, 130)}`))
  return Buffer.from(output.slice(130, 130 + 2 * length), 'hex').toString()
}

describe('a dataset of state in other layouts', () => {
  const layouts = [
    ['rich-1.17.5-leveldb-path-archive', {}],
    ['rich-1.17.5-leveldb-path', {}],
    ['rich-1.17.5-leveldb-hash-full', { replay: { maxBlocks: 400 } }],
  ] as const
  it.each(isFull ? layouts : layouts.slice(0, 1))('is the same in %s', async (name, more) => {
    const parameters = {
      datasets: ['balances', 'slots', 'erc20_supplies'],
      address: [...holders, token, token2],
      contract: token,
      slot: ['0x0', '0x1', '0x2'] as Hex[],
      fromBlock: 200n,
      toBlock: 215n,
    }
    const options = { reorgBuffer: 0, chunkSize: 8 }
    for (const [fixtureName, extra] of [
      [archive, {}],
      [name, more],
    ] as const) {
      await using fixture = await unpackFixture(fixtureName)
      await using chain = await openDatadir({ path: fixture.path, workers: 1, ...extra })
      await chain.export({ ...parameters, folder: join(folder, fixtureName) }, options)
    }
    for (const file of readdirSync(join(folder, archive)).filter((name) => name.endsWith('.parquet')))
      expect(readFileSync(join(folder, name, file))).toEqual(readFileSync(join(folder, archive, file)))
  })

  it('is an error that names dataset and block before any file, if a state is missing', async () => {
    await using fixture = await unpackFixture('rich-1.17.5-leveldb-hash-full')
    await using chain = await openDatadir({ path: fixture.path, workers: 1 })
    const parameters = { datasets: ['blocks', 'balances'], folder, address: holders[0]! }
    const exported = chain.export(
      { ...parameters, fromBlock: 0n, toBlock: 20n },
      { reorgBuffer: 0, chunkSize: 5 },
    )
    await expect(exported).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      message: expect.stringMatching(/^balances of block 4: historical state/),
      facts: { block: 4n },
    })
    expect(readdirSync(folder)).toEqual([])
  })
})
