import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import { addToBloom, bloomBits, bloomContains, bloomLength, logsBloom } from '../../src/types/bloom.js'
import { decodeReceipts } from '../../src/types/receipt.js'
import { gethRecords } from './geth-records.js'

describe('bloom', () => {
  const blocks = gethRecords.blocks.map((block) => ({
    logs: decodeReceipts(hexToBytes(block.receipts)).flatMap((receipt) => receipt.logs),
    bloom: hexToBytes(block.block['logsBloom'] as string),
  }))

  it('of all logs of a block is the one in its header', () => {
    for (const { logs, bloom } of blocks) expect(logsBloom(logs)).toEqual(bloom)
    expect(blocks.some(({ logs }) => logs.length > 1)).toBe(true)
  })

  it('contains every address and topic that went into it', () => {
    for (const { logs, bloom } of blocks) {
      for (const value of logs.flatMap((log) => [log.address, ...log.topics])) {
        expect(bloomContains(bloom, bloomBits(value))).toBe(true)
      }
    }
  })

  it('does not contain most values that did not', () => {
    const bloom = new Uint8Array(bloomLength)
    addToBloom(bloom, new Uint8Array(20).fill(1))
    const others = Array.from({ length: 100 }, (_, i) => new Uint8Array(20).fill(i + 2))
    expect(others.filter((value) => bloomContains(bloom, bloomBits(value)))).toEqual([])
    expect(bloomContains(new Uint8Array(bloomLength), bloomBits(others[0]!))).toBe(false)
  })
})
