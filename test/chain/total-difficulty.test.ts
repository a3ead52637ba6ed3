import { describe, expect, it } from 'vitest'
import { concatBytes, hexToBytes } from '../../src/bytes.js'
import type { HashedHeader } from '../../src/chain/block.js'
import { maxSummedHeaders, totalDifficultyReader } from '../../src/chain/total-difficulty.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { canonicalHashKey, headerKey, totalDifficultyKey } from '../../src/rawdb/schema.js'
import { encodeInteger } from '../../src/rlp/encode.js'
import { decodeHeader, encodeHeader, type Header } from '../../src/types/header.js'
import { type Entry, memoryDatabase } from '../rawdb/memory-database.js'
import { recordedBlock } from '../rawdb/recorded-blocks.js'

interface MadeBlock extends HashedHeader {
  readonly rlp: Uint8Array
}

const template = decodeHeader(recordedBlock(9).header)

function makeBlock(number: number, difficulty: number, parentHash: Uint8Array): MadeBlock {
  const header: Header = { ...template, number, difficulty: BigInt(difficulty), parentHash }
  const rlp = encodeHeader(header)
  return { header, rlp, hash: keccak256(rlp) }
}

/** Blocks one on top of the other, with the given difficulties. */
function makeChain(difficulties: readonly number[], parent?: MadeBlock): MadeBlock[] {
  const blocks: MadeBlock[] = []
  let last = parent
  for (const difficulty of difficulties) {
    last = makeBlock(last ? last.header.number + 1 : 0, difficulty, last?.hash ?? new Uint8Array(32))
    blocks.push(last)
  }
  return blocks
}

const headers = (blocks: readonly MadeBlock[]) =>
  blocks.map(({ header, hash, rlp }): Entry => [headerKey(header.number, hash), rlp])
const canonical = (blocks: readonly MadeBlock[]) =>
  blocks.map(({ header, hash }): Entry => [canonicalHashKey(header.number), hash])
const stored = ({ header, hash }: MadeBlock, total: number): Entry => [
  totalDifficultyKey(header.number, hash),
  encodeInteger(total),
]

// Proof of work up to block 4, the merge at block 5.
const chain = makeChain([100, 10, 20, 30, 40, 0, 0, 0])
const sums = [100n, 110n, 130n, 160n, 200n, 200n, 200n, 200n]

describe('total difficulty', () => {
  it('is the sum from genesis on, constant after the merge', () => {
    const read = totalDifficultyReader(memoryDatabase([...headers(chain), ...canonical(chain)]))
    expect(chain.map(read)).toEqual(sums)
    expect([...chain].reverse().map(read)).toEqual([...sums].reverse())
  })

  it('is the difficulty of genesis on a chain that never had proof of work', () => {
    const merged = makeChain([7, 0, 0])
    const read = totalDifficultyReader(memoryDatabase([...headers(merged), ...canonical(merged)]))
    expect(merged.map(read)).toEqual([7n, 7n, 7n])
  })

  it('is the stored one, and counted up from it if later blocks have none', () => {
    const recent = chain.slice(2)
    const db = memoryDatabase([
      ...headers(recent),
      ...canonical(recent),
      ...canonical(chain.slice(0, 2)),
      stored(chain[2]!, 1130),
    ])
    const read = totalDifficultyReader(db)
    expect(recent.slice(0, 3).map(read)).toEqual([1130n, 1160n, 1200n])
  })

  it('of a side block counts its own ancestors', () => {
    const side = makeChain([21, 31], chain[1])
    const read = totalDifficultyReader(
      memoryDatabase([...headers(chain), ...headers(side), ...canonical(chain)]),
    )
    expect(side.map(read)).toEqual([131n, 162n])
    expect(read(chain[3]!)).toBe(160n)
  })

  it('of a side block after the merge is that of its ancestors too', () => {
    const side = makeChain([0, 0], chain[5])
    const db = memoryDatabase([...headers(chain), ...headers(side), ...canonical(chain)])
    expect(side.map(totalDifficultyReader(db))).toEqual([200n, 200n])
  })

  it('is absent if a header on the way is missing', () => {
    const holed = memoryDatabase([...headers(chain.filter((_, i) => i !== 1)), ...canonical(chain)])
    expect(totalDifficultyReader(holed)(chain[3]!)).toBeUndefined()
    expect(totalDifficultyReader(holed)(chain[6]!)).toBeUndefined()
    const unmerged = memoryDatabase([...headers([chain[0]!, chain[7]!]), ...canonical(chain)])
    expect(totalDifficultyReader(unmerged)(chain[7]!)).toBeUndefined()
  })

  it('is absent farther from genesis than is summed, also after earlier requests', () => {
    const long = makeChain(Array.from({ length: maxSummedHeaders + 200 }, () => 2))
    const db = memoryDatabase([...headers(long), ...canonical(long)])
    const read = totalDifficultyReader(db)
    const last = long[maxSummedHeaders]!
    const beyond = long[maxSummedHeaders + 1]!
    expect(read(beyond)).toBeUndefined()
    expect(read(last)).toBe(BigInt(2 * (maxSummedHeaders + 1)))
    expect(read(long[200]!)).toBe(402n)
    expect(read(beyond)).toBeUndefined()
  })

  it('of mainnet after the merge is known without the headers before it', () => {
    const mainnet = hexToBytes('d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3')
    const late = makeBlock(3, 0, new Uint8Array(32))
    const terminal = makeBlock(2, 12, new Uint8Array(32))
    const db = memoryDatabase([
      [canonicalHashKey(0), mainnet],
      ...headers([terminal, late, chain[1]!]),
      ...canonical([chain[1]!, terminal, late]),
    ])
    expect(totalDifficultyReader(db)(late)).toBe(0xc70d815d562d3cfa955n)
    expect(totalDifficultyReader(db)(terminal)).toBeUndefined()
  })

  it('that does not follow from the stored one of the parent is damage', () => {
    const db = memoryDatabase([
      ...headers(chain),
      ...canonical(chain),
      stored(chain[2]!, 130),
      stored(chain[3]!, 161),
    ])
    expect(() => totalDifficultyReader(db)(chain[3]!)).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        facts: expect.objectContaining({ block: 3n, expected: '160', found: '161' }),
      }),
    )
  })

  it('stored under trailing bytes is damage', () => {
    const [key, value] = stored(chain[2]!, 130)
    const db = memoryDatabase([...headers(chain), ...canonical(chain), [key, concatBytes(value, value)]])
    expect(() => totalDifficultyReader(db)(chain[2]!)).toThrow(expect.objectContaining({ code: 'DAMAGED' }))
  })
})
