import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { recoverPublicKey } from '../../src/kernel/secp256k1/public-key.js'
import { encodeBytes, encodeInteger, encodeList } from '../../src/rlp/encode.js'
import {
  publicKeyAddress,
  recoverAuthority,
  recoverSender,
  transactionSignature,
} from '../../src/types/sender.js'
import type { Authorization } from '../../src/types/transaction.js'
import { gethRecords, recordedEnvelope } from './geth-records.js'

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The example transaction of EIP-155, signed with the key 0x46…46. */
const eip155 = hexToBytes(
  'f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
)
const eip155Signer = '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f'

/** A legacy transaction with these signature values. */
function legacy(v: bigint, r: bigint, s: bigint): { envelope: Uint8Array } {
  const unsigned = [1, 2, 3].map(encodeInteger)
  const empty = encodeBytes(new Uint8Array())
  const envelope = encodeList([...unsigned, empty, empty, empty, ...[v, r, s].map(encodeInteger)])
  return { envelope }
}

describe('recoverSender', () => {
  it.each(gethRecords.transactions.map(({ kind, answer }) => [kind, answer['from']]))(
    'finds who sent the %s transaction',
    (kind, from) => {
      expect(bytesToHex(recoverSender({ envelope: recordedEnvelope(String(kind)) })!)).toBe(from)
    },
  )

  it('hashes and recovers the example of EIP-155', () => {
    expect(bytesToHex(transactionSignature(eip155).hash)).toBe(
      '0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53',
    )
    expect(bytesToHex(recoverSender({ envelope: eip155 })!)).toBe(eip155Signer)
  })

  it('accepts a high s, as Frontier blocks do', () => {
    const { hash, signature, recoveryBit } = transactionSignature(eip155)
    const s = BigInt(bytesToHex(signature.subarray(32)))
    const high = Uint8Array.from(signature)
    high.set(hexToBytes((order - s).toString(16).padStart(64, '0')), 32)
    const key = recoverPublicKey(hash, high, recoveryBit === 0 ? 1 : 0)
    expect(key && bytesToHex(publicKeyAddress(key))).toBe(eip155Signer)
  })

  it('finds no sender if the signature is invalid', () => {
    expect(recoverSender(legacy(0n, 0n, 0n))).toBeUndefined()
    expect(recoverSender(legacy(27n, 0n, 1n))).toBeUndefined()
    expect(recoverSender(legacy(27n, 1n, 0n))).toBeUndefined()
    expect(recoverSender(legacy(27n, order, 1n))).toBeUndefined()
    expect(recoverSender(legacy(30n, 1n, 1n))).toBeUndefined()
    // 5 is the x coordinate of no point of the curve.
    expect(recoverSender(legacy(27n, 5n, 1n))).toBeUndefined()
  })

  it('reads chain ids beyond 64 bits from v', () => {
    const chainId = 2n ** 200n
    const even = transactionSignature(legacy(chainId * 2n + 35n, 1n, 1n).envelope)
    const odd = transactionSignature(legacy(chainId * 2n + 36n, 1n, 1n).envelope)
    expect([even.recoveryBit, odd.recoveryBit]).toEqual([0, 1])
    expect(even.hash).toEqual(odd.hash)
  })

  it('refuses an unknown transaction type', () => {
    expect(() => recoverSender({ envelope: hexToBytes('7ec0') })).toThrow('type 0 to 4, got type 126')
    expect(() => recoverSender({ envelope: hexToBytes('00c0') })).toThrow('type 0 to 4, got type 0')
  })
})

describe('recoverAuthority', () => {
  const recorded = gethRecords.transactions.find(({ kind }) => kind === 'type4')!
  const [tuple] = recorded.answer['authorizationList'] as Record<string, string>[]
  const authorization: Authorization = {
    chainId: BigInt(tuple!['chainId']!),
    address: hexToBytes(tuple!['address']!),
    nonce: BigInt(tuple!['nonce']!),
    yParity: Number(tuple!['yParity']),
    r: BigInt(tuple!['r']!),
    s: BigInt(tuple!['s']!),
  }

  it('finds no signer for a high s, a bad parity and values out of range', () => {
    expect(recoverAuthority({ ...authorization, s: order - authorization.s, yParity: 1 })).toBeUndefined()
    expect(recoverAuthority({ ...authorization, yParity: 2 })).toBeUndefined()
    expect(recoverAuthority({ ...authorization, r: order })).toBeUndefined()
    expect(recoverAuthority({ ...authorization, r: 0n })).toBeUndefined()
    expect(recoverAuthority({ ...authorization, r: 2n ** 256n })).toBeUndefined()
  })

  it('finds the signer of a recorded tuple', () => {
    expect(bytesToHex(recoverAuthority(authorization)!)).toBe('0xa7921a400f0bc9e747c7902b1b04652f3360887d')
  })
})
