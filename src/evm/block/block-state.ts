// The state inside of a block: the changes of its transactions so far, over the state before it. Each transaction runs on
// its own overlay, whose changes are added at its end. Follows Finalise of core/state/statedb.go.

import { bytesToHex, equalBytes } from '../../bytes.js'
import { emptyRoot } from '../../constants.js'
import type { StateReader } from '../../state/state-source.js'
import type { Account } from '../../types/account.js'
import { zeroSlot } from '../../types/account.js'
import type { OverlayAccount } from '../overlay/overlay-account.js'
import type { StateOverlay } from '../overlay/state-overlay.js'

/** An account that a block changed. */
interface ChangedAccount {
  readonly address: Uint8Array
  /** Undefined if it was deleted. Its storage root is that before the block, or the empty one. */
  readonly account: Account | undefined
  /** Whether all storage from before the block is gone. */
  readonly isStorageGone: boolean
  /** Values of the slots that were set, by slot in hex; zeros for cleared slots. Some values may equal the old ones. */
  readonly slots: ReadonlyMap<string, Uint8Array>
}

interface Entry {
  readonly address: Uint8Array
  account: Account | undefined
  isStorageGone: boolean
  readonly slots: Map<string, Uint8Array>
}

/** Changes of one block as a state that the next transaction reads. */
export class BlockState implements StateReader {
  readonly #before: StateReader
  readonly #changed = new Map<string, Entry>()
  readonly #codes = new Map<string, Uint8Array>()

  readonly onCode: StateReader['onCode']

  constructor(before: StateReader) {
    this.#before = before
    this.onCode = before.onCode
  }

  /** The root of the state before the block. */
  get root(): Uint8Array {
    return this.#before.root
  }

  account(address: Uint8Array): Account | undefined {
    const entry = this.#changed.get(bytesToHex(address))
    return entry ? entry.account : this.#before.account(address)
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const entry = this.#changed.get(bytesToHex(address))
    const value = entry?.slots.get(bytesToHex(slot))
    if (value !== undefined) return value
    return entry?.isStorageGone ? zeroSlot : this.#before.storage(address, slot)
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#codes.get(bytesToHex(codeHash)) ?? this.#before.code(codeHash)
  }

  /** All accounts that were changed. */
  changes(): Iterable<ChangedAccount> {
    return this.#changed.values()
  }

  /** Codes that were placed, by hex of their hashes. */
  codes(): ReadonlyMap<string, Uint8Array> {
    return this.#codes
  }

  /**
   * Adds the changes of an overlay on this state. Deletes accounts that destroyed themselves and, from Spurious Dragon on,
   * touched accounts that are empty.
   */
  commit(overlay: StateOverlay, deletesEmpty: boolean): void {
    for (const account of overlay.accounts()) {
      const isDeleted =
        !account.exists ||
        account.selfDestructed ||
        (deletesEmpty && account.touched && overlay.isEmpty(account))
      if (isDeleted) this.#delete(account)
      else this.#keep(account, overlay)
    }
    for (const { account, key, value } of overlay.changedSlots()) {
      const entry = this.#changed.get(bytesToHex(account.address))
      if (entry?.account !== undefined) entry.slots.set(bytesToHex(key), value)
    }
  }

  #delete({ address }: OverlayAccount): void {
    if (this.account(address) === undefined) return
    const entry = this.#entry(address)
    entry.account = undefined
    entry.isStorageGone = true
    entry.slots.clear()
  }

  #keep(account: OverlayAccount, overlay: StateOverlay): void {
    const { address, nonce, balance, codeHash } = account
    const before = this.account(address)
    const isSame = before?.nonce === nonce && before.balance === balance
    if (isSame && !account.touched && !account.storageReplaced) return
    if (before === undefined || !equalBytes(before.codeHash, codeHash)) {
      const code = overlay.code(account)
      if (code.length > 0) this.#codes.set(bytesToHex(codeHash), code)
    }
    const storageRoot = before?.storageRoot ?? emptyRoot
    const entry = this.#entry(address)
    entry.account = { nonce, balance, codeHash, storageRoot }
    if (!account.storageReplaced) return
    entry.isStorageGone = true
    entry.slots.clear()
  }

  #entry(address: Uint8Array): Entry {
    const hex = bytesToHex(address)
    let entry = this.#changed.get(hex)
    if (entry === undefined) {
      const account = this.#before.account(address)
      entry = { address, account, isStorageGone: account === undefined, slots: new Map() }
      this.#changed.set(hex, entry)
    }
    return entry
  }
}
