// Decodes records of a Pebble MANIFEST. Follows Pebble's internal/manifest/version_edit.go (v1 and v2).
import type { ByteReader } from '../table/byte-reader.js'
import { unsupported } from '../table/damage.js'
import { decodeEdit, readBounds, readLevel, unknownField } from '../table/manifest-edit.js'
import type { ManifestEdit } from '../table/table-engine.js'
import { TableFile } from '../table/table-file.js'

const tag = { newFile: 7, newFile2: 100, newFile3: 102, newFile4: 103 } as const
const newFileTags: readonly number[] = Object.values(tag)

/** Fields that geth's use of Pebble never writes, with their meaning. */
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
/** Custom fields from this number on change the meaning of the table. */
const firstUnsafeCustomTag = 64

/** Decodes one record. Throws MalformedBytes, and UNSUPPORTED_FORMAT for fields that geth does not write. */
export function decodePebbleEdit(record: Uint8Array, path: string): ManifestEdit {
  const edit = decodeEdit(record, (reader, field) => {
    const foreign = foreignTags.get(field)
    if (foreign !== undefined) throw unsupported(path, foreign)
    if (!newFileTags.includes(field)) throw unknownField(field)
    return { level: readLevel(reader), file: readNewFile(reader, field, path) }
  })
  // RocksDB once had such a log, Pebble has none.
  return { ...edit, previousLogNumber: undefined }
}

function readNewFile(reader: ByteReader, field: number, path: string): TableFile {
  const number = reader.varint()
  if (field === tag.newFile3) reader.varint() // RocksDB's path number, unused.
  const bytes = reader.varint()
  const bounds = readBounds(reader)
  const smallestSequence = field === tag.newFile ? 0 : reader.varint()
  const largestSequence = field === tag.newFile ? 0 : reader.varint()
  if (field === tag.newFile4) readCustomFields(reader, path)
  // Entries of an ingested table have sequence number 0 in the file; the MANIFEST has the number for all of them.
  const sequence = smallestSequence === largestSequence ? smallestSequence : 0
  return new TableFile({ number, bytes, edit: reader.bytes, sequence }, bounds)
}

function readCustomFields(reader: ByteReader, path: string): void {
  for (let field = reader.varint(); field !== customTag.end; field = reader.varint()) {
    if (field === customTag.virtual) throw unsupported(path, 'a virtual table')
    if (field >= firstUnsafeCustomTag) throw unsupported(path, `a table with a custom field ${field}`)
    reader.string()
  }
}
