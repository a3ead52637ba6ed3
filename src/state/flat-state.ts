// Flat state: every account and slot of one state under its hash, without a trie. It is complete, or generated up to a
// marker. Follows core/rawdb/accessors_snapshot.go, core/state/snapshot/disklayer.go and triedb/pathdb/disklayer.go.

import { compareBytes, concatBytes } from '../bytes.js'
import { noBytes } from '../constants.js'
import { prefixRange } from '../ethdb/key-value-reader.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { isSnapshotDisabled, readSnapshotGenerator, readSnapshotRoot } from '../rawdb/markers.js'
import { keyLengths, prefixes, snapshotAccountKey, snapshotStorageKey } from '../rawdb/schema.js'
import { type Account, decodeSlimAccount, decodeSlot, zeroSlot } from '../types/account.js'
import type { AccountKey, ListedAccount, ListedSlot, SlotKey, StateValues } from './state-values.js'

/** The flat state on disk and its marker. */
interface FlatState {
  /** Root of its state. */
  readonly root: Uint8Array
  /**
   * Last key that is generated: an account hash, or an account and a slot hash; empty before the first. Undefined if
   * all are.
   */
  readonly marker: Uint8Array | undefined
}

/**
 * The flat state, undefined if there is none that may be used: never generated, switched off by a snap sync, or in the
 * middle of a large write. Throws DAMAGED if the records about it are.
 */
export function readFlatState(db: ChainDatabase): FlatState | undefined {
  if (isSnapshotDisabled(db)) return undefined
  const root = readSnapshotRoot(db)
  const generator = root && readSnapshotGenerator(db)
  if (root === undefined || generator === undefined) return undefined
  return {
    root: Uint8Array.from(root),
    marker: generator.isDone ? undefined : Uint8Array.from(generator.marker),
  }
}

/** Values of the generated part of a flat state. */
class FlatValues implements StateValues {
  readonly #db: ChainDatabase

  constructor(db: ChainDatabase) {
    this.#db = db
  }

  account({ hash }: Pick<AccountKey, 'hash'>): Account | undefined {
    const slim = this.#db.kv.get(snapshotAccountKey(hash))
    return slim && decodeSlimAccount(slim)
  }

  slot(key: SlotKey, owner: AccountKey): Uint8Array {
    const value = this.#db.kv.get(snapshotStorageKey(owner.hash, key.hash))
    return value === undefined ? zeroSlot : decodeSlot(value)
  }

  *accounts(start: Uint8Array = noBytes): Generator<ListedAccount, void, undefined> {
    const { end = noBytes } = prefixRange(prefixes.snapshotAccount)
    for (const { key, value } of this.#db.kv.scan({ start: snapshotAccountKey(start), end })) {
      // The key of a trie node of the hash scheme may begin with any byte.
      if (key.length !== keyLengths.snapshotAccount) continue
      yield { hash: key.slice(1), account: decodeSlimAccount(value) }
    }
  }

  *slots({ hash }: ListedAccount, start: Uint8Array = noBytes): Generator<ListedSlot, void, undefined> {
    const { end = noBytes } = prefixRange(snapshotStorageKey(hash, noBytes))
    for (const { key, value } of this.#db.kv.scan({ start: snapshotStorageKey(hash, start), end })) {
      if (key.length !== keyLengths.snapshotStorage) continue
      yield { hash: key.slice(33), value: decodeSlot(value) }
    }
  }
}

/** Values of a flat state up to its marker, and of another source with the same root after it. */
class PartlyFlatValues implements StateValues {
  readonly #flat: FlatValues
  readonly #marker: Uint8Array
  readonly #beyond: StateValues

  constructor(flat: FlatValues, marker: Uint8Array, beyond: StateValues) {
    this.#flat = flat
    this.#marker = marker
    this.#beyond = beyond
  }

  account(key: AccountKey): Account | undefined {
    return this.#covers(key.hash) ? this.#flat.account(key) : this.#beyond.account(key)
  }

  slot(key: SlotKey, owner: AccountKey, storageRoot?: Uint8Array): Uint8Array {
    return this.#covers(concatBytes(owner.hash, key.hash))
      ? this.#flat.slot(key, owner)
      : this.#beyond.slot(key, owner, storageRoot)
  }

  /** Listings are not split at the marker, since the other source is complete. */
  accounts(start?: Uint8Array): Iterable<ListedAccount> {
    return this.#beyond.accounts(start)
  }

  slots(account: ListedAccount, start?: Uint8Array): Iterable<ListedSlot> {
    return this.#beyond.slots(account, start)
  }

  #covers(key: Uint8Array): boolean {
    return compareBytes(key, this.#marker) <= 0
  }
}

/** Values of a flat state, completed by `beyond`; undefined if neither is complete. */
export function openFlatValues(
  db: ChainDatabase,
  { marker }: FlatState,
  beyond: StateValues | undefined,
): StateValues | undefined {
  const flat = new FlatValues(db)
  if (marker === undefined) return flat
  return beyond && new PartlyFlatValues(flat, marker, beyond)
}
