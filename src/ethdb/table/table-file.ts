// A table file as the MANIFEST describes it. A store can have 100,000, so keys are not copied out of the MANIFEST's record.

import { compareRanges, keyPrefixNumber, trailerBytes } from './keys.js'
import type { Table } from './table.js'

/** What a record of the MANIFEST says about a table. `edit` is that record. */
interface TableFileFacts {
  readonly number: number
  /** Length of the file in bytes. */
  readonly bytes: number
  readonly edit: Uint8Array
  /** Sequence number of all entries in a table that Pebble ingested; 0 in other tables, whose entries have their own. */
  readonly sequence: number
}

/** Bounds of all entries: the internal keys [smallestStart, smallestEnd) and [largestStart, largestEnd) of the record. */
export interface TableBounds {
  readonly smallestStart: number
  readonly smallestEnd: number
  readonly largestStart: number
  readonly largestEnd: number
}

/** One table of a version. Immutable, except for `table`, which OpenTables sets and clears. */
export class TableFile {
  readonly number: number
  readonly bytes: number
  readonly sequence: number
  /** The open table while it is cached. */
  table: Table | undefined = undefined
  readonly #edit: Uint8Array
  readonly #smallestStart: number
  readonly #smallestEnd: number
  readonly #largestStart: number
  readonly #largestEnd: number

  constructor({ number, bytes, edit, sequence }: TableFileFacts, bounds: TableBounds) {
    this.number = number
    this.bytes = bytes
    this.sequence = sequence
    this.#edit = edit
    this.#smallestStart = bounds.smallestStart
    this.#smallestEnd = bounds.smallestEnd - trailerBytes
    this.#largestStart = bounds.largestStart
    this.#largestEnd = bounds.largestEnd - trailerBytes
  }

  /** Lowest user key of the table. */
  get smallest(): Uint8Array {
    return this.#edit.subarray(this.#smallestStart, this.#smallestEnd)
  }

  /** First six bytes of the smallest user key as a number; see keyPrefixNumber. */
  get smallestPrefix(): number {
    return keyPrefixNumber(this.#edit, this.#smallestStart, this.#smallestEnd)
  }

  get largestPrefix(): number {
    return keyPrefixNumber(this.#edit, this.#largestStart, this.#largestEnd)
  }

  /** Order of the smallest user key relative to `key`. */
  compareSmallest(key: Uint8Array): number {
    return compareRanges(this.#edit, this.#smallestStart, this.#smallestEnd, key, 0, key.length)
  }

  /** Order of the largest user key relative to `key`. */
  compareLargest(key: Uint8Array): number {
    return compareRanges(this.#edit, this.#largestStart, this.#largestEnd, key, 0, key.length)
  }

  /** Order of the smallest user keys of two tables. */
  compareSmallestOf(other: TableFile): number {
    return compareRanges(
      this.#edit,
      this.#smallestStart,
      this.#smallestEnd,
      other.#edit,
      other.#smallestStart,
      other.#smallestEnd,
    )
  }

  /** Order of this table's largest user key relative to the other's smallest. */
  compareLargestToSmallestOf(other: TableFile): number {
    return compareRanges(
      this.#edit,
      this.#largestStart,
      this.#largestEnd,
      other.#edit,
      other.#smallestStart,
      other.#smallestEnd,
    )
  }
}
