// Values of a state of a journal: that of the newest layer with the key, or, if no layer has it, the value on disk.
import type { Account } from '../../types/account.js'
import {
  accountChange,
  accountOfChange,
  type Change,
  slotChange,
  slotOfChange,
  slotsBelow,
  withChanges,
} from '../changes.js'
import type { AccountKey, ListedAccount, ListedSlot, SlotKey, StateValues } from '../state-values.js'

/** Accounts and slots of the layers of a journal. */
export interface StateLayers {
  /**
   * Slim account by the hash of its address in the newest layer up to `layer` that has it, empty if the layer deletes it;
   * undefined if none has it. A view of the journal.
   */
  account(layer: number, hash: Uint8Array): Uint8Array | undefined
  /** RLP of a slot by its hash and its owner's, as {@link account}. */
  slot(layer: number, hash: Uint8Array, owner: Uint8Array): Uint8Array | undefined
  /** Hashes of the accounts in the layers up to `layer`, ascending from `start` on, each once. */
  accountHashes(layer: number, start?: Uint8Array): Iterable<Uint8Array>
  /** Hashes of the slots of an account in the layers up to `layer`, in the same order. */
  slotHashes(layer: number, owner: Uint8Array, start?: Uint8Array): Iterable<Uint8Array>
  /** Whether a layer wiped the account, so that no slot on disk belongs to it any more. */
  isWiped(layer: number, owner: Uint8Array): boolean
}

/** Values of the state of one layer. */
export class LayeredValues implements StateValues {
  readonly #layers: StateLayers
  readonly #layer: number
  readonly #base: StateValues

  /** `base` has the values of the state below the lowest layer. */
  constructor(layers: StateLayers, layer: number, base: StateValues) {
    this.#layers = layers
    this.#layer = layer
    this.#base = base
  }

  account(key: AccountKey): Account | undefined {
    const slim = this.#layers.account(this.#layer, key.hash)
    return slim === undefined ? this.#base.account(key) : accountOfChange(slim)
  }

  slot(key: SlotKey, owner: AccountKey): Uint8Array {
    const value = this.#layers.slot(this.#layer, key.hash, owner.hash)
    // The storage root of the base may be another one, so the base finds its own.
    return value === undefined ? this.#base.slot(key, owner) : slotOfChange(value)
  }

  accounts(start?: Uint8Array): Iterable<ListedAccount> {
    return withChanges(this.#base.accounts(start), this.#accountChanges(start))
  }

  slots(account: ListedAccount, start?: Uint8Array): Iterable<ListedSlot> {
    const owner = account.hash
    const isWiped = this.#layers.isWiped(this.#layer, owner)
    const below = isWiped ? [] : slotsBelow(this.#base, owner, start)
    return withChanges(below, this.#slotChanges(owner, start))
  }

  *#accountChanges(start: Uint8Array | undefined): Generator<Change<ListedAccount>, void, undefined> {
    for (const hash of this.#layers.accountHashes(this.#layer, start)) {
      yield accountChange(hash, this.#layers.account(this.#layer, hash)!)
    }
  }

  *#slotChanges(
    owner: Uint8Array,
    start: Uint8Array | undefined,
  ): Generator<Change<ListedSlot>, void, undefined> {
    for (const hash of this.#layers.slotHashes(this.#layer, owner, start)) {
      yield slotChange(hash, this.#layers.slot(this.#layer, hash, owner)!)
    }
  }
}
