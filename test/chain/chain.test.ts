import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes, uint64Bytes } from '../../src/bytes.js'
import { decodeLocated } from '../../src/chain/block.js'
import { Chain, type ChainOptions } from '../../src/chain/chain.js'
import {
  bodyKey,
  canonicalHashKey,
  headerKey,
  headerNumberKey,
  receiptsKey,
  singleKeys,
  transactionLookupKey,
} from '../../src/rawdb/schema.js'
import { type Entry, type MemoryAncient, memoryDatabase } from '../rawdb/memory-database.js'
import { flipped, type RecordedBlock, recordedBlock, unknownHash } from '../rawdb/recorded-blocks.js'
import { headerJson, receiptJson, transactionJson } from '../types/geth-json.js'
import { recordedConfig } from '../types/geth-records.js'

const head = recordedBlock(784)
const middle = recordedBlock(427)
const frozen = recordedBlock(57)
const side = recordedBlock(9)

const hashesOf = (block: RecordedBlock) =>
  (block.answer['transactions'] as { hash: string }[]).map(({ hash }) => hexToBytes(hash))

const headerEntries = (block: RecordedBlock): Entry[] => [
  [headerKey(block.number, block.hash), block.header],
  [headerNumberKey(block.hash), uint64Bytes(block.number)],
]
const dataEntries = (block: RecordedBlock): Entry[] => [
  [bodyKey(block.number, block.hash), block.body],
  [receiptsKey(block.number, block.hash), block.receipts],
]
const canonicalEntries = (block: RecordedBlock): Entry[] => [
  [canonicalHashKey(block.number), block.hash],
  ...hashesOf(block).map(
    (hash): Entry => [transactionLookupKey(hash), uint64Bytes(block.number).subarray(6)],
  ),
]

const ancient: MemoryAncient = {
  head: 58,
  tables: {
    hashes: { records: { 56: unknownHash, 57: frozen.hash } },
    headers: { records: { 57: frozen.header } },
    bodies: { records: { 57: frozen.body } },
    receipts: { records: { 57: frozen.receipts } },
  },
}

const entries: readonly Entry[] = [
  [singleKeys.headBlock, head.hash],
  [singleKeys.finalizedBlock, middle.hash],
  [singleKeys.transactionIndexTail, uint64Bytes(0)],
  [headerNumberKey(frozen.hash), uint64Bytes(57)],
  ...canonicalEntries(frozen).slice(1),
  ...[middle, head].flatMap((block) => [
    ...headerEntries(block),
    ...dataEntries(block),
    ...canonicalEntries(block),
  ]),
  // The losing block of height 9, and one above it with a header only.
  ...headerEntries(side),
  ...dataEntries(side),
  [canonicalHashKey(9), unknownHash],
]

function openChain(options?: ChainOptions, changed: readonly Entry[] = [], tables = ancient): Chain {
  return new Chain(memoryDatabase([...entries, ...changed], tables), recordedConfig, options)
}

const chain = openChain()

describe('head and tags', () => {
  it('are what the directory records, safe being finalized', () => {
    expect(chain.head().hash).toEqual(head.hash)
    expect(chain.tagNumber('latest')).toBe(784)
    expect(chain.tagNumber('finalized')).toBe(427)
    expect(chain.tagNumber('safe')).toBe(427)
    expect(chain.tagNumber('earliest')).toBe(0)
  })

  it('finalized and safe are absent before the first finality and if their block is unknown', () => {
    const young = new Chain(
      memoryDatabase(entries.filter(([key]) => key !== singleKeys.finalizedBlock)),
      recordedConfig,
    )
    expect(young.tagNumber('safe')).toBeUndefined()
    expect(openChain({}, [[singleKeys.finalizedBlock, unknownHash]]).tagNumber('finalized')).toBeUndefined()
  })

  it('a head that is absent or names an unknown block is damage', () => {
    expect(() => new Chain(memoryDatabase([]), recordedConfig).head()).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        facts: expect.objectContaining({ key: bytesToHex(singleKeys.headBlock) }),
      }),
    )
    expect(() => openChain({}, [[singleKeys.headBlock, unknownHash]]).head()).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        facts: expect.objectContaining({ blockHash: bytesToHex(unknownHash) }),
      }),
    )
  })
})

describe('block', () => {
  it.each([57, 427, 784])('%i is what geth answers, by number and by hash', (number) => {
    const recorded = recordedBlock(number)
    for (const selector of [{ number }, { hash: recorded.hash, requireCanonical: true }]) {
      const block = chain.block(selector)!
      const { transactions, uncles, hash, size } = recorded.answer
      expect(recorded.answer).toMatchObject(headerJson(block.header))
      expect(bytesToHex(block.hash)).toBe(hash)
      expect(block.size).toBe(Number(size))
      expect(block.uncleHashes.map(bytesToHex)).toEqual(uncles)
      expect(block.transactionHashes).toEqual(hashesOf(recorded))
      expect(block.withdrawals).toEqual(block.body.withdrawals)
      expect(block.withdrawals?.length).toBe(
        (recorded.answer['withdrawals'] as unknown[] | undefined)?.length,
      )
      expect(chain.totalDifficulty(block)).toBeUndefined()
      expect(transactions).toMatchObject(
        block.body.transactions.map((transaction) =>
          transactionJson(transaction, block.header.baseFeePerGas),
        ),
      )
      expect(block.transactionCount).toBe(block.transactionHashes.length)
      expect(chain.senders(block).map(bytesToHex)).toEqual(
        (transactions as { from: string }[]).map(({ from }) => from),
      )
    }
  })

  it('of a side chain is served by hash only, and refused if the canonical one is required', () => {
    expect(chain.block({ hash: side.hash })?.hash).toEqual(side.hash)
    expect(chain.receipts({ hash: side.hash })?.map(receiptJson)).toEqual(side.receiptsAnswer)
    expect(() => chain.header({ hash: side.hash, requireCanonical: true })).toThrow(
      expect.objectContaining({
        code: 'NOT_CANONICAL',
        message: 'hash is not currently canonical',
        facts: { block: 9n, blockHash: bytesToHex(side.hash) },
      }),
    )
  })

  it('is absent for unknown numbers and hashes', () => {
    expect(chain.block({ number: 785 })).toBeUndefined()
    expect(chain.block({ number: Number.MAX_SAFE_INTEGER })).toBeUndefined()
    expect(chain.block({ hash: unknownHash })).toBeUndefined()
    expect(chain.header({ hash: unknownHash, requireCanonical: true })).toBeUndefined()
    expect(chain.receipts({ number: 785 })).toBeUndefined()
    expect(chain.canonicalHash(785)).toBeUndefined()
  })

  it('refuses numbers and hashes that are none', () => {
    for (const number of [-1, 0.5, 2 ** 53]) {
      expect(() => chain.block({ number })).toThrow(
        `number: expected a block number below 2^53, got ${number}`,
      )
    }
    expect(() => chain.header({ hash: new Uint8Array(31) })).toThrow('hash: expected 32 bytes, got 31')
    expect(() => chain.transaction(new Uint8Array(20))).toThrow('hash: expected 32 bytes, got 20')
  })
})

describe('a header without its body', () => {
  const headersOnly = new Chain(
    memoryDatabase([
      ...headerEntries(head),
      [canonicalHashKey(784), head.hash],
      [singleKeys.headBlock, head.hash],
    ]),
    recordedConfig,
  )

  it('is no block, and no receipts by number', () => {
    expect(headersOnly.header({ number: 784 })?.hash).toEqual(head.hash)
    expect(headersOnly.block({ number: 784 })).toBeUndefined()
    expect(headersOnly.block({ hash: head.hash })).toBeUndefined()
    expect(headersOnly.transactionAt({ number: 784 }, 0)).toBeUndefined()
    expect(headersOnly.receipts({ number: 784 })).toBeUndefined()
  })

  it('is an error of its own if receipts are asked for by hash, as in geth', () => {
    expect(() => headersOnly.receipts({ hash: head.hash })).toThrow(
      expect.objectContaining({
        code: 'BLOCK_NOT_FOUND',
        message: 'header found, but block body is missing',
        facts: { block: 784n, blockHash: bytesToHex(head.hash) },
      }),
    )
  })
})

describe('transaction', () => {
  it('is found by hash and by its place', () => {
    for (const recorded of [frozen, middle, head]) {
      hashesOf(recorded).forEach((hash, index) => {
        const byHash = chain.transaction(hash)
        expect(decodeLocated(byHash!).hash).toEqual(hash)
        expect(byHash?.hash).toEqual(hash)
        expect(byHash?.index).toBe(index)
        expect(byHash?.block.hash).toEqual(recorded.hash)
        expect(chain.transactionAt({ number: recorded.number }, index)).toEqual(byHash)
        expect(chain.transactionAt({ hash: recorded.hash }, index)).toEqual(byHash)
      })
    }
  })

  it('is absent past the last of its block and in unknown blocks', () => {
    expect(chain.transactionAt({ number: 784 }, 5)).toBeUndefined()
    expect(chain.transactionAt({ number: 784 }, Number.MAX_SAFE_INTEGER)).toBeUndefined()
    expect(chain.transactionAt({ number: 785 }, 0)).toBeUndefined()
  })

  it('is absent if the index is complete and the hash not in it, side blocks included', () => {
    expect(chain.transaction(unknownHash)).toBeUndefined()
    expect(chain.receipt(unknownHash)).toBeUndefined()
    expect(chain.transaction(hashesOf(side)[0]!)).toBeUndefined()
  })

  it('is absent if its record is stale: the block it names is without it', () => {
    const stale = openChain({}, [[transactionLookupKey(unknownHash), Uint8Array.of(57)]])
    expect(stale.transaction(unknownHash)).toBeUndefined()
    const gone = openChain({}, [[transactionLookupKey(unknownHash), Uint8Array.of(3, 0xff)]])
    expect(gone.receipt(unknownHash)).toBeUndefined()
  })

  it('that is unknown cannot be ruled out while the index is unfinished', () => {
    const unfinished = openChain({}, [[singleKeys.transactionIndexTail, uint64Bytes(500)]])
    expect(unfinished.transaction(hashesOf(head)[0]!)?.index).toBe(0)
    for (const ask of [() => unfinished.transaction(unknownHash), () => unfinished.receipt(unknownHash)]) {
      expect(ask).toThrow(
        expect.objectContaining({
          code: 'INDEX_INCOMPLETE',
          message: 'transaction indexing is in progress: blocks 0 to 499 are missing',
          facts: expect.objectContaining({
            key: bytesToHex(singleKeys.transactionIndexTail),
            earliest: 500n,
          }),
        }),
      )
    }
  })

  it('older than the blocks that geth is configured to index is absent', () => {
    const tail = [singleKeys.transactionIndexTail, uint64Bytes(500)] as const
    expect(openChain({ transactionHistory: 285 }, [tail]).transaction(unknownHash)).toBeUndefined()
    expect(() => openChain({ transactionHistory: 286 }, [tail]).transaction(unknownHash)).toThrow(
      expect.objectContaining({ code: 'INDEX_INCOMPLETE' }),
    )
  })
})

describe('receipts', () => {
  it.each([57, 427, 784])('of block %i are what geth answers, together and one by one', (number) => {
    const recorded = recordedBlock(number)
    expect(chain.receipts({ number })?.map(receiptJson)).toEqual(recorded.receiptsAnswer)
    hashesOf(recorded).forEach((hash, index) => {
      expect(receiptJson(chain.receipt(hash)!)).toEqual(recorded.receiptsAnswer[index])
      expect(receiptJson(openChain().receipt(hash)!)).toEqual(recorded.receiptsAnswer[index])
    })
  })

  it('take senders that are known already', () => {
    const known = hashesOf(head).map((_, index) => new Uint8Array(20).fill(index + 1))
    expect(chain.receipts({ number: 784 }, known)?.map(({ from }) => from)).toEqual(known)
  })

  it('that are missing or too few are damage in the words of geth', () => {
    const missing = memoryDatabase(
      entries.filter(([key]) => bytesToHex(key) !== bytesToHex(receiptsKey(784, head.hash))),
      ancient,
    )
    expect(() => new Chain(missing, recordedConfig).receipts({ number: 784 })).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        message: 'receipts length mismatch: 5 vs 0',
        facts: expect.objectContaining({ block: 784n, blockHash: bytesToHex(head.hash) }),
      }),
    )
    const few = openChain({}, [[receiptsKey(784, head.hash), Uint8Array.of(0xc0)]])
    expect(() => few.receipt(hashesOf(head)[0]!)).toThrow(
      expect.objectContaining({
        message: 'receipts length mismatch: 5 vs 0',
        facts: expect.objectContaining({ key: bytesToHex(receiptsKey(784, head.hash)) }),
      }),
    )
  })

  it('with blobs need blob parameters in the chain config', () => {
    const bare = new Chain(memoryDatabase(entries, ancient), {
      chainId: 1337n,
      daoForkSupport: false,
      blobSchedule: {},
    })
    expect(bare.receipts({ number: 57 })).toHaveLength(5)
    expect(() => bare.receipts({ number: 784 })).toThrow(expect.objectContaining({ code: 'DAMAGED' }))
  })
})

describe('pruned history', () => {
  const pruned = openChain({}, [], {
    ...ancient,
    tables: { ...ancient.tables, bodies: { tail: 58 }, receipts: { tail: 58 } },
  })

  it('keeps headers and answers blocks from the cutoff on', () => {
    expect(pruned.historyCutoff).toBe(58)
    expect(pruned.tagNumber('earliest')).toBe(58)
    expect(pruned.header({ number: 57 })?.hash).toEqual(frozen.hash)
    expect(pruned.receipts({ number: 427 })).toHaveLength(2)
  })

  it('is an error for blocks, transactions and receipts below it', () => {
    for (const ask of [
      () => pruned.block({ number: 57 }),
      () => pruned.block({ hash: frozen.hash }),
      () => pruned.hasTransaction(57, hashesOf(frozen)[0]!),
      () => pruned.transactionAt({ number: 57 }, 0),
      () => pruned.transaction(hashesOf(frozen)[0]!),
      () => pruned.receipts({ number: 57 }),
      () => pruned.receipt(hashesOf(frozen)[0]!),
    ]) {
      expect(ask).toThrow(
        expect.objectContaining({
          code: 'HISTORY_PRUNED',
          facts: expect.objectContaining({ block: 57n, earliest: 58n }),
        }),
      )
    }
  })
})

describe('damage', () => {
  it('in a body is found when the block is first read, and every time again', () => {
    const key = bodyKey(784, head.hash)
    const damaged = openChain({}, [[key, flipped(head.body, 300)]])
    for (const ask of [
      () => damaged.block({ number: 784 }),
      () => damaged.transactionAt({ number: 784 }, 0),
      () => damaged.transaction(hashesOf(head)[0]!),
      () => damaged.receipts({ number: 784 }),
      () => damaged.block({ number: 784 }),
    ]) {
      expect(ask).toThrow(
        expect.objectContaining({
          code: 'DAMAGED',
          facts: expect.objectContaining({ key: bytesToHex(key) }),
        }),
      )
    }
  })

  it('in receipts is found in those of another transaction too', () => {
    const position = head.receipts.length - 1
    const damaged = openChain({}, [[receiptsKey(784, head.hash), flipped(head.receipts, position)]])
    expect(() => damaged.receipt(hashesOf(head)[0]!)).toThrow(expect.objectContaining({ code: 'DAMAGED' }))
    expect(() => damaged.receipts({ number: 784 })).toThrow(expect.objectContaining({ code: 'DAMAGED' }))
  })

  it('in the table of hashes makes no side block of a canonical one', () => {
    const hashes = { records: { 57: flipped(frozen.hash, 0) } }
    const damaged = openChain({}, [], { ...ancient, tables: { ...ancient.tables, hashes } })
    for (const ask of [
      () => damaged.header({ number: 57 }),
      () => damaged.header({ hash: frozen.hash, requireCanonical: true }),
      () => damaged.block({ hash: frozen.hash }),
      () => damaged.receipt(hashesOf(frozen)[0]!),
    ]) {
      expect(ask).toThrow(
        expect.objectContaining({ code: 'DAMAGED', facts: expect.objectContaining({ item: 57 }) }),
      )
    }
  })

  it('is not looked for if checking is switched off', () => {
    const position = head.receipts.length - 1
    const damaged = openChain({ verify: 'never' }, [
      [receiptsKey(784, head.hash), flipped(head.receipts, position)],
    ])
    expect(damaged.receipts({ number: 784 })).toHaveLength(5)
  })
})
