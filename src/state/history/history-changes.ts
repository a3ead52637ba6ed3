// All values that the transitions from one state to a later one replaced. Listings of old states need them; the index does
// not help there.
import { bytesToHex, hexToBytes } from '../../bytes.js'
import { keccak256 } from '../../kernel/keccak.js'
import { accountChange, type Change, slotChange } from '../changes.js'
import type { ListedAccount, ListedSlot } from '../state-values.js'
import {
  accountEntryLength,
  changeData,
  checkedCount,
  decodeAccountEntry,
  decodeSlotEntry,
} from './history-record.js'
import type { StateHistory } from './state-history.js'
import type { RecordRange } from './unindexed-changes.js'

/** For each value that a range of transitions changed: the value before the first change. */
export class HistoryChanges {
  /** Slim accounts by hex of their hashes; no bytes if there was no account. */
  readonly #accounts = new Map<string, Uint8Array>()
  /** RLP of slots by hex of account and slot hash; no bytes for zero. */
  readonly #slots = new Map<string, Map<string, Uint8Array>>()
  /** Accounts whose slots are not all recorded. */
  readonly #incomplete = new Set<string>()

  /** Reads the records of a range. The oldest record with a value counts. Records that are gone are left out. */
  constructor(history: StateHistory, { from, to }: RecordRange) {
    for (let id = from; id <= to; id++) this.#addRecord(history, id)
  }

  /** Accounts from `start` on, ascending. */
  *accounts(start?: Uint8Array): Generator<Change<ListedAccount>, void, undefined> {
    for (const hex of sortedFrom(this.#accounts.keys(), start)) {
      yield accountChange(hexToBytes(hex), this.#accounts.get(hex)!)
    }
  }

  /** Slots of the account with this hash from `start` on, ascending. */
  *slots(account: Uint8Array, start?: Uint8Array): Generator<Change<ListedSlot>, void, undefined> {
    const slots = this.#slots.get(bytesToHex(account)) ?? new Map<string, Uint8Array>()
    for (const hex of sortedFrom(slots.keys(), start)) {
      yield slotChange(hexToBytes(hex), slots.get(hex)!)
    }
  }

  /** Whether this account had slots that geth did not record. */
  isIncomplete(account: Uint8Array): boolean {
    return this.#incomplete.has(bytesToHex(account))
  }

  #addRecord(history: StateHistory, id: number): void {
    const meta = history.meta(id)
    const accounts = history.items.read('account.index', id)
    const accountData = history.items.read('account.data', id)
    const slots = history.items.read('storage.index', id)
    const slotData = history.items.read('storage.data', id)
    if (!meta || !accounts || !accountData || !slots || !slotData) return
    for (let at = 0; at < meta.incomplete.length; at += 20) {
      this.#incomplete.add(bytesToHex(keccak256(meta.incomplete.subarray(at, at + 20))))
    }
    const hashOfSlot = meta.version === 0 ? (slot: Uint8Array) => slot : keccak256
    const count = history.items.decode('account.index', id, () => checkedCount(accounts, accountEntryLength))
    for (let i = 0; i < count; i++) {
      const { address, ...change } = decodeAccountEntry(accounts, i)
      const owner = bytesToHex(keccak256(address))
      if (!this.#accounts.has(owner)) {
        const slim = history.items.decode('account.data', id, () => changeData(accountData, change))
        this.#accounts.set(owner, slim)
      }
      const ofOwner = this.#slots.get(owner) ?? new Map<string, Uint8Array>()
      if (change.slotCount > 0) this.#slots.set(owner, ofOwner)
      for (let slot = change.slotsStart; slot < change.slotsStart + change.slotCount; slot++) {
        const entry = history.items.decode('storage.index', id, () => decodeSlotEntry(slots, slot))
        const hash = bytesToHex(hashOfSlot(entry.slot))
        if (ofOwner.has(hash)) continue
        ofOwner.set(
          hash,
          history.items.decode('storage.data', id, () => changeData(slotData, entry)),
        )
      }
    }
  }
}

/** Hex of equal length sorts as the bytes do. */
function sortedFrom(keys: Iterable<string>, start: Uint8Array | undefined): string[] {
  const first = start === undefined ? '' : bytesToHex(start)
  return [...keys].filter((key) => key >= first).sort()
}
