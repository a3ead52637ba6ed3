import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import type { Block } from '../../src/chain/block.js'
import { hashTransactions } from '../../src/chain/block-items.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { blockWithHashesJson, blockWithTransactionsJson } from '../../src/rpc/encoding/block.js'
import { receiptJson, receiptsJson } from '../../src/rpc/encoding/receipt.js'
import { transactionJson } from '../../src/rpc/encoding/transaction.js'
import { stringOfText } from '../../src/rpc/json/json-text.js'
import { blockSize, decodeBody, transactionEnvelopes, uncleRecords } from '../../src/types/body.js'
import { decodeHeader, type Header } from '../../src/types/header.js'
import { recoverSender } from '../../src/types/sender.js'
import { gethRecords, recordedConfig } from '../types/geth-records.js'

type Recorded = (typeof gethRecords.blocks)[number]

const place = { block: 0n }

function decode({ header, body, receipts }: Recorded) {
  const [headerRlp, rlp] = [hexToBytes(header), hexToBytes(body)]
  const decoded = decodeBody(rlp)
  const block: Block = {
    header: decodeHeader(headerRlp),
    hash: keccak256(headerRlp),
    body: decoded,
    storedBody: { rlp, place },
    transactionCount: decoded.transactions.length,
    joinedHashes: hashTransactions(rlp),
    transactionHashes: decoded.transactions.map(({ hash }) => hash),
    withdrawals: decoded.withdrawals,
    totalDifficulty: undefined,
    uncleHashes: uncleRecords(rlp).map(keccak256),
    size: blockSize(headerRlp, rlp),
  }
  const stored = {
    config: recordedConfig,
    block,
    body: block.storedBody,
    receipts: { rlp: hexToBytes(receipts), place },
  }
  return { block, stored, senders: decoded.transactions.map((transaction) => recoverSender(transaction)!) }
}

const blocks = gethRecords.blocks.map((recorded) => [Number(recorded.block['number']), recorded] as const)

describe('blocks', () => {
  it.each(blocks)('number %i with transactions is what geth sent, byte for byte', (_number, recorded) => {
    const { block, senders } = decode(recorded)
    expect(stringOfText(blockWithTransactionsJson(block, senders))).toBe(JSON.stringify(recorded.block))
  })

  it.each(blocks)('number %i with hashes lists the same transactions', (_number, recorded) => {
    const transactions = recorded.block.transactions.map(({ hash }) => hash)
    const { block } = decode(recorded)
    expect(stringOfText(blockWithHashesJson(block))).toBe(JSON.stringify({ ...recorded.block, transactions }))
  })

  it('put a known total difficulty in its place among the keys', () => {
    const { block } = decode(gethRecords.blocks[0]!)
    expect(stringOfText(blockWithHashesJson({ ...block, totalDifficulty: 0x1234n }))).toContain(
      '","totalDifficulty":"0x1234","transactions":',
    )
  })

  it('show the two fields of Amsterdam headers', () => {
    const { block } = decode(gethRecords.blocks[0]!)
    const header: Header = { ...block.header, blockAccessListHash: new Uint8Array(32), slotNumber: 7n }
    const json = stringOfText(blockWithHashesJson({ ...block, header }))
    expect(json).toContain(`"blockAccessListHash":"0x${'00'.repeat(32)}","difficulty":`)
    expect(json).toContain('"slotNumber":"0x7","stateRoot":')
  })
})

describe('transactions', () => {
  it.each(gethRecords.transactions.map((recorded) => [recorded.kind, recorded] as const))(
    'of kind %s are what geth sent, byte for byte',
    (_kind, { envelope, answer, baseFeePerGas }) => {
      const header = {
        number: Number(answer['blockNumber']),
        timestamp: BigInt(String(answer['blockTimestamp'])),
        baseFeePerGas: BigInt(baseFeePerGas),
      } as Header
      const bytes = hexToBytes(envelope)
      const located = {
        envelope: bytes,
        hash: keccak256(bytes),
        index: Number(answer['transactionIndex']),
        block: { header, hash: hexToBytes(String(answer['blockHash'])) },
        place,
      }
      const json = stringOfText(transactionJson(located, recoverSender(located)!))
      expect(json).toBe(JSON.stringify(answer))
    },
  )
})

describe('receipts', () => {
  it.each(blocks)('of block %i are what geth sent, byte for byte', (_number, recorded) => {
    const { block, stored, senders } = decode(recorded)
    const { joinedHashes } = block
    const json = ['[', ...receiptsJson(stored, { joinedHashes, senders }), ']']
    expect(stringOfText(json)).toBe(JSON.stringify(recorded.blockReceipts))
  })

  it.each(blocks)('of block %i are the same one by one', (_number, recorded) => {
    const { block, stored, senders } = decode(recorded)
    const envelopes = transactionEnvelopes(block.storedBody.rlp)
    recorded.blockReceipts.forEach((receipt, index) => {
      const envelope = envelopes[index]!
      const located = { envelope, hash: block.transactionHashes[index]!, index, block, place }
      const json = stringOfText(receiptJson({ located, stored }, senders[index]!))
      expect(json).toBe(JSON.stringify(receipt))
    })
  })
})
