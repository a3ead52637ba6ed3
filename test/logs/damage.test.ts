// Damaged records that a log scan meets: DAMAGED with their place and what is wrong, from every stage, in both halves of
// the chain database. Damage is made in a copy of a good fixture.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { locateDatadir } from '../../src/datadir/locate.js'
import { GethReaderError } from '../../src/errors.js'
import type { KeyValueReader } from '../../src/ethdb/key-value-reader.js'
import { openDatadir } from '../../src/index.js'
import { logSources } from '../../src/logs/plan.js'
import { scanBlock, scanRange } from '../../src/logs/scan-range.js'
import { readCanonicalHash } from '../../src/rawdb/canonical.js'
import type { ChainDatabase } from '../../src/rawdb/chain-database.js'
import { bodyKey, headerKey, receiptsKey } from '../../src/rawdb/schema.js'
import { openView } from '../../src/view/view.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

const name = 'rich-1.17.5-leveldb-hash-archive'
const token = hexToBytes('0x2362e5c405dbaf64ff840a9c5a9e99b19d4505e1')
/** A frozen block with logs of the token. */
const frozenBlock = 13

/** Replaces the stored record of a frozen block by one of the same length. */
function replaceRecord(
  fixture: Fixture,
  { table, block }: { readonly table: string; readonly block: number },
  change: (stored: Uint8Array) => Uint8Array,
): void {
  const ancient = join(fixture.path, 'geth', 'chaindata', 'ancient', 'chain')
  const index = readFileSync(join(ancient, `${table}.cidx`))
  const end = (entry: number) => (entry === 0 ? 0 : index.readUInt32BE(6 * entry + 2))
  const file = join(ancient, `${table}.0000.cdat`)
  const data = readFileSync(file)
  const stored = Uint8Array.from(data.subarray(end(block), end(block + 1)))
  const changed = change(stored)
  expect(changed.length).toBe(stored.length)
  data.set(changed, end(block))
  writeFileSync(file, data)
}

/** A Snappy block that ends inside its last literal. */
function cutSnappy(stored: Uint8Array): Uint8Array {
  return Uint8Array.from(stored).fill(0xf0, 2)
}

/** Whole as Snappy (one literal of zeros, FORMAT.md of the freezer), but no list. */
function noRlp({ length }: Uint8Array): Uint8Array {
  const decoded = length - (length > 132 ? 5 : 3)
  const preamble = decoded < 128 ? [decoded] : [(decoded & 0x7f) | 0x80, decoded >> 7]
  const literal = length > 132 ? [0xf4, (decoded - 1) & 0xff, (decoded - 1) >> 8] : [0xf0, decoded - 1]
  return Uint8Array.of(...preamble, ...literal, ...new Uint8Array(decoded))
}

const everything = { addresses: [], topics: [] }

async function errorOf(run: () => unknown): Promise<GethReaderError> {
  try {
    await run()
  } catch (error) {
    expect(error).toBeInstanceOf(GethReaderError)
    return error as GethReaderError
  }
  throw new Error('the scan did not fail')
}

describe('a frozen record', () => {
  const cases = (['headers', 'bodies', 'receipts'] as const).flatMap((table) => [
    [table, 'Snappy', cutSnappy] as const,
    [table, 'RLP', noRlp] as const,
  ])

  it.each(cases)('of %s that is no %s is DAMAGED, by every means of a scan', async (table, _, change) => {
    await using fixture = await unpackFixture(name)
    replaceRecord(fixture, { table, block: frozenBlock }, change)
    const view = await openView(locateDatadir(fixture.path), {})
    try {
      const filter = { addresses: [token], topics: [] }
      const bounds = { limit: 1e9, maxBytes: 1e9, maxWork: 1e12 }
      for (const source of logSources) {
        if (source === 'bloomBits') continue
        for (const order of ['ascending', 'descending'] as const) {
          const scan = { filter, form: 'columns', source, from: 5, to: 200, order, ...bounds } as const
          const error = await errorOf(() => scanRange(view.db, scan))
          expect(error).toMatchObject({ code: 'DAMAGED', facts: { table, item: frozenBlock } })
        }
      }
    } finally {
      await view.close()
    }
  })

  it.each(['cutSnappy', 'noRlp'] as const)('reaches the caller whole from a worker (%s)', async (kind) => {
    await using fixture = await unpackFixture(name)
    const change = kind === 'noRlp' ? noRlp : cutSnappy
    replaceRecord(fixture, { table: 'receipts', block: frozenBlock }, change)
    await using chain = await openDatadir({ path: fixture.path, workers: 1 })
    const error = await errorOf(async () => {
      for await (const _ of chain.scanLogs());
    })
    expect(error).toMatchObject({ code: 'DAMAGED', facts: { table: 'receipts', item: frozenBlock } })
    expect(error.facts.path).toContain(fixture.path)
    expect((error.cause as Error).message.length).toBeGreaterThan(0)
  })

  it('of a header that is no RLP is DAMAGED for a scan of its block alone, too', async () => {
    await using fixture = await unpackFixture(name)
    replaceRecord(fixture, { table: 'headers', block: frozenBlock }, (stored) => stored.fill(0))
    const view = await openView(locateDatadir(fixture.path), {})
    try {
      const hash = readCanonicalHash(view.db, frozenBlock)!
      const error = await errorOf(() =>
        scanBlock(view.db, { number: frozenBlock, hash }, { filter: everything, form: 'columns' }),
      )
      expect(error).toMatchObject({ code: 'DAMAGED', facts: { table: 'headers', item: frozenBlock } })
    } finally {
      await view.close()
    }
  })
})

describe('a record in a key', () => {
  const keys = { headers: headerKey, bodies: bodyKey, receipts: receiptsKey }

  it.each(['headers', 'bodies', 'receipts'] as const)('of %s that is no RLP is DAMAGED', async (kind) => {
    await using fixture = await unpackFixture(name)
    const view = await openView(locateDatadir(fixture.path), {})
    try {
      const { head } = view.db.ancient!
      const filter = { addresses: [token], topics: [] }
      const bounds = { limit: 1e9, maxBytes: 1e9, maxWork: 1e12 }
      const scan = { filter, form: 'columns', from: head, to: 340, order: 'ascending', ...bounds } as const
      const found = scanRange(view.db, { ...scan, source: 'receipts' }).columns
      const block = found.blockNumber[0]!
      const key = keys[kind](block, readCanonicalHash(view.db, block)!)
      const kv = replacing(view.db.kv, key, Uint8Array.of(0x83, 1))
      const db: ChainDatabase = { kv, ancient: view.db.ancient }
      for (const source of ['headerBlooms', 'receipts'] as const) {
        const error = await errorOf(() => scanRange(db, { ...scan, source }))
        expect(error).toMatchObject({ code: 'DAMAGED', facts: { key: bytesToHex(key) } })
      }
    } finally {
      await view.close()
    }
  })
})

/** A store in which one key has another value. */
function replacing(kv: KeyValueReader, key: Uint8Array, value: Uint8Array): KeyValueReader {
  return new Proxy(kv, {
    get(target, property) {
      if (property === 'get') {
        return (asked: Uint8Array) => (Buffer.compare(asked, key) === 0 ? value : target.get(asked))
      }
      const member: unknown = Reflect.get(target, property, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
