import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { readBadBlocks } from '../../src/chain/bad-blocks.js'
import { rawBlock, rawHeader } from '../../src/chain/raw-block.js'
import { singleKeys } from '../../src/rawdb/schema.js'
import { encodeList } from '../../src/rlp/encode.js'
import { memoryDatabase } from '../rawdb/memory-database.js'
import { withView } from '../view/with-view.js'

describe('readBadBlocks', () => {
  it('finds none if geth has stored none', () => {
    expect(readBadBlocks(memoryDatabase([]))).toEqual([])
  })

  it('reads a header and a body for each block, as a block of the chain', async () => {
    await withView('rich-1.17.5-leveldb-hash-archive', async ({ chain }) => {
      const blocks = [chain.head().header.number, 20].map((number) => chain.block({ number })!)
      const record = encodeList(
        blocks.map((block) => encodeList([rawHeader(chain, block), block.storedBody.rlp])),
      )
      const bad = readBadBlocks(memoryDatabase([[singleKeys.badBlocks, record]]))
      expect(bad.map(({ rlp }) => bytesToHex(rlp))).toEqual(
        blocks.map((block) => bytesToHex(rawBlock(chain, block))),
      )
      for (const [i, { block }] of bad.entries()) {
        const { storedBody: _, totalDifficulty: __, ...expected } = { ...blocks[i]! }
        expect(block).toMatchObject(expected)
      }
    })
  })

  it('throws DAMAGED for what is not a list of blocks', () => {
    const db = memoryDatabase([[singleKeys.badBlocks, encodeList([encodeList([])])]])
    expect(() => readBadBlocks(db)).toThrow(expect.objectContaining({ code: 'DAMAGED' }))
  })
})
