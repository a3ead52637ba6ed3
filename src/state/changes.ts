// A listing of one state from that of another and what changed between them.

import { bytesToHex, compareBytes, equalBytes, hexToBytes } from '../bytes.js'
import { emptyRoot } from '../constants.js'
import { type Account, decodeSlimAccount, decodeSlot, zeroSlot } from '../types/account.js'
import type { ListedAccount, ListedSlot, StateListing } from './state-values.js'

/** What became of an account or slot; undefined if it is gone. */
export interface Change<T> {
  readonly hash: Uint8Array
  readonly entry: T | undefined
}

/** An account as journals and histories keep it: slim, no bytes where there is none. */
export function accountOfChange(slim: Uint8Array): Account | undefined {
  return slim.length === 0 ? undefined : decodeSlimAccount(slim)
}

/** A slot as journals and histories keep it: RLP, no bytes for zero. */
export function slotOfChange(rlp: Uint8Array): Uint8Array {
  return rlp.length === 0 ? zeroSlot : decodeSlot(rlp)
}

/** What became of the account with this hash, from its {@link accountOfChange} form. */
export function accountChange(hash: Uint8Array, slim: Uint8Array): Change<ListedAccount> {
  const account = accountOfChange(slim)
  return { hash, entry: account && { hash, account } }
}

/** What became of the slot with this hash, from its {@link slotOfChange} form. */
export function slotChange(hash: Uint8Array, rlp: Uint8Array): Change<ListedSlot> {
  return { hash, entry: rlp.length === 0 ? undefined : { hash, value: decodeSlot(rlp) } }
}

/** The entries of `base`, ascending by hash, with the changes, also ascending, applied. */
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

/** Slots of the account with this hash in another state than the one it was listed from, which may have none of it. */
export function slotsBelow(base: StateListing, owner: Uint8Array, start?: Uint8Array): Iterable<ListedSlot> {
  for (const found of base.accounts(owner)) {
    const isThere = equalBytes(found.hash, owner) && !equalBytes(found.account.storageRoot, emptyRoot)
    return isThere ? base.slots(found, start) : []
  }
  return []
}

/** The distinct hashes, ascending. */
export function sortedHashes(hashes: Iterable<Uint8Array>): Uint8Array[] {
  // Hex of equal length sorts as the bytes do.
  return [...new Set(Array.from(hashes, bytesToHex))].sort().map(hexToBytes)
}
