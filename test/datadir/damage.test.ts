// A damaged directory gives a typed error that names the place, or the right answer; never a wrong one, a crash or a
// hang. Damage is made in a copy of a good fixture; what is right is what the undamaged fixture answers.
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { GethReaderError, type Hex, openDatadir } from '../../src/index.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'

const name = 'rich-1.17.5-leveldb-hash-archive'
const { accounts, contracts, transactions } = readChainDescription('rich')

/** What one read gave: a value as text, or the error's code. */
type Answer = { readonly value: string } | { readonly code: string; readonly error: GethReaderError }

/** Some of everything: old and new blocks, receipts, a lookup, accounts and storage at three heights. */
async function readSome(path: string): Promise<Answer[]> {
  await using chain = await openDatadir({ path, workers: 1 })
  const reads: (() => Promise<unknown>)[] = [
    () => chain.getBlockNumber(),
    async () => (await chain.getInfo()).genesisHash,
  ]
  for (const blockNumber of [0n, 1n, 45n, 96n, 170n, 200n, 279n, 330n, 340n]) {
    reads.push(() => chain.getBlock({ blockNumber, includeTransactions: true }))
    reads.push(() => chain.getBlockReceipts({ blockNumber }))
  }
  for (const address of [...accounts.slice(0, 3), contracts['token']!] as Hex[]) {
    for (const blockNumber of [0n, 120n, 340n]) {
      reads.push(() => chain.getBalance({ address, blockNumber }))
      reads.push(() => chain.getStorageAt({ address, slot: '0x0', blockNumber }))
    }
  }
  const { hash } = transactions['berlin-access-list']!
  reads.push(() => chain.getTransactionReceipt({ hash: hash as Hex }))
  const answers: Answer[] = []
  for (const read of reads) {
    try {
      const value = await read()
      answers.push({ value: JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v)) })
    } catch (error) {
      if (!(error instanceof GethReaderError)) throw error
      answers.push({ code: error.code, error })
    }
  }
  return answers
}

/** As {@link readSome}; a directory that cannot even be opened gives that error. */
async function readDamaged(path: string): Promise<Answer[]> {
  try {
    return await readSome(path)
  } catch (error) {
    if (!(error instanceof GethReaderError)) throw error
    return [{ code: error.code, error }]
  }
}

let right: Answer[]

beforeAll(async () => {
  await using fixture = await unpackFixture(name)
  right = await readSome(fixture.path)
  expect(right.every((answer) => 'value' in answer)).toBe(true)
})

/** Asserts that every answer is right or a typed error, and returns the errors. */
function expectRightOrTyped(answers: readonly Answer[]): GethReaderError[] {
  const errors: GethReaderError[] = []
  for (const [i, answer] of answers.entries()) {
    if ('error' in answer) errors.push(answer.error)
    else expect(answer).toEqual(right[i])
  }
  return errors
}

function chaindata(fixture: Fixture, ...parts: string[]): string {
  return join(fixture.path, 'geth', 'chaindata', ...parts)
}

const ancient = (fixture: Fixture, file: string) => chaindata(fixture, 'ancient', 'chain', file)

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at]! ^= 0x40
  writeFileSync(path, bytes)
}

describe('a damaged freezer', () => {
  it.each(['headers', 'bodies', 'receipts'])(
    'with the middle of %s flipped is DAMAGED there',
    async (table) => {
      await using fixture = await unpackFixture(name)
      const file = ancient(fixture, `${table}.0000.cdat`)
      const bytes = readFileSync(file)
      for (let at = 150; at < bytes.length; at += 300) bytes[at]! ^= 0x40
      writeFileSync(file, bytes)
      const errors = expectRightOrTyped(await readDamaged(fixture.path))
      expect(errors.length).toBeGreaterThan(0)
      for (const error of errors) {
        expect(error.code).toBe('DAMAGED')
        expect(error.facts).toMatchObject({ table, item: expect.any(Number) })
      }
    },
  )

  it('with a cut data file is DAMAGED or short, and says where', async () => {
    await using fixture = await unpackFixture(name)
    const file = ancient(fixture, 'bodies.0000.cdat')
    truncateSync(file, Math.floor(statSync(file).size / 2))
    const errors = expectRightOrTyped(await readDamaged(fixture.path))
    expect(errors.length).toBeGreaterThan(0)
    expect(errors.every(({ code, facts }) => code === 'DAMAGED' && facts.table === 'bodies')).toBe(true)
  })

  it.each([
    ['headers.cidx', 1_000],
    ['hashes.ridx', 999],
    ['receipts.cidx', 6],
    ['bodies.cidx', 0],
  ])('with %s cut to %s bytes gives typed errors or right answers', async (file, bytes) => {
    await using fixture = await unpackFixture(name)
    truncateSync(ancient(fixture, file), bytes)
    expect(expectRightOrTyped(await readDamaged(fixture.path)).length).toBeGreaterThan(0)
  })

  it.each(['headers.0000.cdat', 'receipts.cidx', 'hashes.0000.rdat'])(
    'without %s names the missing file',
    async (file) => {
      await using fixture = await unpackFixture(name)
      rmSync(ancient(fixture, file))
      const errors = expectRightOrTyped(await readDamaged(fixture.path))
      expect(errors.length).toBeGreaterThan(0)
      expect(errors.some(({ code }) => code === 'MISSING_FILE')).toBe(true)
    },
  )
})

describe('a damaged key-value store', () => {
  const tables = (fixture: Fixture) => readdirSync(chaindata(fixture)).filter((file) => file.endsWith('.ldb'))

  it('without one of its tables names the missing file', async () => {
    await using fixture = await unpackFixture(name)
    const [table] = tables(fixture)
    rmSync(chaindata(fixture, table!))
    const errors = expectRightOrTyped(await readDamaged(fixture.path))
    expect(errors.length).toBeGreaterThan(0)
    for (const { code, message } of errors) {
      expect(code).toBe('MISSING_FILE')
      expect(message).toContain(table)
    }
  })

  it('with flipped bytes in every table gives typed errors or right answers', async () => {
    await using fixture = await unpackFixture(name)
    for (const table of tables(fixture)) {
      const file = chaindata(fixture, table)
      const { size } = statSync(file)
      for (let i = 1; i < 20; i++) flip(file, Math.floor((size * i) / 20))
    }
    expect(expectRightOrTyped(await readDamaged(fixture.path)).length).toBeGreaterThan(0)
  })

  it.each([
    [
      'a CURRENT that names no manifest',
      (fixture: Fixture) => writeFileSync(chaindata(fixture, 'CURRENT'), 'MANIFEST-999999\n'),
    ],
    ['an empty CURRENT', (fixture: Fixture) => writeFileSync(chaindata(fixture, 'CURRENT'), '')],
    ['a cut manifest', (fixture: Fixture) => truncateSync(chaindata(fixture, manifestOf(fixture)), 20)],
  ])('with %s cannot be opened, and says why', async (_, damage) => {
    await using fixture = await unpackFixture(name)
    damage(fixture)
    const [answer] = await readDamaged(fixture.path)
    expect(answer).toMatchObject({ code: expect.stringMatching(/^(DAMAGED|MISSING_FILE|VIEW_UNSTABLE)$/) })
    expect((answer as { error: GethReaderError }).error.message).toContain(fixture.path)
  })

  it('with an empty log has the head of before that log, as LevelDB itself takes a log cut short', async () => {
    await using fixture = await unpackFixture(name)
    for (const file of readdirSync(chaindata(fixture))) {
      if (file.endsWith('.log')) truncateSync(chaindata(fixture, file), 0)
    }
    await using chain = await openDatadir({ path: fixture.path })
    const head = await chain.getBlockNumber()
    expect(head).toBe(BigInt(fixture.meta.logFrom!) - 1n)
    expect(await chain.getBlock({ blockNumber: head + 1n })).toBeUndefined()
    await expect(chain.getLogs({ fromBlock: head, toBlock: head + 1n })).rejects.toMatchObject({
      code: 'INVALID_RANGE',
    })
  })
})

function manifestOf(fixture: Fixture): string {
  return readFileSync(chaindata(fixture, 'CURRENT'), 'utf8').trim()
}

describe('a freezer that ends before the key-value store begins', () => {
  it('cannot be opened, and names the table that is short', async () => {
    await using fixture = await unpackFixture(name)
    for (const file of ['headers.meta', 'bodies.meta', 'hashes.meta', 'receipts.meta'])
      rmSync(ancient(fixture, file))
    truncateSync(ancient(fixture, 'bodies.cidx'), 6 * 101)
    const [answer] = await readDamaged(fixture.path)
    expect(answer).toMatchObject({ code: 'DAMAGED', error: { facts: { table: 'bodies', item: 100 } } })
  })
})
