// Filter maps, the log index of geth since 1.15.6: rows, layers and stored records. FORMAT.md has the layout. Version 2 only,
// which geth writes since 1.15.11. Follows core/filtermaps and core/rawdb/accessors_indexes.go.
import { hash } from 'node:crypto'

/** Rows of a map. */
const mapHeight = 65_536
/** Positions, of log values and delimiters, in a map. */
export const valuesPerMap = 65_536
const mapsPerEpoch = 1_024
/** Maps whose base rows share a record. */
export const mapsPerGroup = 32
/** Most entries of a base row. The other entries of a row have a separate record. */
export const baseRowLength = 8
const logLayerDiff = 4
const logMapsPerEpoch = 10
/** Bytes of an entry: position in the map, then eight bits of a hash. */
const entryBytes = 3

/** The only version that is read. */
export const filterMapsVersion = 2

/** The hash of an address or topic in the index. */
export function logValueHash(value: Uint8Array): Uint8Array {
  return Uint8Array.from(sha256(value))
}

function layerShift(layer: number): number {
  return Math.min(layer * logLayerDiff, logMapsPerEpoch)
}

/** Number of consecutive maps in which a value has the same row on a layer. The first is a multiple of it. */
export function mapsPerRow(layer: number): number {
  return 2 ** (logMapsPerEpoch - layerShift(layer))
}

/** Most entries of a row on a layer. */
export function maxRowLength(layer: number): number {
  return baseRowLength << layerShift(layer)
}

/** Row of the value with this hash, in a map, on a layer. */
export function rowIndex(map: number, layer: number, valueHash: Uint8Array): number {
  const place = new Uint8Array(valueHash.length + 8)
  place.set(valueHash)
  const numbers = new DataView(place.buffer, valueHash.length)
  numbers.setUint32(0, map - (map % mapsPerRow(layer)), true)
  numbers.setUint32(4, layer, true)
  return sha256(place).readUInt32LE() % mapHeight
}

function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer')
}

/** Number of a row in its key. It can be above 2^32. */
export function mapRowIndex(map: number, row: number): number {
  const epoch = Math.floor(map / mapsPerEpoch)
  return (epoch * mapHeight + row) * mapsPerEpoch + (map % mapsPerEpoch)
}

/** Low bits of an entry in a group, for its position in the map and eight bits of a hash; the number of the map is above them. */
export const entryBits = 24

/** The base rows of a group of maps. With an array for each row, a query of the indexed year takes 1.16 times as long (2026-11-24). */
export interface BaseRows {
  /** Entries of all maps in order, each with the number of its map in the group in the bits above {@link entryBits}. */
  readonly entries: Uint32Array
  /** Where the row of each map of the group starts in `entries`, and where that of the last one ends. */
  readonly starts: Uint16Array
}

/** The row of one map of a group, without the number of the map. */
export function baseRowOf({ entries, starts }: BaseRows, map: number): readonly number[] {
  return Array.from(entries.subarray(starts[map]!, starts[map + 1]!), (entry) => entry % 2 ** entryBits)
}

/** Length of the row of one map of a group. */
export function baseRowLengthOf({ starts }: BaseRows, map: number): number {
  return starts[map + 1]! - starts[map]!
}

/** Decodes the base rows of a group of maps. Throws RangeError if the record contradicts itself. */
export function decodeBaseRows(record: Uint8Array): BaseRows {
  const starts = new Uint16Array(mapsPerGroup + 1)
  let map = 0
  let headerBytes = 0
  let count = 0
  // The header has a one for each entry and a zero after each map. It ends when the entries fill the rest of the record.
  for (let bit = 0; headerBytes + entryBytes * count < record.length || bit % 8 !== 0; bit++) {
    if (bit % 8 === 0) headerBytes++
    if (((record[headerBytes - 1]! >> (bit % 8)) & 1) === 0) {
      map++
      if (map < mapsPerGroup) starts[map] = count
    } else if (map < mapsPerGroup) count++
    else throw new RangeError(`base rows have entries of map ${map}, a group has ${mapsPerGroup} maps`)
  }
  if (headerBytes + entryBytes * count !== record.length) {
    throw new RangeError(`base rows of ${record.length} bytes do not have the entries they announce`)
  }
  starts.fill(count, Math.min(map + 1, mapsPerGroup))
  const entries = new Uint32Array(count)
  for (let i = 0, at = headerBytes; i < mapsPerGroup; i++) {
    for (let index = starts[i]!; index < starts[i + 1]!; index++, at += entryBytes) {
      entries[index] = (i << entryBits) | readEntry(record, at)
    }
  }
  return { entries, starts }
}

function readEntry(record: Uint8Array, at: number): number {
  return record[at]! | (record[at + 1]! << 8) | (record[at + 2]! << 16)
}

/** Decodes the entries of a row after its base row. Throws RangeError if the record ends inside an entry. */
export function decodeEntries(record: Uint8Array): number[] {
  if (record.length % entryBytes !== 0) {
    throw new RangeError(`a row of ${record.length} bytes ends inside an entry`)
  }
  // Ten times as fast as Array.from with a function.
  const entries = new Array<number>(record.length / entryBytes)
  for (let i = 0, at = 0; at < record.length; i++, at += entryBytes) {
    entries[i] = readEntry(record, at)
  }
  return entries
}
