// An account and the value of a slot: as the leaves of the state tries hold them, and the slim account of snapshots,
// journals and state history. Follows core/types/state_account.go.
import { equalBytes } from '../bytes.js'
import { emptyCodeHash, emptyRoot } from '../constants.js'
import { RlpCursor } from '../rlp/cursor.js'
import { encodeBytes, encodeInteger, encodeList } from '../rlp/encode.js'

export interface Account {
  readonly nonce: bigint
  readonly balance: bigint
  readonly storageRoot: Uint8Array
  readonly codeHash: Uint8Array
}

/** Decodes the account of a trie leaf. Its byte fields are copies. Throws RlpError on damage. */
export function decodeAccount(rlp: Uint8Array): Account {
  const cursor = new RlpCursor(rlp)
  const outer = cursor.enterList()
  const account = {
    nonce: cursor.readBigInt(),
    balance: cursor.readBigInt(),
    storageRoot: ownHash(cursor.readBytes(32), emptyRoot),
    codeHash: ownHash(cursor.readBytes(32), emptyCodeHash),
  }
  cursor.leaveList(outer)
  cursor.expectEnd()
  return account
}

/** As {@link decodeAccount}, for a slim account: one that has no bytes in place of the empty root or code hash. */
export function decodeSlimAccount(rlp: Uint8Array): Account {
  const cursor = new RlpCursor(rlp)
  const outer = cursor.enterList()
  const account = {
    nonce: cursor.readBigInt(),
    balance: cursor.readBigInt(),
    storageRoot: ownHash(cursor.readOptionalBytes(32), emptyRoot),
    codeHash: ownHash(cursor.readOptionalBytes(32), emptyCodeHash),
  }
  cursor.leaveList(outer)
  cursor.expectEnd()
  return account
}

/** A copy of a hash, or the shared constant if it is the empty one: most accounts then need no array of their own. */
function ownHash(hash: Uint8Array | undefined, empty: Uint8Array): Uint8Array {
  return hash === undefined || equalBytes(hash, empty) ? empty : Uint8Array.from(hash)
}

/** Value of an unset slot. Shared: never change it. */
export const zeroSlot = new Uint8Array(32)

/**
 * Value of a slot, as 32 bytes, from its stored form: an RLP string without leading zeros. Throws RlpError or RangeError
 * on damage.
 */
export function decodeSlot(rlp: Uint8Array): Uint8Array {
  const cursor = new RlpCursor(rlp)
  const digits = cursor.readBytes()
  cursor.expectEnd()
  if (digits.length > 32) throw new RangeError(`expected a slot of at most 32 bytes, found ${digits.length}`)
  const value = new Uint8Array(32)
  value.set(digits, 32 - digits.length)
  return value
}

/** The stored form of a slot that is set. */
export function encodeSlot(value: Uint8Array): Uint8Array {
  return encodeBytes(value.subarray(value.findIndex((byte) => byte !== 0)))
}

/** Encodes an account as the leaves of tries hold it. */
export function encodeAccount(account: Account): Uint8Array {
  return encodeList([
    encodeInteger(account.nonce),
    encodeInteger(account.balance),
    encodeBytes(account.storageRoot),
    encodeBytes(account.codeHash),
  ])
}
