// The tries of a state after changes to accounts and slots, from the tries before. Follows Commit of core/state/statedb.go.

import { equalBytes, hexToBytes } from '../bytes.js'
import { emptyRoot } from '../constants.js'
import { keccak256 } from '../kernel/keccak.js'
import type { PutNode } from '../trie/live-trie.js'
import { type LeafChange, removalsLast, updateTrie } from '../trie/update.js'
import { type Account, encodeAccount, encodeSlot, zeroSlot } from '../types/account.js'
import type { TrieValues } from './trie-values.js'

/** A changed account, as BlockState of evm/ returns it. */
export interface ChangedAccount {
  readonly address: Uint8Array
  /** Undefined if it is deleted. */
  readonly account: Account | undefined
  /** Whether its storage is deleted before the slots are set. */
  readonly isStorageGone: boolean
  /** Values of slots by their hex. */
  readonly slots: ReadonlyMap<string, Uint8Array>
}

/** The root after the changes. Reads the nodes on the paths to them. Throws STATE_UNAVAILABLE, and RangeError on damage. */
export function commitChanges(
  before: TrieValues,
  changes: Iterable<ChangedAccount>,
  put: PutNode,
): Uint8Array {
  const leaves: LeafChange[] = []
  for (const change of changes) {
    const key = keccak256(change.address)
    const account = change.account && {
      ...change.account,
      storageRoot: storageRoot(before, key, change, put),
    }
    leaves.push({ key, value: account && encodeAccount(account) })
  }
  return updateTrie(before.root, removalsLast(leaves), { ...before.nodeReader(), put })
}

function storageRoot(
  before: TrieValues,
  owner: Uint8Array,
  { isStorageGone, slots }: ChangedAccount,
  put: PutNode,
): Uint8Array {
  const stored = isStorageGone ? undefined : before.account({ hash: owner })
  const root = stored?.storageRoot ?? emptyRoot
  if (slots.size === 0) return root
  const leaves = Array.from(slots, ([slot, value]): LeafChange => {
    const key = keccak256(hexToBytes(slot))
    if (equalBytes(value, zeroSlot)) return { key, value: undefined }
    return { key, value: encodeSlot(value) }
  })
  return updateTrie(root, removalsLast(leaves), { ...before.nodeReader(owner), put })
}
