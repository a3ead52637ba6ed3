// The chain over directories that geth wrote, freezer, tables and log together.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, equalBytes, hexToBytes, quantity } from '../../src/bytes.js'
import type { BlockSelector } from '../../src/chain/block.js'
import { Chain } from '../../src/chain/chain.js'
import { readHeaderRecord } from '../../src/rawdb/headers.js'
import { scanHeaders } from '../../src/rawdb/scan.js'
import { readStateScheme } from '../../src/rawdb/state.js'
import { readTotalDifficulty } from '../../src/rawdb/total-difficulty.js'
import { readChainDescription, readTranscripts } from '../fixtures.js'
import { headerJson, receiptJson } from '../types/geth-json.js'
import { type OpenFixture, openFixture } from './open-fixture.js'

const rich = 'rich-1.17.5-leveldb-hash-archive'
const shanghai = 'shanghai-1.13.15-leveldb-hash-archive'

/** Recorded requests that geth answered with a result, not an error, and that we answer alike. */
function answered(fixture: string, method: string) {
  return readTranscripts(fixture).flatMap(({ name, rule, request, response }) =>
    request.method === method && rule === undefined && 'result' in response
      ? [{ name, params: request.params as readonly unknown[], result: response['result'] as Answer | null }]
      : [],
  )
}

type Answer = Record<string, unknown>

describe.each([rich, shanghai])('chain of %s', (name) => {
  let open: OpenFixture
  beforeAll(async () => {
    open = await openFixture(name)
  })
  afterAll(async () => {
    await open[Symbol.asyncDispose]()
  })

  /** Block selector of a request's first parameter; undefined for a tag without a block. */
  function selectorOf(parameter: unknown): BlockSelector | undefined {
    if (typeof parameter === 'object' && parameter !== null) {
      const { blockHash, blockNumber, requireCanonical } = parameter as Record<string, unknown>
      if (typeof blockHash !== 'string') return selectorOf(blockNumber)
      return { hash: hexToBytes(blockHash), requireCanonical: requireCanonical === true }
    }
    const text = String(parameter).toLowerCase()
    if (text.length === 66) return { hash: hexToBytes(text) }
    if (text.startsWith('0x')) return { number: Math.min(Number(text), Number.MAX_SAFE_INTEGER) }
    const number = open.chain.tagNumber(text as 'latest')
    return number === undefined ? undefined : { number }
  }

  it('has the head, finality, scheme and config that made it', () => {
    const { chain, db, fixture } = open
    expect(bytesToHex(chain.head().hash)).toBe(fixture.meta.head.hash)
    expect(chain.tagNumber('finalized')).toBe(fixture.meta.finalized?.number)
    expect(db.ancient.head).toBe(fixture.meta.frozen)
    expect(chain.historyCutoff).toBe(0)
    expect(readStateScheme(db)).toBe('hash')
    expect(chain.config.chainId).toBe(BigInt(fixture.meta.chainId))
  })

  it('answers recorded blocks as geth did', () => {
    const cases = [...answered(name, 'eth_getBlockByNumber'), ...answered(name, 'eth_getBlockByHash')]
    expect(cases.length).toBeGreaterThan(20)
    for (const { name: title, params, result } of cases) {
      const selector = selectorOf(params[0])
      const block = selector && open.chain.block(selector)
      expect(block === undefined, title).toBe(result === null)
      if (block === undefined || result === null) continue
      expect(result, title).toMatchObject({
        ...headerJson(block.header),
        hash: bytesToHex(block.hash),
        size: quantity(block.size),
        uncles: block.uncleHashes.map(bytesToHex),
      })
      const transactions = result['transactions'] as readonly (string | { hash: string; from: string })[]
      const isFull = transactions.some((transaction) => typeof transaction === 'object')
      const senders = open.chain.senders(block).map(bytesToHex)
      expect(transactions, title).toMatchObject(
        block.transactionHashes.map((hash, index) =>
          isFull ? { hash: bytesToHex(hash), from: senders[index] } : bytesToHex(hash),
        ),
      )
    }
  })

  it('answers recorded receipts as geth did', () => {
    const blocks = answered(name, 'eth_getBlockReceipts')
    expect(blocks.length).toBeGreaterThan(10)
    for (const { name: title, params, result } of blocks) {
      const selector = selectorOf(params[0])
      const receipts = selector && open.chain.receipts(selector)
      expect(receipts?.map(receiptJson) ?? null, title).toEqual(result)
    }
    const single = answered(name, 'eth_getTransactionReceipt')
    expect(single.length).toBeGreaterThan(10)
    for (const { name: title, params, result } of single) {
      const receipt = open.chain.receipt(hexToBytes(params[0] as string))
      expect(receipt ? receiptJson(receipt) : null, title).toEqual(result)
    }
  })

  it('gives a Frontier transaction with a high s the same sender in both kinds of receipts', () => {
    const high = Object.entries(readChainDescription(open.fixture.meta.chain).transactions).find(([title]) =>
      title.includes('high-s'),
    )
    const [, { hash, block, index }] = high!
    const receipt = open.chain.receipt(hexToBytes(hash))!
    expect(receipt).toEqual(open.chain.receipts({ number: block })![index])
    expect(receipt.from.some((byte) => byte !== 0)).toBe(true)
  })

  it('holds every block whole: hash, roots, and each transaction at the place that the index names', () => {
    const { chain } = open
    let parentHash: Uint8Array | undefined
    for (let number = 0; number <= chain.head().header.number; number++) {
      const block = chain.block({ number })!
      if (parentHash) expect(block.header.parentHash).toEqual(parentHash)
      parentHash = block.hash
      const receipts = chain.receipts({ hash: block.hash, requireCanonical: true })
      expect(receipts).toHaveLength(block.transactionHashes.length)
      block.transactionHashes.forEach((hash, index) => {
        const found = chain.transaction(hash)!
        expect([found.block.header.number, found.index]).toEqual([number, index])
      })
    }
  })

  it('scans the headers that it reads one by one, in both orders', () => {
    const { chain, db } = open
    const head = chain.head().header.number
    const frozen = db.ancient.head
    for (const [from, to] of [
      [0, head],
      [frozen - 3, frozen + 3],
      [17, 40],
    ] as const) {
      for (const order of ['ascending', 'descending'] as const) {
        const numbers: number[] = []
        for (const { number, rlp } of scanHeaders(db, { from, to }, order)) {
          numbers.push(number)
          expect(equalBytes(rlp, readHeaderRecord(db, number)!.rlp)).toBe(true)
        }
        const expected = Array.from({ length: to - from + 1 }, (_, i) => from + i)
        expect(numbers).toEqual(order === 'ascending' ? expected : expected.reverse())
      }
    }
  })
})

describe('the losing branch', () => {
  it('is served by hash while geth keeps it, and its transactions are not found', async () => {
    await using open = await openFixture(rich)
    const { chain, db, fixture } = open
    const description = readChainDescription(fixture.meta.chain)
    expect(description.side.length).toBeGreaterThan(0)
    for (const { number, hash } of description.side) {
      expect(bytesToHex(chain.block({ hash: hexToBytes(hash) })!.hash)).toBe(hash)
      expect(chain.receipts({ hash: hexToBytes(hash) })).toBeDefined()
      expect(readHeaderRecord(db, number, hexToBytes(hash))).toBeDefined()
      expect(bytesToHex(chain.canonicalHash(number)!)).not.toBe(hash)
      expect(() => chain.header({ hash: hexToBytes(hash), requireCanonical: true })).toThrow(
        expect.objectContaining({ code: 'NOT_CANONICAL' }),
      )
    }
    const side = Object.values(description.transactions).filter((transaction) => transaction.side)
    expect(side.length).toBeGreaterThan(0)
    for (const { hash } of side) expect(chain.transaction(hexToBytes(hash))).toBeUndefined()
  })
})

describe('total difficulty', () => {
  it('is summed by us as geth 1.13 summed and stored it, in every block', async () => {
    await using open = await openFixture(shanghai)
    const { chain, db } = open
    let sum = 0n
    for (let number = 0; number <= chain.head().header.number; number++) {
      const block = chain.header({ number })!
      sum += block.header.difficulty
      expect(readTotalDifficulty(db, number, block.hash)).toBe(sum)
      expect(chain.totalDifficulty(block)).toBe(sum)
    }
  })

  it('is established if geth 1.17 stored none, and passes the terminal one at the merge', async () => {
    await using open = await openFixture(rich)
    const { chain, db } = open
    const terminal = chain.config.terminalTotalDifficulty!
    let sum = 0n
    for (let number = 0; number <= chain.head().header.number; number++) {
      const block = chain.header({ number })!
      expect(readTotalDifficulty(db, number, block.hash)).toBeUndefined()
      if (block.header.difficulty === 0n) expect(sum).toBeGreaterThanOrEqual(terminal)
      else expect(sum).toBeLessThan(terminal)
      sum += block.header.difficulty
      expect(chain.totalDifficulty(block)).toBe(sum)
    }
  })
})

describe('reads of the freezer', () => {
  it('are one for each record: hash, header, body, receipts; a record that was read is cached', async () => {
    await using open = await openFixture(rich)
    const { chain, db } = open
    const { reads } = db.ancient
    const [transaction] = new Chain(db, chain.config).block({ number: 200 })!.transactionHashes
    // Indexes are read in windows at the second read; these are there now.
    for (const number of [198, 199]) chain.receipts({ number })
    const cost = (read: () => unknown) => {
      const before = reads.calls
      expect(read()).toBeDefined()
      return reads.calls - before
    }
    expect(cost(() => chain.header({ number: 201 }))).toBe(2)
    expect(cost(() => chain.block({ number: 202 }))).toBe(3)
    expect(cost(() => chain.block({ hash: chain.canonicalHash(203)! }))).toBe(4)
    expect(cost(() => chain.block({ number: 204 })?.joinedHashes)).toBe(3)
    expect(cost(() => chain.receipts({ number: 205 }))).toBe(4)
    expect(cost(() => chain.transaction(transaction!))).toBe(3)
    expect(cost(() => chain.receipt(transaction!))).toBe(1)
    expect(cost(() => chain.block({ number: 200 }))).toBe(0)
    expect(cost(() => [...scanHeaders(db, { from: 0, to: 255 })])).toBe(2)
    expect(cost(() => chain.block({ number: 330 }))).toBe(0)
  })
})
