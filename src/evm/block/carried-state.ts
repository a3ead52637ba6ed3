// A state that moves from block to block: the values that executed blocks have changed, over the state before the first of
// them. No tries are computed, so it has no root of its own.
import { bytesToHex } from '../../bytes.js'
import type { StateReader } from '../../state/state-source.js'
import { type Account, zeroSlot } from '../../types/account.js'
import type { BlockState } from './block-state.js'

/** What the blocks have done to the storage of an account. */
interface CarriedStorage {
  /** Whether all slots from before the first block are gone. */
  isReplaced: boolean
  /** Values by slot in hex. */
  readonly slots: Map<string, Uint8Array>
}

/** The state after the blocks that were added, in their order. */
export class CarriedState implements StateReader {
  /** Root of the state before the first block. */
  readonly root: Uint8Array
  readonly #base: StateReader
  /** Changed accounts by address in hex; undefined for those that were deleted. */
  readonly #accounts = new Map<string, Account | undefined>()
  readonly #storage = new Map<string, CarriedStorage>()
  readonly #codes = new Map<string, Uint8Array>()

  constructor(base: StateReader) {
    this.root = base.root
    this.#base = base
  }

  account(address: Uint8Array): Account | undefined {
    const key = bytesToHex(address)
    return this.#accounts.get(key) ?? (this.#accounts.has(key) ? undefined : this.#base.account(address))
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const changed = this.#storage.get(bytesToHex(address))
    const value = changed?.slots.get(bytesToHex(slot))
    if (value !== undefined) return value
    return changed?.isReplaced ? zeroSlot : this.#base.storage(address, slot)
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#codes.get(bytesToHex(codeHash)) ?? this.#base.code(codeHash)
  }

  /** Adds the changes of the next block, which was executed on this state. */
  add(block: BlockState): void {
    for (const { address, account, isStorageGone, slots } of block.changes()) {
      const key = bytesToHex(address)
      this.#accounts.set(key, account)
      if (!isStorageGone && slots.size === 0) continue
      let storage = this.#storage.get(key)
      if (storage === undefined) {
        storage = { isReplaced: false, slots: new Map() }
        this.#storage.set(key, storage)
      }
      if (isStorageGone) {
        storage.isReplaced = true
        storage.slots.clear()
      }
      for (const [slot, value] of slots) storage.slots.set(slot, value)
    }
    for (const [hash, code] of block.codes()) this.#codes.set(hash, code)
  }
}
