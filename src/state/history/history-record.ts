// Decodes the items of a record of state history: the accounts and slots that a transition changed, with their values
// before it. See ../FORMAT.md. Follows triedb/pathdb/history_state.go of geth 1.17.5 and history.go of 1.13.
import { compareBytes } from '../../bytes.js'

/** Known versions of records: with hashes of slots, and with slots (for blocks since Cancun, since geth 1.15). */
export const historyVersions: readonly number[] = [0, 1]

/** Item of table `history.meta`. Hashes are views. */
export interface HistoryMeta {
  /** 0: the record has hashes of slots; 1: it has slots. */
  readonly version: number
  /** Root before the transition. */
  readonly parent: Uint8Array
  /** Root after it. */
  readonly root: Uint8Array
  readonly block: number
  /** Addresses, one after the other, of accounts whose slots are not all recorded; geth up to 1.13 only. */
  readonly incomplete: Uint8Array
}

const metaLength = 73
const addressLength = 20

/** Version of a record, from its meta item; undefined for an empty item. */
export function historyVersion(meta: Uint8Array): number | undefined {
  return meta[0]
}

/** Decodes a meta item of a known version. Throws RangeError on damage. */
export function decodeHistoryMeta(item: Uint8Array): HistoryMeta {
  const incomplete = item.subarray(metaLength)
  if (item.length < metaLength || incomplete.length % addressLength !== 0) {
    throw new RangeError(`expected ${metaLength} bytes and whole addresses, found ${item.length} bytes`)
  }
  const view = new DataView(item.buffer, item.byteOffset, item.length)
  return {
    version: item[0]!,
    parent: item.subarray(1, 33),
    root: item.subarray(33, 65),
    block: Number(view.getBigUint64(65)),
    incomplete,
  }
}

/** Whether slots of an account are missing in the record. A slot that is not there may then have changed. */
export function isIncomplete({ incomplete }: HistoryMeta, address: Uint8Array): boolean {
  for (let at = 0; at < incomplete.length; at += addressLength) {
    if (compareBytes(incomplete.subarray(at, at + addressLength), address) === 0) return true
  }
  return false
}

/** Entry of table `account.index`. */
export interface AccountChange {
  /** Position in `account.data` of the slim account before the transition; no bytes if there was none. */
  readonly dataStart: number
  readonly dataLength: number
  /** Number of the first of its slots in `storage.index`. */
  readonly slotsStart: number
  readonly slotCount: number
}

/** Bytes of an entry of `account.index`: address, length, offset, first slot, number of slots. */
export const accountEntryLength = 33
/** Bytes of an entry of `storage.index`: slot, length, offset. */
export const slotEntryLength = 37

/** The entry of an address in an item of `account.index`; undefined if the transition did not change it. */
export function findAccountChange(item: Uint8Array, address: Uint8Array): AccountChange | undefined {
  const count = checkedCount(item, accountEntryLength)
  const entry = findEntry(item, address, { entryLength: accountEntryLength, first: 0, count })
  return entry === undefined ? undefined : decodeAccountEntry(item, entry)
}

/** Decodes an entry of an item of `account.index` by its number. The address is a view. */
export function decodeAccountEntry(
  item: Uint8Array,
  entry: number,
): AccountChange & { readonly address: Uint8Array } {
  const at = entry * accountEntryLength
  const view = new DataView(item.buffer, item.byteOffset, item.length)
  return {
    address: item.subarray(at, at + addressLength),
    dataLength: item[at + 20]!,
    dataStart: view.getUint32(at + 21),
    slotsStart: view.getUint32(at + 25),
    slotCount: view.getUint32(at + 29),
  }
}

/** Position in `storage.data` of the value of a slot before the transition; no bytes for zero. */
interface SlotChange {
  readonly dataStart: number
  readonly dataLength: number
}

/**
 * The entry of a slot, as its record's version names it, among those of one account in an item of `storage.index`;
 * undefined if the transition did not change it. Throws RangeError if the item ends before them.
 */
export function findSlotChange(
  item: Uint8Array,
  slot: Uint8Array,
  { slotsStart: first, slotCount: count }: Pick<AccountChange, 'slotsStart' | 'slotCount'>,
): SlotChange | undefined {
  if (first + count > checkedCount(item, slotEntryLength)) {
    throw new RangeError(`expected ${first + count} slots, found ${item.length / slotEntryLength}`)
  }
  const entry = findEntry(item, slot, { entryLength: slotEntryLength, first, count })
  return entry === undefined ? undefined : decodeSlotEntry(item, entry)
}

/**
 * Decodes an entry of an item of `storage.index` by its number. `slot`, a view, is the slot or its hash, by the version of
 * the record. Throws RangeError if the item ends before it.
 */
export function decodeSlotEntry(item: Uint8Array, entry: number): SlotChange & { readonly slot: Uint8Array } {
  const count = checkedCount(item, slotEntryLength)
  if (entry >= count) throw new RangeError(`expected at least ${entry + 1} slots, found ${count}`)
  const at = entry * slotEntryLength
  const view = new DataView(item.buffer, item.byteOffset, item.length)
  return {
    slot: item.subarray(at, at + 32),
    dataLength: item[at + 32]!,
    dataStart: view.getUint32(at + 33),
  }
}

/** The bytes of an entry in a data item. Throws RangeError if the item ends before them. */
export function changeData(item: Uint8Array, { dataStart, dataLength }: SlotChange): Uint8Array {
  const end = dataStart + dataLength
  if (end > item.length) throw new RangeError(`expected at least ${end} bytes, found ${item.length}`)
  return item.subarray(dataStart, end)
}

/** Number of entries in an item. Throws RangeError if the last one is not whole. */
export function checkedCount(item: Uint8Array, entryLength: number): number {
  if (item.length % entryLength === 0) return item.length / entryLength
  throw new RangeError(`expected whole entries of ${entryLength} bytes, found ${item.length} bytes`)
}

interface EntryRange {
  readonly entryLength: number
  readonly first: number
  readonly count: number
}

/** Finds an entry by the key at its start. Entries are sorted by it. */
function findEntry(
  item: Uint8Array,
  key: Uint8Array,
  { entryLength, first, count }: EntryRange,
): number | undefined {
  let low = first
  let high = first + count
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = middle * entryLength
    const order = compareBytes(item.subarray(at, at + key.length), key)
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle
  }
  return undefined
}
