// What the MANIFEST tells of one table file. 100,000 of these are normal, so keys stay where the edit was read.

import { compareRanges, keyPrefixNumber, trailerBytes } from './keys.js'
import type { Table } from './table.js'

/** Facts about a table, as an edit gives them; key places are in `edit`, whose bytes are kept. */
export interface TableFileFacts {
  readonly number: number
  /** Length of the file in bytes. */
  readonly bytes: number
  readonly edit: Uint8Array
  /** Internal keys [smallestStart, smallestEnd) and [largestStart, largestEnd) of `edit`: bounds of all entries. */
  readonly smallestStart: number
  readonly smallestEnd: number
  readonly largestStart: number
  readonly largestEnd: number
  /** Sequence number that all entries have, whatever the file says; 0 for the file's own (Pebble's ingested tables). */
  readonly sequence: number
}

/** One table of a version. Immutable but for the open table, which the table cache puts here and takes away. */
export class TableFile {
  readonly number: number
  readonly bytes: number
  readonly sequence: number
  /** The open table while the cache holds it. */
  table: Table | undefined = undefined
  private readonly edit: Uint8Array
  private readonly smallestStart: number
  private readonly smallestEnd: number
  private readonly largestStart: number
  private readonly largestEnd: number

  constructor(facts: TableFileFacts) {
    this.number = facts.number
    this.bytes = facts.bytes
    this.sequence = facts.sequence
    this.edit = facts.edit
    this.smallestStart = facts.smallestStart
    this.smallestEnd = facts.smallestEnd - trailerBytes
    this.largestStart = facts.largestStart
    this.largestEnd = facts.largestEnd - trailerBytes
  }

  /** Lowest user key of the table. */
  get smallest(): Uint8Array {
    return this.edit.subarray(this.smallestStart, this.smallestEnd)
  }

  /** Highest user key of the table, or the exclusive end of its last range deletion. */
  get largest(): Uint8Array {
    return this.edit.subarray(this.largestStart, this.largestEnd)
  }

  /** First six bytes of the smallest and of the largest user key as a number; see keyPrefixNumber. */
  get smallestPrefix(): number {
    return keyPrefixNumber(this.edit, this.smallestStart, this.smallestEnd)
  }

  get largestPrefix(): number {
    return keyPrefixNumber(this.edit, this.largestStart, this.largestEnd)
  }

  /** Order of the smallest user key against `key`. */
  compareSmallest(key: Uint8Array): number {
    return compareRanges(this.edit, this.smallestStart, this.smallestEnd, key, 0, key.length)
  }

  /** Order of the largest user key against `key`. */
  compareLargest(key: Uint8Array): number {
    return compareRanges(this.edit, this.largestStart, this.largestEnd, key, 0, key.length)
  }

  /** Order of the smallest user keys of two tables. */
  compareSmallestOf(other: TableFile): number {
    return compareRanges(
      this.edit,
      this.smallestStart,
      this.smallestEnd,
      other.edit,
      other.smallestStart,
      other.smallestEnd,
    )
  }

  /** Order of this table's largest user key against the other's smallest. */
  compareLargestToSmallestOf(other: TableFile): number {
    return compareRanges(
      this.edit,
      this.largestStart,
      this.largestEnd,
      other.edit,
      other.smallestStart,
      other.smallestEnd,
    )
  }
}
