import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { decodeTransaction, transactionHash, transactionType } from '../../src/types/transaction.js'
import { transactionJson } from './geth-json.js'
import { gethRecords, recordedEnvelope } from './geth-records.js'

describe('decodeTransaction', () => {
  it.each(gethRecords.transactions.map((recorded) => [recorded.kind, recorded] as const))(
    'decodes the %s transaction as geth shows it',
    (_kind, { envelope, baseFeePerGas, answer }) => {
      const transaction = decodeTransaction(hexToBytes(envelope))
      expect({
        ...transactionJson(transaction, BigInt(baseFeePerGas)),
        blockHash: answer['blockHash'],
        blockNumber: answer['blockNumber'],
        blockTimestamp: answer['blockTimestamp'],
        transactionIndex: answer['transactionIndex'],
      }).toEqual(answer)
      expect(bytesToHex(transaction.envelope)).toBe(envelope)
    },
  )

  it('refuses an unknown type but still gives its hash and type', () => {
    const deposit = hexToBytes('7ec0')
    expect(() => decodeTransaction(deposit)).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_FORMAT',
        facts: expect.objectContaining({ found: 'transaction type 126' }),
      }),
    )
    expect(() => decodeTransaction(hexToBytes('00c0'))).toThrow('transaction type 0 is not known')
    expect(transactionType(deposit)).toBe(126)
    expect(transactionHash(deposit)).toHaveLength(32)
  })

  it.each(['legacy', 'type1', 'type2', 'type3', 'type4'])('refuses a truncated or longer %s', (kind) => {
    const envelope = recordedEnvelope(kind)
    for (let length = 0; length < envelope.length; length++) {
      expect(() => decodeTransaction(envelope.subarray(0, length))).toThrow(
        expect.objectContaining({ name: 'RlpError' }),
      )
    }
    const longer = new Uint8Array(envelope.length + 1)
    longer.set(envelope)
    expect(() => decodeTransaction(longer)).toThrow('expected the end')
  })

  it('refuses a blob transaction without recipient', () => {
    const envelope = recordedEnvelope('type3')
    const at = envelope.indexOf(0x94)
    const creation = new Uint8Array(envelope.length - 20)
    creation.set(envelope.subarray(0, at))
    creation[2]! -= 20
    creation[at] = 0x80
    creation.set(envelope.subarray(at + 21), at + 1)
    expect(() => decodeTransaction(creation)).toThrow('expected 20 bytes, found 0')
  })
})
