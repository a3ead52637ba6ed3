// Finds the transitions that changed an account or slot, in histories that geth has not indexed, by reading them. The
// changes are cached as sorted fingerprints of four bytes, so that each record is read once and later searches take
// microseconds.

import type { LRUCache } from 'lru-cache'
import { bytesToHex } from '../../bytes.js'
import { noBytes } from '../../constants.js'
import { firstNotBelow } from '../../first-not-below.js'
import type { AccountKey, SlotKey } from '../state-values.js'
import { accountEntryLength, checkedCount, decodeAccountEntry, slotEntryLength } from './history-record.js'
import type { StateHistory } from './state-history.js'

/** Records of one table of fingerprints. The number of a record in it fills the low byte. */
const chunkRecords = 256

/** Ids of records, both ends included. */
export interface RecordRange {
  readonly from: number
  readonly to: number
}

interface Search {
  readonly kind: 'accounts' | 'slots'
  readonly fingerprints: readonly number[]
  isChangedIn(id: number): boolean
}

/** Searches the records of a history. */
export class UnindexedChanges {
  readonly #history: StateHistory
  readonly #tables: LRUCache<string, Uint32Array>

  /** The cache of tables may serve other views too: the name of a table has the root of the state after its records. */
  constructor(history: StateHistory, tables: LRUCache<string, Uint32Array>) {
    this.#history = history
    this.#tables = tables
  }

  /** First record of the range that changed the account; undefined if none did. */
  firstAccountChange({ address }: AccountKey, range: RecordRange): number | undefined {
    return this.#first(range, {
      kind: 'accounts',
      fingerprints: [fingerprint(address, accountSeed)],
      isChangedIn: (id) => this.#history.accountChange(id, address) !== undefined,
    })
  }

  /** First record of the range that changed the slot. Throws STATE_UNAVAILABLE if that cannot be known. */
  firstSlotChange(key: SlotKey, { address }: AccountKey, range: RecordRange): number | undefined {
    const owner = fingerprint(address, slotSeed)
    return this.#first(range, {
      kind: 'slots',
      // Records have slots or their hashes, and some accounts as a whole.
      fingerprints: [fingerprint(key.hash, owner), fingerprint(key.slot, owner), owner],
      isChangedIn: (id) => this.#history.slotBefore(id, address, key) !== undefined,
    })
  }

  #first({ from, to }: RecordRange, { kind, fingerprints, isChangedIn }: Search): number | undefined {
    for (let chunk = chunkOf(from); chunk <= chunkOf(to); chunk++) {
      const table = this.#table(kind, chunk)
      const candidates = fingerprints.flatMap((wanted) => recordsWith(table, wanted))
      candidates.sort((a, b) => a - b)
      for (const record of candidates) {
        const id = chunk * chunkRecords + record
        if (id >= from && id <= to && isChangedIn(id)) return id
      }
    }
    return undefined
  }

  /** Fingerprints with record numbers, ascending. */
  #table(kind: Search['kind'], chunk: number): Uint32Array {
    const history = this.#history
    const first = Math.max(chunk * chunkRecords, history.items.oldestState + 1)
    const last = Math.min(chunk * chunkRecords + chunkRecords - 1, history.items.newest)
    const root = history.meta(last)?.root ?? noBytes
    const name = `${kind} ${first} ${last} ${bytesToHex(root)}`
    let table = this.#tables.get(name)
    if (table === undefined) {
      table = kind === 'accounts' ? this.#accountTable(first, last) : this.#slotTable(first, last)
      this.#tables.set(name, table)
    }
    return table
  }

  #accountTable(first: number, last: number): Uint32Array {
    const found = new Fingerprints()
    for (const { id, item } of this.#history.items.scan('account.index', first, last)) {
      this.#history.items.decode('account.index', id, () => {
        const count = checkedCount(item, accountEntryLength)
        for (let entry = 0; entry < count; entry++) {
          found.add(fingerprint(decodeAccountEntry(item, entry).address, accountSeed), id)
        }
      })
    }
    return found.sorted()
  }

  #slotTable(first: number, last: number): Uint32Array {
    const history = this.#history
    const found = new Fingerprints()
    const slotItems = history.items.scan('storage.index', first, last)
    for (const { id, item: accounts } of history.items.scan('account.index', first, last)) {
      const slots = slotItems.next().value?.item ?? noBytes
      history.items.decode('storage.index', id, () => addSlots(found, id, { accounts, slots }))
      const incomplete = history.meta(id)?.incomplete ?? noBytes
      for (let at = 0; at < incomplete.length; at += 20) {
        found.add(fingerprint(incomplete.subarray(at, at + 20), slotSeed), id)
      }
    }
    return found.sorted()
  }
}

interface RecordItems {
  readonly accounts: Uint8Array
  readonly slots: Uint8Array
}

/** Adds the slots of one record. Throws RangeError if its items contradict each other. */
function addSlots(found: Fingerprints, id: number, { accounts, slots }: RecordItems): void {
  const accountCount = checkedCount(accounts, accountEntryLength)
  const slotsInItem = checkedCount(slots, slotEntryLength)
  for (let entry = 0; entry < accountCount; entry++) {
    const { address, slotsStart, slotCount } = decodeAccountEntry(accounts, entry)
    if (slotCount === 0) continue
    const end = slotsStart + slotCount
    if (end > slotsInItem) throw new RangeError(`expected ${end} slots, found ${slotsInItem}`)
    const owner = fingerprint(address, slotSeed)
    for (let slot = slotsStart; slot < end; slot++) {
      const at = slot * slotEntryLength
      found.add(fingerprint(slots.subarray(at, at + 32), owner), id)
    }
  }
}

const chunkOf = (id: number): number => Math.floor(id / chunkRecords)

/** Collects fingerprints with the numbers of their records. */
class Fingerprints {
  #words = new Uint32Array(1024)
  #count = 0

  add(value: number, id: number): void {
    if (this.#count === this.#words.length) {
      const grown = new Uint32Array(this.#count * 2)
      grown.set(this.#words)
      this.#words = grown
    }
    this.#words[this.#count++] = (value & ~(chunkRecords - 1)) | (id % chunkRecords)
  }

  sorted(): Uint32Array {
    return this.#words.slice(0, this.#count).sort()
  }
}

/** Numbers, in the table, of the records with this fingerprint, ascending. */
function recordsWith(table: Uint32Array, value: number): number[] {
  const lowest = (value & ~(chunkRecords - 1)) >>> 0
  const records: number[] = []
  for (let at = firstNotBelow(table, lowest); at < table.length && table[at]! - lowest < chunkRecords; at++) {
    records.push(table[at]! - lowest)
  }
  return records
}

const accountSeed = 0x811c9dc5
const slotSeed = 0x1b873593

/** 32 bits over all bytes. The low eight are replaced by the number of the record. */
function fingerprint(bytes: Uint8Array, seed: number): number {
  let hash = seed
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  hash ^= hash >>> 16
  return Math.imul(hash, 0x85ebca6b)
}
