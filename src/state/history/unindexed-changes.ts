// Finds who changed when in histories that geth has not indexed, by walking them. What a walk passes is remembered as
// sorted fingerprints, four bytes a change, so that each record is read once and later searches cost microseconds.
import type { AccountKey, SlotKey } from '../state-values.js'
import { accountEntryLength, decodeAccountEntry, slotEntryLength } from './history-record.js'
import type { StateHistory } from './state-history.js'

/** Records of one table of fingerprints: their number in it fills the low byte. */
const chunkRecords = 256

/** Ids of records, both ends included. */
export interface RecordRange {
  readonly from: number
  readonly to: number
}

/** Changes in the records of a history that are walked. */
export class UnindexedChanges {
  readonly #history: StateHistory
  /** Fingerprints with record numbers, ascending, by chunk. */
  readonly #accounts = new Map<number, Uint32Array>()
  readonly #slots = new Map<number, Uint32Array>()

  constructor(history: StateHistory) {
    this.#history = history
  }

  /** First record of the range that changed the account; undefined where none did. */
  firstAccountChange({ address }: AccountKey, range: RecordRange): number | undefined {
    const fingerprints = [fingerprint(address, accountSeed)]
    return this.#first(range, {
      fingerprints,
      tables: this.#accounts,
      build: (chunk) => this.#accountTable(chunk),
      isChangedIn: (id) => this.#history.accountChange(id, address) !== undefined,
    })
  }

  /** First record of the range that changed the slot. Throws STATE_UNAVAILABLE where that cannot be known. */
  firstSlotChange(key: SlotKey, { address }: AccountKey, range: RecordRange): number | undefined {
    const owner = fingerprint(address, slotSeed)
    return this.#first(range, {
      // Records name slots by their hashes or by themselves, and some accounts as a whole.
      fingerprints: [fingerprint(key.hash, owner), fingerprint(key.slot, owner), owner],
      tables: this.#slots,
      build: (chunk) => this.#slotTable(chunk),
      isChangedIn: (id) => this.#history.slotBefore(id, address, key) !== undefined,
    })
  }

  #first(
    { from, to }: RecordRange,
    { fingerprints, tables, build, isChangedIn }: Search,
  ): number | undefined {
    for (let chunk = chunkOf(from); chunk <= chunkOf(to); chunk++) {
      let table = tables.get(chunk)
      if (table === undefined) {
        table = build(chunk)
        tables.set(chunk, table)
      }
      const candidates = fingerprints.flatMap((wanted) => recordsWith(table, wanted))
      candidates.sort((a, b) => a - b)
      for (const record of candidates) {
        const id = chunk * chunkRecords + record
        if (id >= from && id <= to && isChangedIn(id)) return id
      }
    }
    return undefined
  }

  #accountTable(chunk: number): Uint32Array {
    const found = new Fingerprints()
    for (const { id, item } of this.#history.items('account.index', ...recordsOf(chunk, this.#history))) {
      for (let at = 0; at + accountEntryLength <= item.length; at += accountEntryLength) {
        found.add(fingerprint(item.subarray(at, at + 20), accountSeed), id)
      }
    }
    return found.sorted()
  }

  #slotTable(chunk: number): Uint32Array {
    const history = this.#history
    const found = new Fingerprints()
    const [first, last] = recordsOf(chunk, history)
    const slotItems = history.items('storage.index', first, last)
    for (const { id, item: accounts } of history.items('account.index', first, last)) {
      const slots = slotItems.next().value?.item ?? new Uint8Array()
      for (let entry = 0; (entry + 1) * accountEntryLength <= accounts.length; entry++) {
        const { slotsStart, slotCount } = decodeAccountEntry(accounts, entry)
        if (slotCount === 0) continue
        const start = entry * accountEntryLength
        const owner = fingerprint(accounts.subarray(start, start + 20), slotSeed)
        for (let slot = slotsStart; slot < slotsStart + slotCount; slot++) {
          const at = slot * slotEntryLength
          found.add(fingerprint(slots.subarray(at, at + 32), owner), id)
        }
      }
      const incomplete = history.meta(id)?.incomplete ?? new Uint8Array()
      for (let at = 0; at < incomplete.length; at += 20) {
        found.add(fingerprint(incomplete.subarray(at, at + 20), slotSeed), id)
      }
    }
    return found.sorted()
  }
}

interface Search {
  readonly fingerprints: readonly number[]
  readonly tables: Map<number, Uint32Array>
  build(chunk: number): Uint32Array
  isChangedIn(id: number): boolean
}

const chunkOf = (id: number): number => Math.floor(id / chunkRecords)

/** First and last id of a chunk that the history holds. */
function recordsOf(chunk: number, history: StateHistory): [first: number, last: number] {
  const first = chunk * chunkRecords
  return [Math.max(first, history.oldestState + 1), Math.min(first + chunkRecords - 1, history.newest)]
}

/** Collects fingerprints with the records they were found in. */
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

/** Numbers in their chunk of the records with this fingerprint, ascending. */
function recordsWith(table: Uint32Array, value: number): number[] {
  const lowest = (value & ~(chunkRecords - 1)) >>> 0
  let low = 0
  let high = table.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (table[middle]! < lowest) low = middle + 1
    else high = middle
  }
  const records: number[] = []
  for (let at = low; at < table.length && table[at]! - lowest < chunkRecords; at++)
    records.push(table[at]! - lowest)
  return records
}

const accountSeed = 0x811c9dc5
const slotSeed = 0x1b873593

/** 32 bits over all bytes; the low eight give way to the record. */
function fingerprint(bytes: Uint8Array, seed: number): number {
  let hash = seed
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  hash ^= hash >>> 16
  return Math.imul(hash, 0x85ebca6b)
}
