// Decodes records of a LevelDB MANIFEST. Follows goleveldb's leveldb/session_record.go.
import type { ByteReader } from '../table/byte-reader.js'
import { decodeEdit, readBounds, readLevel, unknownField } from '../table/manifest-edit.js'
import type { ManifestEdit } from '../table/table-engine.js'
import { TableFile } from '../table/table-file.js'

const newFileTag = 7

/** Decodes one record. Throws MalformedBytes. The edit aliases the record. */
export function decodeLevelDbEdit(record: Uint8Array): ManifestEdit {
  return decodeEdit(record, (reader, field) => {
    if (field !== newFileTag) throw unknownField(field)
    return { level: readLevel(reader), file: readNewFile(reader) }
  })
}

function readNewFile(reader: ByteReader): TableFile {
  const number = reader.varint()
  const bytes = reader.varint()
  return new TableFile({ number, bytes, edit: reader.bytes, sequence: 0 }, readBounds(reader))
}
