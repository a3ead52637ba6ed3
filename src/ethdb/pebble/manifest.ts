// Records of a Pebble MANIFEST. Follows Pebble's internal/manifest/version_edit.go (v1 and v2).
import { ByteReader, MalformedBytes } from '../table/byte-reader.js'
import { unsupported } from '../table/damage.js'
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
  newFile2: 100,
  newFile3: 102,
  newFile4: 103,
} as const

/** Fields that geth never causes, with what they tell of. */
const foreignTags: ReadonlyMap<number, string> = new Map([
  [104, 'a table with range keys'],
  [105, 'a backing of virtual tables'],
  [106, 'a backing of virtual tables'],
  [107, 'a blob file'],
  [108, 'a blob file'],
  [200, 'column families'],
  [201, 'column families'],
  [202, 'column families'],
  [203, 'column families'],
])

const customTag = { end: 1, virtual: 66 } as const
/** Custom fields from here on change what the table means. */
const firstUnsafeCustomTag = 64

/** Decodes one record; MalformedBytes where it is none, UNSUPPORTED_FORMAT for what geth does not write. */
export function decodePebbleEdit(record: Uint8Array, path: string): ManifestEdit {
  const reader = new ByteReader(record)
  const removed: { level: number; number: number }[] = []
  const added: { level: number; file: TableFileFacts }[] = []
  let comparator: string | undefined
  let logNumber: number | undefined
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
      case tag.previousLogNumber:
        reader.varint() // Pebble has no such log.
        break
      case tag.deletedFile:
        removed.push({ level: readLevel(reader), number: reader.varint() })
        break
      case tag.newFile:
      case tag.newFile2:
      case tag.newFile3:
      case tag.newFile4:
        added.push({ level: readLevel(reader), file: readNewFile(reader, field, path) })
        break
      default: {
        const foreign = foreignTags.get(field)
        if (foreign !== undefined) throw unsupported(path, foreign)
        throw new MalformedBytes(`a MANIFEST record has a field ${field}`)
      }
    }
  }
  const previousLogNumber = undefined
  return { comparator, logNumber, previousLogNumber, nextFileNumber, lastSequence, removed, added }
}

function readNewFile(reader: ByteReader, field: number, path: string): TableFileFacts {
  const number = reader.varint()
  if (field === tag.newFile3) reader.varint() // A path number, which RocksDB once had.
  const bytes = reader.varint()
  const bounds = readBounds(reader)
  const smallestSequence = field === tag.newFile ? 0 : reader.varint()
  const largestSequence = field === tag.newFile ? 0 : reader.varint()
  if (field === tag.newFile4) readCustomFields(reader, path)
  // Ingested tables have the number zero in the file and one number for all entries here.
  const sequence = smallestSequence === largestSequence ? smallestSequence : 0
  return { number, bytes, edit: reader.bytes, ...bounds, sequence }
}

function readCustomFields(reader: ByteReader, path: string): void {
  for (let field = reader.varint(); field !== customTag.end; field = reader.varint()) {
    if (field === customTag.virtual) throw unsupported(path, 'a virtual table')
    if (field >= firstUnsafeCustomTag) throw unsupported(path, `a table with a custom field ${field}`)
    reader.string()
  }
}
