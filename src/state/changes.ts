// The listing of one state, from that of another state and the changes between them.

import { bytesToHex, compareBytes, equalBytes, hexToBytes } from '../bytes.js'
import { emptyRoot } from '../constants.js'
import { type Account, decodeSlimAccount, decodeSlot, zeroSlot } from '../types/account.js'
import type { ListedAccount, ListedSlot, StateListing } from './state-values.js'

/** The new entry of a changed account or slot; undefined if it is deleted. */
export interface Change<T> {
  readonly hash: Uint8Array
  readonly entry: T | undefined
}

/** Decodes an account of a journal or history: a slim account, or no bytes if there is none. */
export function accountOfChange(slim: Uint8Array): Account | undefined {
  return slim.length === 0 ? undefined : decodeSlimAccount(slim)
}

/** Decodes a slot of a journal or history: RLP, or no bytes for zero. */
export function slotOfChange(rlp: Uint8Array): Uint8Array {
  return rlp.length === 0 ? zeroSlot : decodeSlot(rlp)
}

/** The change of the account with this hash, from the form of {@link accountOfChange}. */
export function accountChange(hash: Uint8Array, slim: Uint8Array): Change<ListedAccount> {
  const account = accountOfChange(slim)
  return { hash, entry: account && { hash, account } }
}

/** The change of the slot with this hash, from the form of {@link slotOfChange}. */
export function slotChange(hash: Uint8Array, rlp: Uint8Array): Change<ListedSlot> {
  return { hash, entry: rlp.length === 0 ? undefined : { hash, value: decodeSlot(rlp) } }
}

/** The entries of `base` with the changes applied. Both are ascending by hash. */
export function* withChanges<T extends { readonly hash: Uint8Array }>(
  base: Iterable<T>,
  changes: Iterable<Change<T>>,
): Generator<T, void, undefined> {
  const pending = changes[Symbol.iterator]()
  let change = pending.next()
  for (const entry of base) {
    let order = -1
    while (!change.done && order <= 0) {
      order = compareBytes(change.value.hash, entry.hash)
      if (order > 0) break
      if (change.value.entry !== undefined) yield change.value.entry
      change = pending.next()
      if (order === 0) break
    }
    if (order !== 0) yield entry
  }
  for (; !change.done; change = pending.next()) {
    if (change.value.entry !== undefined) yield change.value.entry
  }
}

/** Slots of the account with this hash in the state `base`, which may not have the account. */
export function slotsBelow(base: StateListing, owner: Uint8Array, start?: Uint8Array): Iterable<ListedSlot> {
  for (const found of base.accounts(owner)) {
    const isThere = equalBytes(found.hash, owner) && !equalBytes(found.account.storageRoot, emptyRoot)
    return isThere ? base.slots(found, start) : []
  }
  return []
}

/** The hashes in ascending order, each once. */
export function sortedHashes(hashes: Iterable<Uint8Array>): Uint8Array[] {
  // Hex of equal length sorts as the bytes do.
  return [...new Set(Array.from(hashes, bytesToHex))].sort().map(hexToBytes)
}
