import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import type { Block } from '../../src/chain/block.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { blockWithHashesJson, blockWithTransactionsJson } from '../../src/rpc/encoding/block.js'
import { receiptsJson } from '../../src/rpc/encoding/receipt.js'
import { transactionEncoder } from '../../src/rpc/encoding/transaction.js'
import { blobGasPrice } from '../../src/types/blob-fee.js'
import { blockSize, decodeBody, uncleRecords } from '../../src/types/body.js'
import { deriveReceipts } from '../../src/types/derived-receipt.js'
import { decodeHeader, type Header } from '../../src/types/header.js'
import { decodeReceipts } from '../../src/types/receipt.js'
import { recoverSender } from '../../src/types/sender.js'
import { decodeTransaction } from '../../src/types/transaction.js'
import { gethRecords, recordedConfig } from '../types/geth-records.js'

type Recorded = (typeof gethRecords.blocks)[number]

function decode({ header, body }: Recorded) {
  const [headerRlp, bodyRlp] = [hexToBytes(header), hexToBytes(body)]
  const decoded = decodeBody(bodyRlp)
  const block: Block = {
    header: decodeHeader(headerRlp),
    hash: keccak256(headerRlp),
    body: decoded,
    transactionHashes: decoded.transactions.map(({ hash }) => hash),
    withdrawals: decoded.withdrawals,
    totalDifficulty: undefined,
    uncleHashes: uncleRecords(bodyRlp).map(keccak256),
    size: blockSize(headerRlp, bodyRlp),
  }
  return { block, senders: block.body.transactions.map((transaction) => recoverSender(transaction)!) }
}

const blocks = gethRecords.blocks.map((recorded) => [Number(recorded.block['number']), recorded] as const)

describe('blocks', () => {
  it.each(blocks)('number %i with transactions is what geth sent, byte for byte', (_number, recorded) => {
    const { block, senders } = decode(recorded)
    expect(blockWithTransactionsJson(block, senders)).toBe(JSON.stringify(recorded.block))
  })

  it.each(blocks)('number %i with hashes lists the same transactions', (_number, recorded) => {
    const transactions = recorded.block.transactions.map(({ hash }) => hash)
    const { block } = decode(recorded)
    expect(blockWithHashesJson(block)).toBe(JSON.stringify({ ...recorded.block, transactions }))
  })

  it('put a known total difficulty in its place among the keys', () => {
    const { block } = decode(gethRecords.blocks[0]!)
    expect(blockWithHashesJson({ ...block, totalDifficulty: 0x1234n })).toContain(
      '","totalDifficulty":"0x1234","transactions":',
    )
  })

  it('show the two fields of Amsterdam headers', () => {
    const { block } = decode(gethRecords.blocks[0]!)
    const header: Header = { ...block.header, blockAccessListHash: new Uint8Array(32), slotNumber: 7n }
    const json = blockWithHashesJson({ ...block, header })
    expect(json).toContain(`"blockAccessListHash":"0x${'00'.repeat(32)}","difficulty":`)
    expect(json).toContain('"slotNumber":"0x7","stateRoot":')
  })
})

describe('transactions', () => {
  it.each(gethRecords.transactions.map((recorded) => [recorded.kind, recorded] as const))(
    'of kind %s are what geth sent, byte for byte',
    (_kind, { envelope, answer, baseFeePerGas }) => {
      const transaction = decodeTransaction(hexToBytes(envelope))
      const header = {
        number: Number(answer['blockNumber']),
        timestamp: BigInt(String(answer['blockTimestamp'])),
        baseFeePerGas: BigInt(baseFeePerGas),
      } as Header
      const encode = transactionEncoder({ header, hash: hexToBytes(String(answer['blockHash'])) })
      const json = encode(transaction, recoverSender(transaction)!, Number(answer['transactionIndex']))
      expect(json).toBe(JSON.stringify(answer))
    },
  )
})

describe('receipts', () => {
  it.each(blocks)('of block %i are what geth sent, byte for byte', (_number, recorded) => {
    const { block, senders } = decode(recorded)
    const price = blobGasPrice(recordedConfig, block.header)
    const receipts = deriveReceipts(decodeReceipts(hexToBytes(recorded.receipts)), {
      header: block.header,
      blockHash: block.hash,
      transactions: block.body.transactions,
      ...(price !== undefined && { blobGasPrice: price }),
      senderOf: (index) => senders[index]!,
    })
    expect(receiptsJson(receipts)).toBe(JSON.stringify(recorded.blockReceipts))
  })
})
