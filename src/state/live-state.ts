// One state in memory that moves on from block to block. It starts from a state on disk, reads from that what it does not have,
// and holds what was read and changed since. With the tries of the first state it computes the root of any later one.

import { bytesToHex, equalBytes, hexToBytes } from '../bytes.js'
import { emptyRoot } from '../constants.js'
import { keccak256 } from '../kernel/keccak.js'
import { LiveTrie, type PutNode } from '../trie/live-trie.js'
import { type LeafChange, removalsLast } from '../trie/update.js'
import {
  type Account,
  decodeAccount,
  decodeSlot,
  encodeAccount,
  encodeSlot,
  zeroSlot,
} from '../types/account.js'
import type { ChangedAccount } from './commit-changes.js'
import { decodeAt } from './state-errors.js'
import type { StateReader } from './state-source.js'
import type { TrieValues } from './trie-values.js'

/** Bytes that a node in memory, a slot and an account take at most on average, with their keys and objects (Node 20, 2026-11-22). */
const nodeBytes = 600
const slotBytes = 300
const accountBytes = 700

/** An account that was read or changed. */
interface LiveAccount {
  readonly address: Uint8Array
  /** Keccak of the address. */
  readonly hash: Uint8Array
  /** Its storage root is that of the last commit, or the empty one if the storage was deleted since. */
  account: Account | undefined
  /** Whether none of the storage of the first state is left. */
  isStorageGone: boolean
  /** Values by the hex of their slots. */
  readonly slots: Map<string, Uint8Array>
  /** Those that have changed since the last commit; undefined for none. */
  changedSlots: Set<string> | undefined
  storage: LiveTrie | undefined
}

/** What changes a state. */
interface StateChanges {
  changes(): Iterable<ChangedAccount>
  /** New codes by the hex of their hashes. */
  codes(): ReadonlyMap<string, Uint8Array>
}

/** A state that changes. It is the caller's, and not to be used again after one of its methods has thrown. */
export class LiveState implements StateReader {
  readonly #first: StateReader
  readonly #tries: TrieValues | undefined
  #trie: LiveTrie | undefined
  readonly #count = { nodes: 0 }
  readonly #accounts = new Map<string, LiveAccount>()
  /** Accounts that have changed since the last commit. */
  readonly #changed = new Set<LiveAccount>()
  readonly #codes = new Map<string, Uint8Array>()
  #slots = 0
  #root: Uint8Array

  /** Starts with the state of the reader. With `tries`, accounts and slots are read from these and roots can be computed. */
  constructor(first: StateReader, tries: TrieValues | undefined) {
    this.#first = first
    this.#tries = tries
    this.#root = first.root
    this.#trie = this.#openTrie()
  }

  /** The root of the last commit, or of the first state. */
  get root(): Uint8Array {
    return this.#root
  }

  /** Bytes that it takes in memory, roughly. */
  get bytes(): number {
    return this.#count.nodes * nodeBytes + this.#accounts.size * accountBytes + this.#slots * slotBytes
  }

  account(address: Uint8Array): Account | undefined {
    return this.#liveAccount(address).account
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const found = this.#liveAccount(address)
    if (found.account === undefined) return zeroSlot
    const hex = bytesToHex(slot)
    const known = found.slots.get(hex)
    if (known !== undefined) return known
    const value = this.#readSlot(found, slot)
    found.slots.set(hex, value)
    this.#slots++
    return value
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#codes.get(bytesToHex(codeHash)) ?? this.#first.code(codeHash)
  }

  /**
   * Moves on to the state after these changes. To apply changes twice, or with more of the same block, is as to apply them
   * once. Throws STATE_UNAVAILABLE and DAMAGED.
   */
  apply(state: StateChanges): void {
    for (const [hex, code] of state.codes()) this.#codes.set(hex, code)
    for (const { address, account, isStorageGone, slots } of state.changes()) {
      const found = this.#liveAccount(address)
      if (isStorageGone) this.#clearStorage(found)
      for (const [hex, value] of slots) this.#setSlot(found, hex, value)
      const { storageRoot } = found.account ?? { storageRoot: emptyRoot }
      found.account = account && { ...account, storageRoot }
      this.#changed.add(found)
    }
  }

  /**
   * Brings the tries up to date and returns the root; undefined without tries. Gives new trie nodes to `put`. Throws
   * STATE_UNAVAILABLE and DAMAGED.
   */
  commit(put?: PutNode): Uint8Array | undefined {
    const trie = this.#trie
    if (trie === undefined) return undefined
    const leaves: LeafChange[] = []
    for (const found of this.#changed) {
      decodeAt({ root: this.#first.root, account: found.address }, () => this.#commitStorage(found, put))
      leaves.push({ key: found.hash, value: found.account && encodeAccount(found.account) })
    }
    this.#changed.clear()
    for (const { key, value } of removalsLast(leaves)) {
      decodeAt({ root: this.#first.root, account: key }, () => trie.set(key, value))
    }
    this.#root = trie.root(put)
    return this.#root
  }

  /**
   * Drops what can be read again: all but the changes since the last commit. The nodes of that commit must be where those of
   * the first state are; a state without a commit may always do it.
   */
  forget(): void {
    this.#count.nodes = 0
    this.#trie = this.#openTrie()
    for (const [hex, found] of this.#accounts) {
      found.storage = undefined
      if (!this.#changed.has(found)) this.#accounts.delete(hex)
      for (const slot of found.slots.keys()) {
        if (found.changedSlots?.has(slot)) continue
        found.slots.delete(slot)
        this.#slots--
      }
    }
  }

  #openTrie(): LiveTrie | undefined {
    return this.#tries && new LiveTrie(this.#root, this.#tries.uncachedReader(), this.#count)
  }

  #clearStorage(found: LiveAccount): void {
    this.#slots -= found.slots.size
    found.slots.clear()
    found.changedSlots = undefined
    found.storage = undefined
    found.isStorageGone = true
    if (found.account !== undefined) found.account = { ...found.account, storageRoot: emptyRoot }
  }

  #setSlot(found: LiveAccount, hex: string, value: Uint8Array): void {
    const known = found.slots.get(hex)
    if (known !== undefined && equalBytes(known, value)) return
    if (known === undefined) this.#slots++
    found.slots.set(hex, value)
    found.changedSlots ??= new Set()
    found.changedSlots.add(hex)
  }

  #commitStorage(found: LiveAccount, put: PutNode | undefined): void {
    const { account, slots, changedSlots } = found
    if (account !== undefined && changedSlots !== undefined) {
      const leaves = Array.from(changedSlots, (hex): LeafChange => {
        const value = slots.get(hex)!
        const key = keccak256(hexToBytes(hex))
        return { key, value: equalBytes(value, zeroSlot) ? undefined : encodeSlot(value) }
      })
      const trie = this.#storageTrie(found)!
      for (const { key, value } of removalsLast(leaves)) trie.set(key, value)
      found.account = { ...account, storageRoot: trie.root(put) }
    }
    found.changedSlots = undefined
  }

  #liveAccount(address: Uint8Array): LiveAccount {
    const hex = bytesToHex(address)
    const known = this.#accounts.get(hex)
    if (known !== undefined) return known
    const hash = keccak256(address)
    const found = {
      address: Uint8Array.from(address),
      hash,
      account: this.#readAccount(address, hash),
      isStorageGone: false,
      slots: new Map(),
      changedSlots: undefined,
      storage: undefined,
    }
    this.#accounts.set(hex, found)
    return found
  }

  #readAccount(address: Uint8Array, hash: Uint8Array): Account | undefined {
    const trie = this.#trie
    if (trie === undefined) return this.#first.account(address)
    return decodeAt({ root: this.#first.root, account: address }, () => {
      const leaf = trie.get(hash)
      return leaf && decodeAccount(leaf)
    })
  }

  #readSlot(found: LiveAccount, slot: Uint8Array): Uint8Array {
    const { address } = found
    if (this.#tries === undefined) return found.isStorageGone ? zeroSlot : this.#first.storage(address, slot)
    if (found.storage === undefined && equalBytes(found.account!.storageRoot, emptyRoot)) return zeroSlot
    return decodeAt({ root: this.#first.root, account: address, slot }, () => {
      const leaf = this.#storageTrie(found)!.get(keccak256(slot))
      return leaf === undefined ? zeroSlot : decodeSlot(leaf)
    })
  }

  /** Undefined without tries. */
  #storageTrie(found: LiveAccount): LiveTrie | undefined {
    if (this.#tries === undefined) return undefined
    const root = found.account?.storageRoot ?? emptyRoot
    found.storage ??= new LiveTrie(root, this.#tries.uncachedReader(found.hash), this.#count)
    return found.storage
  }
}
