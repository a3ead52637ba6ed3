// A listing of one state from that of another and what changed between them.
import { bytesToHex, compareBytes, equalBytes, hexToBytes } from '../bytes.js'
import { emptyRoot } from '../types/account.js'
import type { ListedSlot, StateListing } from './state-values.js'

/** What became of an account or slot; undefined where it is gone. */
export interface Change<T> {
  readonly hash: Uint8Array
  readonly entry: T | undefined
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
