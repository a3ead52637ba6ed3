import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { emptyCodeHash, emptyRoot } from '../../src/constants.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { decodeAccount, decodeSlimAccount, encodeAccount } from '../../src/types/account.js'

const codeHash = `0x${'cd'.repeat(32)}`
const storageRoot = `0x${'ab'.repeat(32)}`

describe('account', () => {
  it('has the hashes of nothing as its empty constants', () => {
    expect(bytesToHex(keccak256(new Uint8Array()))).toBe(bytesToHex(emptyCodeHash))
    expect(bytesToHex(keccak256(Uint8Array.of(0x80)))).toBe(bytesToHex(emptyRoot))
  })

  it('decodes from its full form and back', () => {
    const rlp = hexToBytes(`f84705831e8480a0${'ab'.repeat(32)}a0${'cd'.repeat(32)}`)
    const account = decodeAccount(rlp)
    expect(account).toEqual({
      nonce: 5n,
      balance: 2_000_000n,
      storageRoot: hexToBytes(storageRoot),
      codeHash: hexToBytes(codeHash),
    })
    expect(bytesToHex(encodeAccount(account))).toBe(bytesToHex(rlp))
    expect(account.codeHash.buffer).not.toBe(rlp.buffer)
  })

  it('decodes from its slim form with empty hashes standing for the constants', () => {
    expect(decodeSlimAccount(hexToBytes('c405018080'))).toEqual({
      nonce: 5n,
      balance: 1n,
      storageRoot: emptyRoot,
      codeHash: emptyCodeHash,
    })
    const contract = decodeSlimAccount(hexToBytes(`f8440180a0${'ab'.repeat(32)}a0${'cd'.repeat(32)}`))
    expect(bytesToHex(contract.storageRoot)).toBe(storageRoot)
    expect(bytesToHex(contract.codeHash)).toBe(codeHash)
  })

  it('is refused if the slim form is read as the full form, or if bytes follow', () => {
    expect(() => decodeAccount(hexToBytes('c405018080'))).toThrow('expected 32 bytes, found 0')
    expect(() => decodeSlimAccount(hexToBytes('c40501808080'))).toThrow('expected the end')
    expect(() => decodeSlimAccount(hexToBytes('c50501808080'))).toThrow('expected the end')
  })
})
