import { describe, expect, it } from 'vitest'
import { verifyBody, verifyReceipts } from '../../src/chain/verify-block.js'
import { emptyRoot } from '../../src/constants.js'
import { decodeHeader } from '../../src/types/header.js'
import { flipped, recordedBlock, recordedBlocks } from '../rawdb/recorded-blocks.js'

const place = { table: 'bodies', item: 7, block: 7n }
const each = it.each(recordedBlocks.map((block) => [block.number, block] as const))

describe('body check', () => {
  each('of block %i finds a flipped bit in any byte', (_number, block) => {
    const header = decodeHeader(block.header)
    expect(() => verifyBody({ rlp: block.body, place }, header)).not.toThrow()
    for (let position = 0; position < block.body.length; position++) {
      expect(() => verifyBody({ rlp: flipped(block.body, position), place }, header)).toThrow(
        expect.objectContaining({ code: 'DAMAGED', facts: expect.objectContaining(place) }),
      )
    }
  })

  it('names the part that is wrong, what the header has and what was found', () => {
    const header = decodeHeader(recordedBlock(57).header)
    expect(() => verifyBody({ rlp: recordedBlock(9).body, place }, header)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^item 7 of table bodies: transactions root is 0x/),
        facts: expect.objectContaining({
          expected: recordedBlock(57).answer['transactionsRoot'],
          found: recordedBlock(9).answer['transactionsRoot'],
        }),
      }),
    )
    // [[], []]: neither transactions nor uncles, and no list of withdrawals.
    const empty = { rlp: Uint8Array.of(0xc2, 0xc0, 0xc0), place }
    expect(() => verifyBody(empty, { ...header, transactionsRoot: emptyRoot })).toThrow('uncles hash is')
    const merged = decodeHeader(recordedBlock(427).header)
    expect(() => verifyBody(empty, { ...merged, transactionsRoot: emptyRoot })).toThrow(
      'withdrawals root is 0x, the header has 0x',
    )
  })
})

describe('receipts check', () => {
  each('of block %i finds a flipped bit in every byte', (_number, block) => {
    const header = decodeHeader(block.header)
    const check = (rlp: Uint8Array) =>
      verifyReceipts({ rlp, place }, { rlp: block.body, place }, { header, hash: block.hash })
    expect(() => check(block.receipts)).not.toThrow()
    for (let position = 0; position < block.receipts.length; position++) {
      expect(() => check(flipped(block.receipts, position))).toThrow(
        expect.objectContaining({ code: 'DAMAGED', facts: expect.objectContaining(place) }),
      )
    }
  })

  it('names the receipts root', () => {
    const { receipts, body, hash } = recordedBlock(57)
    const header = { ...decodeHeader(recordedBlock(57).header), receiptsRoot: emptyRoot }
    const block = { header, hash }
    expect(() => verifyReceipts({ rlp: receipts, place }, { rlp: body, place }, block)).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        message: expect.stringMatching(/receipts root is 0x.*, the header has 0x56e8/),
      }),
    )
  })
})
