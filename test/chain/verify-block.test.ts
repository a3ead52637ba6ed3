import { describe, expect, it } from 'vitest'
import { verifyBody, verifyReceipts } from '../../src/chain/verify-block.js'
import { emptyRoot } from '../../src/constants.js'
import { logsBloom } from '../../src/types/bloom.js'
import { transactionEnvelopes } from '../../src/types/body.js'
import { decodeHeader } from '../../src/types/header.js'
import { decodeReceipts } from '../../src/types/receipt.js'
import { transactionType } from '../../src/types/transaction.js'
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
  each('of block %i finds a flipped bit in every byte that decodes', (_number, block) => {
    const header = decodeHeader(block.header)
    const types = transactionEnvelopes(block.body).map(transactionType)
    const check = (rlp: Uint8Array) => {
      const receipts = decodeReceipts(rlp).map((receipt, index) => ({
        ...receipt,
        type: types[index]!,
        logsBloom: logsBloom(receipt.logs),
      }))
      verifyReceipts({ rlp, place }, receipts, header)
    }
    expect(() => check(block.receipts)).not.toThrow()
    for (let position = 0; position < block.receipts.length; position++) {
      expect(() => check(flipped(block.receipts, position))).toThrow()
    }
  })

  it('names the receipts root', () => {
    const { rlp, header } = { rlp: recordedBlock(9).receipts, header: decodeHeader(recordedBlock(9).header) }
    expect(() => verifyReceipts({ rlp, place }, [], header)).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        message: expect.stringContaining('receipts root is 0x56e8'),
      }),
    )
  })
})
