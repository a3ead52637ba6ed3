// Decodes a batch, which is a record of a write-ahead log: sequence number, count, then entries. Both engines have the same
// form and different kinds of entry. Follows goleveldb's leveldb/batch.go and Pebble's batchrepr/reader.go.
import { readUint32 } from './block-cursor.js'
import { ByteReader, MalformedBytes } from './byte-reader.js'
import { entryKind } from './entry-kind.js'
import type { LogTable } from './log-table.js'

const headerBytes = 12

/** Kinds with a key and a value. */
const kindsWithValue: ReadonlySet<number> = new Set([
  entryKind.set,
  entryKind.merge,
  entryKind.rangeDelete,
  entryKind.rangeKeyDelete,
  entryKind.rangeKeyUnset,
  entryKind.rangeKeySet,
  entryKind.deleteSized,
  entryKind.excise,
])

const pointKinds: ReadonlySet<number> = new Set([
  entryKind.delete,
  entryKind.set,
  entryKind.singleDelete,
  entryKind.setWithDelete,
  entryKind.deleteSized,
])

/** Thrown for a sound entry of a kind that this build does not read. */
export class UnknownKind extends Error {
  override readonly name = 'UnknownKind'
  readonly kind: number

  constructor(kind: number) {
    super(`an entry of kind ${kind}`)
    this.kind = kind
  }
}

/** Sequence number of the first entry of a batch. */
export function batchSequence(record: Uint8Array): number {
  if (record.length < headerBytes) throw new MalformedBytes('a batch is shorter than its header')
  return readUint32(record, 4) * 0x100000000 + readUint32(record, 0)
}

/**
 * Adds the batch that ends at `offset` of its log to the table, as a whole or not at all. Throws MalformedBytes if the batch
 * contradicts itself, UnknownKind for merges, range keys and ingested tables.
 */
export function addBatch(table: LogTable, record: Uint8Array, offset: number): void {
  const sequence = batchSequence(record)
  const count = readUint32(record, 8)
  const reader = new ByteReader(record, headerBytes)
  table.begin(record)
  let added = 0
  while (!reader.done) {
    const kind = reader.byte()
    const keyLength = reader.varint()
    const keyStart = reader.skip(keyLength)
    const keyEnd = keyStart + keyLength
    let valueStart = keyEnd
    let valueEnd = keyEnd
    if (kindsWithValue.has(kind)) {
      const valueLength = reader.varint()
      valueStart = reader.skip(valueLength)
      valueEnd = valueStart + valueLength
    }
    // Log data belongs only to the log: it is not counted and has no sequence number.
    if (kind === entryKind.logData) continue
    if (pointKinds.has(kind)) table.add(kind, sequence + added, keyStart, keyEnd, valueStart, valueEnd)
    else if (kind === entryKind.rangeDelete) {
      table.addTombstone(sequence + added, keyStart, keyEnd, valueStart, valueEnd)
    } else throw new UnknownKind(kind)
    added++
  }
  if (added !== count) throw new MalformedBytes(`a batch of ${count} entries has ${added}`)
  table.commit(offset, sequence, sequence + count)
}
