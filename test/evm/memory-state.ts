// A state in memory for tests: accounts by address, changed by nobody.

import { hexToBytes } from '../../src/bytes.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import type { StateReader } from '../../src/state/state-source.js'
import type { Account } from '../../src/types/account.js'

export interface MemoryAccount {
  readonly nonce: bigint
  readonly balance: bigint
  readonly code: Uint8Array
  /** Values by slot, both 32 bytes in hex with 0x. */
  readonly storage: ReadonlyMap<string, string>
}

const zeroHash = new Uint8Array(32)

/** A reader over accounts by lower-case hex address with 0x. */
export function memoryState(accounts: ReadonlyMap<string, MemoryAccount>): StateReader {
  const codes = new Map<string, Uint8Array>()
  const stored = new Map<string, Account>()
  for (const [address, { nonce, balance, code }] of accounts) {
    const codeHash = keccak256(code)
    codes.set(hex(codeHash), code)
    stored.set(address, { nonce, balance, storageRoot: zeroHash, codeHash })
  }
  return {
    root: zeroHash,
    account: (address) => stored.get(hex(address)),
    storage(address, slot) {
      const value = accounts.get(hex(address))?.storage.get(hex(slot))
      return value === undefined ? zeroHash : hexToBytes(value)
    },
    code(codeHash) {
      const code = codes.get(hex(codeHash))
      if (code === undefined) throw new RangeError(`no code with hash ${hex(codeHash)}`)
      return code
    },
  }
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}
