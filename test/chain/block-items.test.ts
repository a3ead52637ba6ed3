import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import {
  deriveBodyRoots,
  deriveListRoot,
  deriveReceiptsRoot,
  findTransaction,
  hashBytes,
  hashTransactions,
} from '../../src/chain/block-items.js'
import { encodeBytes, encodeList } from '../../src/rlp/encode.js'
import { recordedBlocks } from '../rawdb/recorded-blocks.js'

const each = it.each(recordedBlocks.map((block) => [block.number, block] as const))

describe('transactions of a stored body', () => {
  each('of block %i have the hashes that geth answers', (_number, { body, answer }) => {
    const joined = hashTransactions(body)
    const hashes = (answer['transactions'] as { hash: string }[]).map(({ hash }) => hash)
    expect(bytesToHex(joined)).toBe(`0x${hashes.map((hash) => hash.slice(2)).join('')}`)
    hashes.forEach((_, index) => {
      const hash = joined.slice(index * hashBytes, (index + 1) * hashBytes)
      expect(findTransaction(body, hash)).toBe(index)
    })
    expect(findTransaction(body, new Uint8Array(32))).toBe(-1)
  })
})

describe('list root', () => {
  each('of the lists of block %i are those in its header', (_number, { body, answer }) => {
    const roots = deriveBodyRoots(body)
    expect(bytesToHex(roots.transactions)).toBe(answer['transactionsRoot'])
    expect(bytesToHex(roots.uncles)).toBe(answer['sha3Uncles'])
    expect(roots.withdrawals && bytesToHex(roots.withdrawals)).toBe(answer['withdrawalsRoot'])
  })

  each('of the receipts of block %i is the one in its header', (_number, { body, receipts, answer }) => {
    expect(bytesToHex(deriveReceiptsRoot(receipts, body))).toBe(answer['receiptsRoot'])
  })

  it('of an empty list is the empty root', () => {
    expect(bytesToHex(deriveListRoot(Uint8Array.of(0xc0)))).toBe(
      '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
    )
  })

  // Made with types.DeriveSha of go-ethereum 1.17.5 over lists whose item i is n + i as BE2: small enough that nodes
  // stand inside their parents.
  it.each([
    [1, '0x5f7cf405d6c6add4522746233f05974384724f047acaa7f6a06ffc386ed3a390'],
    [2, '0x57b29ee2b8a178a967e5796b79bb8742efb31505dadfcc10a3246c84725ce414'],
    [16, '0x87ca2585590e89aeb062b4c4c08cbd4f3b9e3cba2c90e984aad3d4c58ae913b2'],
    [17, '0x1f95cefadcfb938975d51bab452b68dd2a34e730ea9e4dd7aaa389ad5082d236'],
    [127, '0x0b8bc72286e330a06a00fa2ad43234eaf696966b13480a0fb0d856c441d96f4d'],
    [128, '0x87dc3eddcf2fff455cd178ad353f4860e9002ee5e0d2a43755c80edb3dfed7fd'],
    [129, '0x0ecc7adfcb4faba58b41705cc0fd87263440d2d02c6994f834ba9316ae5aeea3'],
    [130, '0xc667686a6d65e00c88f31f78c25ec2f744d4058f0215fe71d7f1a28a2d1d4be0'],
    [255, '0xb04b625aeacfa29bafe82e63c6e3ab1c005878e959ab323bad31a95d4b143cef'],
    [256, '0x953b71807307dfbd54a856b166b9efc8f6310fea4f5fcd03e1092dd50005d411'],
    [257, '0x27e9c456fce2936e65996a269d8ac3539163a19debc892d34f560a6ecdaa3642'],
    [300, '0x51abb3f7567dfc271d6724a0ef051cf9033c899edb18cc98a19214a3072720cd'],
    [1000, '0x0602ff900ad2c30b7335c84ab888467e61da58bb6cc729bca65433fb9f09287b'],
  ])('over %i items is what geth derives', (count, root) => {
    const items = Array.from({ length: count }, (_, index) => {
      const value = count + index
      return encodeBytes(Uint8Array.of(value >> 8, value & 0xff))
    })
    expect(bytesToHex(deriveListRoot(encodeList(items)))).toBe(root)
  })
})
