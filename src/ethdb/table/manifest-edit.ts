// Decodes records of a MANIFEST, in the fields that both engines share. Follows goleveldb's leveldb/session_record.go.
import { ByteReader, MalformedBytes } from './byte-reader.js'
import { trailerBytes } from './keys.js'
import type { ManifestEdit } from './table-engine.js'
import type { TableBounds } from './table-file.js'
import type { VersionEdit } from './version.js'

const tag = {
  comparator: 1,
  logNumber: 2,
  nextFileNumber: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  previousLogNumber: 9,
} as const

const maxLevel = 64

/**
 * Decodes one record. Throws MalformedBytes. The edit aliases the record. `readOther` reads the fields that only one engine
 * has and returns the table that such a field adds.
 */
export function decodeEdit(
  record: Uint8Array,
  readOther: (reader: ByteReader, field: number) => VersionEdit['added'][number],
): ManifestEdit {
  const reader = new ByteReader(record)
  const removed: VersionEdit['removed'][number][] = []
  const added: VersionEdit['added'][number][] = []
  let comparator: string | undefined
  let logNumber: number | undefined
  let previousLogNumber: number | undefined
  let nextFileNumber: number | undefined
  let lastSequence: number | undefined
  while (!reader.done) {
    const field = reader.varint()
    switch (field) {
      case tag.comparator:
        comparator = Buffer.from(reader.string()).toString('latin1')
        break
      case tag.logNumber:
        logNumber = reader.varint()
        break
      case tag.previousLogNumber:
        previousLogNumber = reader.varint()
        break
      case tag.nextFileNumber:
        nextFileNumber = reader.varint()
        break
      case tag.lastSequence:
        lastSequence = reader.varint()
        break
      case tag.compactPointer:
        readLevel(reader)
        reader.string()
        break
      case tag.deletedFile:
        removed.push({ level: readLevel(reader), number: reader.varint() })
        break
      default:
        added.push(readOther(reader, field))
    }
  }
  return { comparator, logNumber, previousLogNumber, nextFileNumber, lastSequence, removed, added }
}

/** The error for a field that no engine writes. */
export function unknownField(field: number): MalformedBytes {
  return new MalformedBytes(`a MANIFEST record has a field ${field}`)
}

/** Level of a table. Throws MalformedBytes for a level that no store has. */
export function readLevel(reader: ByteReader): number {
  const level = reader.varint()
  if (level > maxLevel) throw new MalformedBytes(`no store has a level ${level}`)
  return level
}

/** Smallest and largest internal key of a table, as offsets in the reader's bytes. */
export function readBounds(reader: ByteReader): TableBounds {
  const smallestStart = enterInternalKey(reader)
  const smallestEnd = reader.position
  const largestStart = enterInternalKey(reader)
  return { smallestStart, smallestEnd, largestStart, largestEnd: reader.position }
}

/** Skips a length-prefixed internal key and returns its start. */
function enterInternalKey(reader: ByteReader): number {
  const length = reader.varint()
  if (length < trailerBytes) throw new MalformedBytes(`an internal key of ${length} bytes is too short`)
  return reader.skip(length)
}
