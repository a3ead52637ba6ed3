// Values of an old state of the path scheme. Each is what the first transition after the state replaced; if none replaced it,
// it is the value of the newest state. Follows triedb/pathdb/history_reader.go.

import { bytesToHex } from '../../bytes.js'
import { GethReaderError } from '../../errors.js'
import type { ChainDatabase } from '../../rawdb/chain-database.js'
import { readStateId } from '../../rawdb/state.js'
import type { Account } from '../../types/account.js'
import { accountOfChange, slotOfChange, slotsBelow, withChanges } from '../changes.js'
import { stateUnavailable } from '../state-errors.js'
import type { AccountKey, ListedAccount, ListedSlot, SlotKey, StateValues } from '../state-values.js'
import { HistoryChanges } from './history-changes.js'
import { readAccountChangeAfter, readSlotChangeAfter } from './history-index.js'
import type { StateHistory } from './state-history.js'
import type { RecordRange, UnindexedChanges } from './unindexed-changes.js'

/** Histories up to the newest state that can be read without them. */
export interface HistoryChain {
  readonly db: ChainDatabase
  readonly history: StateHistory
  readonly unindexed: UnindexedChanges
  /** Last indexed id; 0 if there is no index. */
  readonly indexedTo: number
  /** The state after the newest record that is used. */
  readonly base: { readonly id: number; readonly values: StateValues }
}

/** Most transitions after a state that can be listed. Their changes are in memory: some hundred megabytes on mainnet. */
const listedTransitions = 1024

/** Values of the state with this id and root, from the oldest state of the chain up to its base. */
export class HistoryValues implements StateValues {
  readonly #chain: HistoryChain
  readonly #id: number
  readonly #root: Uint8Array
  #changes: HistoryChanges | undefined

  constructor(chain: HistoryChain, id: number, root: Uint8Array) {
    this.#chain = chain
    this.#id = id
    this.#root = root
  }

  account(key: AccountKey): Account | undefined {
    const { db, history, unindexed, base } = this.#chain
    const change = this.#firstChange(
      () => readAccountChangeAfter(db, key.hash, this.#id),
      (range) => unindexed.firstAccountChange(key, range),
    )
    if (change === undefined) return base.values.account(key)
    const slim = history.accountBefore(change, key.address) ?? this.#throwMissing(change, key)
    return accountOfChange(slim)
  }

  slot(key: SlotKey, owner: AccountKey): Uint8Array {
    const { db, history, unindexed, base } = this.#chain
    const change = this.#firstChange(
      () => readSlotChangeAfter(db, { owner: owner.hash, hash: key.hash, id: this.#id }),
      (range) => unindexed.firstSlotChange(key, owner, range),
    )
    if (change === undefined) return base.values.slot(key, owner)
    const value = history.slotBefore(change, owner.address, key) ?? this.#throwMissing(change, owner, key)
    return slotOfChange(value)
  }

  accounts(start?: Uint8Array): Iterable<ListedAccount> {
    return withChanges(this.#chain.base.values.accounts(start), this.#allChanges().accounts(start))
  }

  slots({ hash }: ListedAccount, start?: Uint8Array): Iterable<ListedSlot> {
    const changes = this.#allChanges()
    if (changes.isIncomplete(hash)) throw stateUnavailable(this.#root)
    const below = slotsBelow(this.#chain.base.values, hash, start)
    return withChanges(below, changes.slots(hash, start))
  }

  /** Everything that has changed since this state, read once. */
  #allChanges(): HistoryChanges {
    if (this.#changes === undefined) {
      const { history, base } = this.#chain
      if (base.id - this.#id > listedTransitions) throw this.#tooFarForListing(base.id - this.#id)
      this.#changes = new HistoryChanges(history, { from: this.#id + 1, to: base.id })
      if (history.items.oldestState > this.#id) throw stateUnavailable(this.#root)
    }
    return this.#changes
  }

  #tooFarForListing(behind: number): GethReaderError {
    const root = bytesToHex(this.#root)
    return new GethReaderError('STATE_UNAVAILABLE', `historical state ${root.slice(2)} is not available`, {
      root,
      limit: listedTransitions,
      available: `single values; listings of states at most ${listedTransitions} transitions behind the newest on disk, this one is ${behind} behind`,
    })
  }

  /** Id of the first transition after this state, up to the base, that changed a value. */
  #firstChange(
    inIndex: () => number | undefined,
    inRecords: (range: RecordRange) => number | undefined,
  ): number | undefined {
    const { indexedTo, base, history } = this.#chain
    let change: number | undefined
    if (this.#id < indexedTo) {
      // Ids above the last indexed one are of states that were rolled back.
      const indexed = inIndex()
      if (indexed !== undefined && indexed <= Math.min(indexedTo, base.id)) change = indexed
    }
    if (change === undefined && indexedTo < base.id) {
      change = inRecords({ from: Math.max(this.#id, indexedTo) + 1, to: base.id })
    }
    // A running geth may have removed records during the search, also the one with the change.
    if (history.items.oldestState > this.#id) throw stateUnavailable(this.#root)
    if (change !== undefined) this.#checkRecord(change)
    return change
  }

  /** Checks a record again: a node that rewinds its chain replaces records under a view. */
  #checkRecord(id: number): void {
    const { db, history } = this.#chain
    const meta = history.meta(id)
    if (meta === undefined || readStateId(db, meta.root) === id) return
    throw new GethReaderError(
      'VIEW_UNSTABLE',
      `state history ${id} is no longer that of this view: geth rewound the chain; take a new view`,
      { table: 'history.meta', item: id - 1, root: bytesToHex(this.#root) },
    )
  }

  /** The error if a record does not have the change, or is gone. */
  #throwMissing(id: number, { address }: AccountKey, slot?: SlotKey): never {
    if (this.#chain.history.items.oldestState >= id) throw stateUnavailable(this.#root)
    const what = `account ${bytesToHex(address)}${slot ? ` slot ${bytesToHex(slot.slot)}` : ''}`
    const table = slot ? 'storage.index' : 'account.index'
    throw new GethReaderError(
      'DAMAGED',
      `item ${id - 1} of table ${table}: expected ${what}, which the index of state history names`,
      { table, item: id - 1, key: bytesToHex(slot?.slot ?? address), root: bytesToHex(this.#root) },
    )
  }
}
