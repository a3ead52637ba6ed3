// The trie nodes and codes that replayed blocks created, in memory that all threads share.
import { copyBytes } from '../byte-area.js'
import { bytesToHex } from '../bytes.js'
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
const recordOverhead = 36

/** Collects trie nodes and codes, each once. */
export class RecordCollector {
  readonly #records = new Map<string, { readonly hash: Uint8Array; readonly bytes: Uint8Array }>()
  #bytes = 0

  get records(): HashedRecords {
    return this.#records
  }

  /** Bytes that they take when they are packed. */
  get bytes(): number {
    return this.#bytes
  }

  get(hash: Uint8Array): Uint8Array | undefined {
    return this.#records.get(bytesToHex(hash))?.bytes
  }

  /** Adds a copy of a record. */
  put(hash: Uint8Array, bytes: Uint8Array): void {
    const hex = bytesToHex(hash)
    if (this.#records.has(hex)) return
    this.#bytes += hash.length + bytes.length + recordOverhead
    this.#records.set(hex, { hash: Uint8Array.from(hash), bytes: copyBytes(bytes, 0, bytes.length) })
  }
}

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
