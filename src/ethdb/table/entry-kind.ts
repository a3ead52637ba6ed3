// What an entry of a table or log does. Follows goleveldb's leveldb/key.go and Pebble's internal/base/internal.go.
import { unsupported } from './damage.js'

/** Kinds of entry, as stored in the lowest byte of an internal key's trailer. */
export const entryKind = {
  delete: 0,
  set: 1,
  merge: 2,
  logData: 3,
  singleDelete: 7,
  rangeDelete: 15,
  setWithDelete: 18,
  rangeKeyDelete: 19,
  rangeKeyUnset: 20,
  rangeKeySet: 21,
  ingestTable: 22,
  deleteSized: 23,
  excise: 24,
} as const

/** Whether an entry of this kind has a value (or hides older ones). UNSUPPORTED_FORMAT for what geth does not write. */
export function isValue(kind: number, path = 'the store'): boolean {
  switch (kind) {
    case entryKind.set:
    case entryKind.setWithDelete:
      return true
    case entryKind.delete:
    case entryKind.singleDelete:
    case entryKind.deleteSized:
      return false
    default:
      throw unsupported(path, `an entry of kind ${kind}`)
  }
}
