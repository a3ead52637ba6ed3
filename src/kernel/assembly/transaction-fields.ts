// Finds the fields of a transaction's envelope, of any type from 0 to 4, without a copy. Follows core/types/tx_*.go.
import { ITEM, ITEM_LENGTH } from './items'
import { isList, payload, payloadEnd, readItem, readList } from './rlp'

/** Fields of all types. Integers come first, then lists. */
export const enum Field {
  ChainId,
  Nonce,
  GasPrice,
  TipCap,
  FeeCap,
  Gas,
  Value,
  BlobFeeCap,
  V,
  R,
  S,
  AccessList,
  BlobHashes,
  Authorizations,
  To,
  Input,
}

/** Start and end of the payload of each field, u32 both; 0 for a field that the type does not have. */
const FIELDS = memory.data(128, 8)

const ADDRESS: usize = 20

/** Type of the transaction that was read last. */
export let transactionType: u32 = 0

// @ts-ignore: decorator of AssemblyScript
@inline
export function start(field: Field): usize {
  return <usize>load<u32>(FIELDS + (<usize>field << 3))
}

// @ts-ignore: decorator of AssemblyScript
@inline
export function end(field: Field): usize {
  return <usize>load<u32>(FIELDS + (<usize>field << 3), 4)
}

// @ts-ignore: decorator of AssemblyScript
@inline
export function has(field: Field): bool {
  return load<u32>(FIELDS + (<usize>field << 3)) != 0
}

let at: usize = 0
let limit: usize = 0

/** Finds all fields of an envelope. False if it is damaged, or of an unknown type. What is inside lists is not read. */
export function readTransaction(envelope: usize, length: usize): bool {
  if (length == 0) return false
  const head = <u32>load<u8>(envelope)
  const isLegacy = head >= 0xc0
  if (!isLegacy && (head == 0 || head > 4)) return false
  transactionType = isLegacy ? 0 : head
  limit = envelope + length
  if (!readList(isLegacy ? envelope : envelope + 1, limit) || payloadEnd != limit) return false
  at = payload
  memory.fill(FIELDS, 0, 128)
  if (!isLegacy && !next(Field.ChainId)) return false
  if (!next(Field.Nonce)) return false
  if (transactionType < 2 ? !next(Field.GasPrice) : !next(Field.TipCap) || !next(Field.FeeCap)) return false
  if (!next(Field.Gas) || !next(Field.To) || !next(Field.Value) || !next(Field.Input)) return false
  if (!isLegacy && !next(Field.AccessList)) return false
  if (transactionType == 3 && (!next(Field.BlobFeeCap) || !next(Field.BlobHashes))) return false
  if (transactionType == 4 && !next(Field.Authorizations)) return false
  if (!next(Field.V) || !next(Field.R) || !next(Field.S) || at != limit) return false
  const recipient = end(Field.To) - start(Field.To)
  return recipient == ADDRESS || (recipient == 0 && transactionType < 3)
}

/** Finds the next field. False if it is damaged. */
function next(field: Field): bool {
  if (!readItem(at, limit) || isList != (field >= Field.AccessList && field <= Field.Authorizations)) return false
  // An integer has no leading zero.
  if (field <= Field.S && payload < payloadEnd && load<u8>(payload) == 0) return false
  store<u32>(FIELDS + (<usize>field << 3), <u32>payload)
  store<u32>(FIELDS + (<usize>field << 3), <u32>payloadEnd, 4)
  at = payloadEnd
  return true
}

/** Bytes of a transaction in a table of fields. */
export const TRANSACTION: usize = 132

/**
 * Writes the table of the fields of `count` envelopes, whose table items.ts describes: type, then start and end of the payload of
 * each field in the order of Field, u32 all. Returns how many envelopes could be read: the next one is damaged, or of an unknown type.
 */
export function indexTransactions(items: usize, count: u32, table: usize): u32 {
  for (let i: u32 = 0; i < count; i++, items += ITEM, table += TRANSACTION) {
    if (!readTransaction(<usize>load<u32>(items), <usize>load<u32>(items, ITEM_LENGTH))) return i
    store<u32>(table, transactionType)
    memory.copy(table + 4, FIELDS, 128)
  }
  return count
}

/** Number of hashes in the list of blob hashes. */
export function blobCount(): usize {
  return (end(Field.BlobHashes) - start(Field.BlobHashes)) / 33
}
