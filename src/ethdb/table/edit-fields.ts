// Fields that MANIFEST records of both engines share.
import { type ByteReader, MalformedBytes } from './byte-reader.js'
import { trailerBytes } from './keys.js'
import type { TableFileFacts } from './table-file.js'

const maxLevel = 64

/** Level of a table; MalformedBytes beyond what any store has. */
export function readLevel(reader: ByteReader): number {
  const level = reader.varint()
  if (level > maxLevel) throw new MalformedBytes(`no store has a level ${level}`)
  return level
}

/** Smallest and largest internal key of a table, as places in the reader's bytes. */
export type TableBounds = Pick<
  TableFileFacts,
  'smallestStart' | 'smallestEnd' | 'largestStart' | 'largestEnd'
>

export function readBounds(reader: ByteReader): TableBounds {
  const smallestStart = enterInternalKey(reader)
  const smallestEnd = reader.position
  const largestStart = enterInternalKey(reader)
  return { smallestStart, smallestEnd, largestStart, largestEnd: reader.position }
}

/** Moves past a length-prefixed internal key and returns where it starts. */
function enterInternalKey(reader: ByteReader): number {
  const length = reader.varint()
  if (length < trailerBytes) throw new MalformedBytes(`an internal key of ${length} bytes is too short`)
  return reader.skip(length)
}
