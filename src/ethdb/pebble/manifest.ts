// Records of a Pebble MANIFEST. Follows Pebble's internal/manifest/version_edit.go (v1 and v2).
import type { ByteReader } from '../table/byte-reader.js'
import { unsupported } from '../table/damage.js'
import { decodeEdit, readBounds, readLevel, unknownField } from '../table/manifest-edit.js'
import type { ManifestEdit } from '../table/table-engine.js'
import type { TableFileFacts } from '../table/table-file.js'

const tag = { newFile: 7, newFile2: 100, newFile3: 102, newFile4: 103 } as const
const newFileTags: readonly number[] = Object.values(tag)

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
  const edit = decodeEdit(record, (reader, field) => {
    const foreign = foreignTags.get(field)
    if (foreign !== undefined) throw unsupported(path, foreign)
    if (!newFileTags.includes(field)) throw unknownField(field)
    return { level: readLevel(reader), file: readNewFile(reader, field, path) }
  })
  // Pebble has no such log, whatever RocksDB once wrote.
  return { ...edit, previousLogNumber: undefined }
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
