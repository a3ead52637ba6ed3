import { expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/bytes.js'
import { keccak256 } from '../../../src/kernel/keccak.js'
import { ScratchMemory } from '../../../src/kernel/scratch-memory.js'
import { KeyedBlocks } from '../../../src/logs/own-index/keyed-blocks.js'
import { SegmentBuilder } from '../../../src/logs/own-index/segment-builder.js'
import { type ValueKind, valueKey } from '../../../src/logs/own-index/value-key.js'
import { decodeReceipts } from '../../../src/types/receipt.js'
import { gethRecords } from '../../types/geth-records.js'

const records = gethRecords.blocks.map(({ receipts }) => hexToBytes(receipts))

/** The keys that the kernel computes of the logs of a block. */
function kernelKeys(receipts: Uint8Array): number[] {
  const memory = new ScratchMemory()
  const { at, length } = memory.allocateCopy(receipts)
  const keys = memory.allocate(8 * length)
  const count = memory.functions.writeLogKeys(at, length, keys)
  const halves = memory.words({ at: keys, length: 2 * count })
  return Array.from({ length: count }, (_, i) => halves[2 * i + 1]! * 2 ** 32 + halves[2 * i]!)
}

it('has the keys of every address and topic of a block', () => {
  const seen = new Set<number>()
  for (const receipts of records) {
    const expected = decodeReceipts(receipts).flatMap(({ logs }) =>
      logs.flatMap(({ address, topics }) =>
        [address, ...topics].map((value, kind) => valueKey(kind as ValueKind, value, 0)),
      ),
    )
    for (const key of expected) seen.add(key)
    expect(new Set(kernelKeys(receipts))).toEqual(new Set(expected))
  }
  expect(seen.size).toBeGreaterThan(5)
})

it('refuses damaged receipts', () => {
  const receipts = records.find(({ length }) => length > 300)!
  for (let length = 0; length < receipts.length; length += 37) {
    expect(() => new SegmentBuilder().add(receipts.subarray(0, length), 0)).toThrow(
      expect.objectContaining({ name: 'RlpError' }),
    )
  }
})

it('sorts keys by all of their bits and has each block of a key once', () => {
  const pairs = new KeyedBlocks()
  const expected = new Map<number, Set<number>>()
  for (let block = 0; block < 20; block++) {
    const halves = new Uint32Array(2 * 1_500)
    for (let i = 0; i < 1_500; i++) {
      // Few different values of each digit, so that keys differ in any one of them.
      const hash = keccak256(Uint8Array.of(block % 7, i % 250, i >> 10))
      const digit = 11 * (hash[1]! % 3)
      const [low, high] = [(hash[0]! << digit) >>> 0, (hash[2]! & 3) << (hash[3]! % 20)]
      halves.set([low, high], 2 * i)
      const key = high * 2 ** 32 + low
      expected.set(key, (expected.get(key) ?? new Set()).add(block))
    }
    pairs.add(halves, block)
  }
  const { count, low, high, blocks, starts } = pairs.lists()
  const found = Array.from({ length: count }, (_, i) => [
    high[i]! * 2 ** 32 + low[i]!,
    [...blocks.subarray(starts[i], starts[i + 1])],
  ])
  const sorted = [...expected].sort(([a], [b]) => a - b).map(([key, blocks]) => [key, [...blocks]])
  expect(found).toEqual(sorted)
})

it('of no logs is a header and one bucket', () => {
  const builder = new SegmentBuilder()
  builder.add(Uint8Array.of(0xc0), 0)
  const bytes = builder.build({ first: 4_096, blocks: 1, lastHash: new Uint8Array(32) })
  expect(bytesToHex(bytes.subarray(0, 8))).toBe(bytesToHex(new TextEncoder().encode('grlogidx')))
  expect(bytes).toHaveLength(80)
})
