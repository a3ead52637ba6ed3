// The trie nodes and codes that replayed blocks created, in memory that all threads share.
import { LayerTableBuilder, type LayerTableData, noOwner } from './journal/layer-table.js'

/** The results of some consecutive blocks. Structured-cloneable; large parts are in shared memory. */
export interface ReplayedBlocks {
  /** Root of the state on disk from which the replay started, with these or with earlier blocks. */
  readonly base: Uint8Array
  /** Roots of the states after the blocks, in order. */
  readonly roots: readonly Uint8Array[]
  /** Trie nodes and codes under their hashes. */
  readonly records: LayerTableData
}

/** Nodes and codes by hex of their hashes. */
type HashedRecords = ReadonlyMap<string, { readonly hash: Uint8Array; readonly bytes: Uint8Array }>

/** Bytes that a record takes in addition to itself and its hash: its entry and its share of the buckets. */
export const recordOverhead = 36

/** Copies records to shared memory. */
export function packRecords(records: HashedRecords): LayerTableData {
  let length = 0
  for (const { hash, bytes } of records.values()) length += hash.length + bytes.length
  const packed = new Uint8Array(new SharedArrayBuffer(length))
  const table = new LayerTableBuilder(packed, records.size)
  let at = 0
  for (const { hash, bytes } of records.values()) {
    packed.set(hash, at)
    packed.set(bytes, at + hash.length)
    table.add(0, {
      ownerStart: noOwner,
      keyStart: at,
      keyLength: hash.length,
      valueStart: at + hash.length,
      valueLength: bytes.length,
    })
    at += hash.length + bytes.length
  }
  return table.data
}
