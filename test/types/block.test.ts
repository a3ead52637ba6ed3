import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes, quantity } from '../../src/bytes.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { encodeBytes, encodeInteger, encodeList } from '../../src/rlp/encode.js'
import { blobGasPrice } from '../../src/types/blob-fee.js'
import {
  blockSize,
  decodeBody,
  decodeWithdrawals,
  transactionEnvelopeAt,
  transactionEnvelopes,
} from '../../src/types/body.js'
import { deriveReceipt, deriveReceipts, type ReceiptContext } from '../../src/types/derived-receipt.js'
import { decodeHeader, encodeHeader, type Header, headerBloom } from '../../src/types/header.js'
import { decodeReceiptAt, decodeReceipts } from '../../src/types/receipt.js'
import { recoverSender } from '../../src/types/sender.js'
import { headerJson, receiptJson, transactionJson, uncleHashes } from './geth-json.js'
import { gethRecords, recordedConfig } from './geth-records.js'

const blocks = gethRecords.blocks.map((recorded) => ({
  ...recorded,
  number: Number(recorded.block['number']),
  headerRlp: hexToBytes(recorded.header),
  bodyRlp: hexToBytes(recorded.body),
  receiptsRlp: hexToBytes(recorded.receipts),
}))
type Block = (typeof blocks)[number]
const each = it.each(blocks.map((block) => [block.number, block] as const))

function receiptContext({ headerRlp, bodyRlp }: Block): ReceiptContext {
  const header = decodeHeader(headerRlp)
  const { transactions } = decodeBody(bodyRlp)
  const price = blobGasPrice(recordedConfig, header)
  return {
    header,
    blockHash: keccak256(headerRlp),
    transactions,
    ...(price !== undefined && { blobGasPrice: price }),
    senderOf: (index) => recoverSender(transactions[index]!)!,
  }
}

describe('header', () => {
  each('of block %i decodes to the fields geth shows and encodes to the same bytes', (_number, block) => {
    const header = decodeHeader(block.headerRlp)
    expect(block.block).toMatchObject(headerJson(header))
    expect(bytesToHex(keccak256(block.headerRlp))).toBe(block.block['hash'])
    expect(bytesToHex(encodeHeader(header))).toBe(block.header)
    expect(bytesToHex(headerBloom(block.headerRlp))).toBe(block.block['logsBloom'])
  })

  each('of block %i is refused when it is cut short anywhere', (_number, { headerRlp }) => {
    for (let length = 0; length < headerRlp.length; length++) {
      expect(() => decodeHeader(headerRlp.subarray(0, length))).toThrow(
        expect.objectContaining({ name: 'RlpError' }),
      )
    }
    expect(() => headerBloom(headerRlp.subarray(0, 447))).toThrow('expected a header, found 0xf9')
  })

  const newest = blocks.at(-1)!
  const items = (rlp: Uint8Array, ...more: Uint8Array[]) => encodeList([rlp.subarray(3), ...more])
  const hash = new Uint8Array(32).fill(0xab)

  it('of Amsterdam has an access list hash and a slot number', () => {
    const header = decodeHeader(items(newest.headerRlp, encodeBytes(hash), encodeInteger(77)))
    expect(header).toMatchObject({ blockAccessListHash: hash, slotNumber: 77n })
  })

  it('of geth 1.17.1 has a slot number without the hash', () => {
    const header = decodeHeader(items(newest.headerRlp, encodeInteger(77)))
    expect(header.slotNumber).toBe(77n)
    expect(header.blockAccessListHash).toBeUndefined()
    expect(decodeHeader(items(newest.headerRlp, encodeInteger(0))).slotNumber).toBe(0n)
  })

  it('may have an empty hash before a later field', () => {
    const header = decodeHeader(items(newest.headerRlp, encodeBytes(new Uint8Array()), encodeInteger(77)))
    expect(header.blockAccessListHash).toBeUndefined()
    expect(header.slotNumber).toBe(77n)
  })

  it('with more fields than this version knows is refused by name', () => {
    const rlp = items(
      newest.headerRlp,
      encodeBytes(hash),
      encodeInteger(77),
      encodeInteger(1),
      encodeInteger(2),
    )
    expect(() => decodeHeader(rlp)).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_FORMAT',
        facts: { block: BigInt(newest.number), expected: '23 fields', found: '25 fields' },
      }),
    )
  })

  it('of the newest kind encodes every optional field', () => {
    const header: Header = { ...decodeHeader(newest.headerRlp), blockAccessListHash: hash, slotNumber: 0n }
    expect(decodeHeader(encodeHeader(header))).toEqual(header)
  })
})

describe('body', () => {
  each('of block %i decodes to what geth shows', (_number, { block, bodyRlp, headerRlp }) => {
    const header = decodeHeader(headerRlp)
    const body = decodeBody(bodyRlp)
    expect(body.transactions).toHaveLength(block.transactions.length)
    body.transactions.forEach((transaction, index) => {
      expect(block.transactions[index]).toMatchObject(transactionJson(transaction, header.baseFeePerGas))
    })
    const withdrawals = body.withdrawals?.map((withdrawal) => ({
      index: quantity(withdrawal.index),
      validatorIndex: quantity(withdrawal.validatorIndex),
      address: bytesToHex(withdrawal.address),
      amount: quantity(withdrawal.amount),
    }))
    expect(withdrawals).toEqual(block['withdrawals'])
    expect(uncleHashes(bodyRlp)).toEqual(block['uncles'])
    expect(body.uncles.map(encodeHeader).map((rlp) => bytesToHex(keccak256(rlp)))).toEqual(block['uncles'])
  })

  each('of block %i gives its parts without decoding', (_number, { block, bodyRlp, headerRlp }) => {
    const hashes = transactionEnvelopes(bodyRlp).map((envelope) => bytesToHex(keccak256(envelope)))
    expect(hashes).toEqual(block.transactions.map((transaction) => transaction['hash']))
    hashes.forEach((hash, index) => {
      expect(bytesToHex(keccak256(transactionEnvelopeAt(bodyRlp, index)!))).toBe(hash)
    })
    expect(transactionEnvelopeAt(bodyRlp, hashes.length)).toBeUndefined()
    expect(transactionEnvelopeAt(bodyRlp, Number.MAX_SAFE_INTEGER)).toBeUndefined()
    expect(decodeWithdrawals(bodyRlp)).toEqual(decodeBody(bodyRlp).withdrawals)
    expect(quantity(blockSize(headerRlp, bodyRlp))).toBe(block['size'])
  })

  it('of genesis is empty, with and without withdrawals', () => {
    expect(decodeBody(hexToBytes('c2c0c0'))).toEqual({ transactions: [], uncles: [] })
    expect(decodeBody(hexToBytes('c3c0c0c0'))).toEqual({ transactions: [], uncles: [], withdrawals: [] })
    expect(transactionEnvelopeAt(hexToBytes('c2c0c0'), 0)).toBeUndefined()
  })

  it('may hold a list of requests after the withdrawals, which changes nothing', () => {
    const withRequests = hexToBytes('c4c0c0c0c0')
    expect(decodeBody(withRequests)).toEqual(decodeBody(hexToBytes('c3c0c0c0')))
    const header = new Uint8Array(600)
    expect(blockSize(header, withRequests)).toBe(blockSize(header, hexToBytes('c3c0c0c0')))
  })

  each('of block %i is refused when it is cut short or longer', (_number, { bodyRlp, headerRlp }) => {
    const damaged = expect.objectContaining({ name: 'RlpError' })
    for (let length = 0; length < bodyRlp.length; length += 7) {
      const cut = bodyRlp.subarray(0, length)
      expect(() => decodeBody(cut)).toThrow(damaged)
      expect(() => transactionEnvelopes(cut)).toThrow(damaged)
      expect(() => blockSize(headerRlp, cut)).toThrow(damaged)
    }
    expect(() => decodeBody(concatBytes(bodyRlp, Uint8Array.of(0x80)))).toThrow(
      'expected the end of the block body',
    )
  })
})

describe('receipts', () => {
  each('of block %i, stored and derived, equal what geth answers', (_number, block) => {
    const stored = decodeReceipts(block.receiptsRlp)
    const context = receiptContext(block)
    expect(deriveReceipts(stored, context).map(receiptJson)).toEqual(block.blockReceipts)
    stored.forEach((_receipt, index) => {
      const { count, found } = decodeReceiptAt(block.receiptsRlp, index)
      expect(count).toBe(stored.length)
      expect(receiptJson(deriveReceipt(found!, index, context))).toEqual(block.blockReceipts[index])
    })
    expect(decodeReceiptAt(block.receiptsRlp, stored.length).found).toBeUndefined()
  })

  it('ask for the sender of one transaction only when one receipt is derived', () => {
    const block = blocks.at(-1)!
    const asked: number[] = []
    const context = receiptContext(block)
    deriveReceipt(decodeReceiptAt(block.receiptsRlp, 2).found!, 2, {
      ...context,
      senderOf: (index, transaction) => {
        asked.push(index)
        return context.senderOf(index, transaction)
      },
    })
    expect(asked).toEqual([2])
  })

  it('of a block without transactions are none', () => {
    expect(decodeReceipts(hexToBytes('c0'))).toEqual([])
  })

  const block = blocks.find(({ blockReceipts }) => blockReceipts.some((receipt) => receipt['root']))!
  const root = encodeBytes(new Uint8Array(32).fill(1))
  const gas = encodeInteger(21_000)
  const filler = encodeBytes(new Uint8Array(32).fill(2))
  const log = [encodeBytes(new Uint8Array(20).fill(3)), encodeList([filler]), encodeBytes(Uint8Array.of(9))]
  const place = [encodeInteger(5), filler, encodeInteger(0), filler, encodeInteger(0)]
  const legacyLogs = encodeList([encodeList([...log, ...place])])
  const expected = {
    root: new Uint8Array(32).fill(1),
    cumulativeGasUsed: 21_000n,
    logs: [
      {
        address: new Uint8Array(20).fill(3),
        topics: [new Uint8Array(32).fill(2)],
        data: Uint8Array.of(9),
      },
    ],
  }

  it.each([
    ['the form of geth 1.8', [root, gas, encodeBytes(new Uint8Array(256)), filler, filler, legacyLogs, gas]],
    ['the form of development versions of geth 1.9', [root, gas, filler, filler, legacyLogs, gas]],
    ['the current form with logs of the old form', [root, gas, legacyLogs]],
    ['the current form', [root, gas, encodeList([encodeList(log)])]],
    [
      'the current form with the fields of op-geth',
      [root, gas, legacyLogs, encodeInteger(4), encodeInteger(1)],
    ],
  ])('in %s decode alike', (_name, fields) => {
    const rlp = encodeList([encodeList(fields), encodeList(fields)])
    expect(decodeReceipts(rlp)).toEqual([expected, expected])
    expect(decodeReceiptAt(rlp, 1)).toEqual({
      count: 2,
      found: { receipt: expected, cumulativeGasUsedBefore: 21_000n, firstLogIndex: 1 },
    })
  })

  it('are refused when their status is neither a status nor a root', () => {
    for (const status of [encodeInteger(2), encodeBytes(new Uint8Array(31).fill(1)), Uint8Array.of(0)]) {
      const rlp = encodeList([encodeList([status, gas, encodeList([])])])
      expect(() => decodeReceipts(rlp)).toThrow('expected a receipt status or state root at byte 2')
    }
  })

  it('are refused when they are cut short', () => {
    for (let length = 0; length < block.receiptsRlp.length; length += 11) {
      expect(() => decodeReceipts(block.receiptsRlp.subarray(0, length))).toThrow(
        expect.objectContaining({ name: 'RlpError' }),
      )
    }
  })

  it('are not derived when their number is not that of the transactions', () => {
    const stored = decodeReceipts(block.receiptsRlp)
    const context = receiptContext(block)
    expect(() => deriveReceipts(stored.slice(1), context)).toThrow('receipts: expected one for each of')
    const { found } = decodeReceiptAt(block.receiptsRlp, 0)
    expect(() => deriveReceipt(found!, stored.length, context)).toThrow('index: expected less than')
  })

  it('of a blob transaction need a blob gas price', () => {
    const blobs = blocks.at(-1)!
    const { blobGasPrice: _price, ...context } = receiptContext(blobs)
    expect(() => deriveReceipts(decodeReceipts(blobs.receiptsRlp), context)).toThrow('blobGasPrice: expected')
  })
})
