// Records of a LevelDB MANIFEST. Follows goleveldb's leveldb/session_record.go.
import { ByteReader, MalformedBytes } from '../table/byte-reader.js'
import { readBounds, readLevel } from '../table/edit-fields.js'
import type { ManifestEdit } from '../table/table-engine.js'
import type { TableFileFacts } from '../table/table-file.js'

const tag = {
  comparator: 1,
  logNumber: 2,
  nextFileNumber: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLogNumber: 9,
} as const

/** Decodes one record; MalformedBytes where it is none. The edit aliases the record. */
export function decodeLevelDbEdit(record: Uint8Array): ManifestEdit {
  const reader = new ByteReader(record)
  const removed: { level: number; number: number }[] = []
  const added: { level: number; file: TableFileFacts }[] = []
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
      case tag.newFile:
        added.push({ level: readLevel(reader), file: readNewFile(reader) })
        break
      default:
        throw new MalformedBytes(`a MANIFEST record has a field ${field}`)
    }
  }
  return { comparator, logNumber, previousLogNumber, nextFileNumber, lastSequence, removed, added }
}

function readNewFile(reader: ByteReader): TableFileFacts {
  const number = reader.varint()
  const bytes = reader.varint()
  return { number, bytes, edit: reader.bytes, ...readBounds(reader), sequence: 0 }
}
