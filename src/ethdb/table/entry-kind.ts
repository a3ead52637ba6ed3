// Kinds of entries in tables and logs. Follows goleveldb's leveldb/key.go and Pebble's internal/base/internal.go.
import { unsupported } from './damage.js'

/** Kinds as stored in the lowest byte of an internal key's trailer. */
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

/** True for a value, false for a deletion. Throws UNSUPPORTED_FORMAT for kinds that geth does not write. */
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
