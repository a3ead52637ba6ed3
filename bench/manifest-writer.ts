// Writes records of a MANIFEST, for directories of so many tables that only their names are there. For benches only.
import { appendFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32c, maskCrc32c } from '../src/kernel/crc32c.js'

/** Records as chunks of a log or MANIFEST, from `offset` in the file on. */
export function frame(payload: Uint8Array, offset: number): Buffer {
  const chunks: Buffer[] = []
  let room = 32_768 - (offset % 32_768)
  for (let at = 0; at < payload.length; room = 32_768) {
    if (room < 7) {
      chunks.push(Buffer.alloc(room))
      continue
    }
    const length = Math.min(room - 7, payload.length - at)
    const [isFirst, isLast] = [at === 0, at + length === payload.length]
    const chunk = Buffer.alloc(7 + length)
    chunk.set(payload.subarray(at, at + length), 7)
    chunk[6] = isFirst ? (isLast ? 1 : 2) : isLast ? 4 : 3
    chunk.writeUInt16LE(length, 4)
    chunk.writeUInt32LE(maskCrc32c(crc32c(new Uint8Array(chunk.subarray(6)))), 0)
    chunks.push(chunk)
    at += length
  }
  return Buffer.concat(chunks)
}

export function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
}

/** A table: its number, its level, and its place among so many tables of the level, which share the keys that begin with z. */
interface NamedTable {
  readonly number: number
  readonly level: number
  readonly place: number
  readonly of: number
}

/** The field of an edit that adds a table of 2 MiB. */
function newTable(engine: 'leveldb' | 'pebble', { number, level, place, of }: NamedTable): number[] {
  const bound = (last: boolean): number[] => {
    const key = new Uint8Array(33)
    key[0] = 'z'.charCodeAt(0)
    new DataView(key.buffer).setUint32(1, Math.floor((place * 2 ** 32) / of) + (last ? 1 : 0))
    return [key.length + 8, ...key, 1, 5, 0, 0, 0, 0, 0, 0]
  }
  const common = [level, ...varint(number), ...varint(2_100_000), ...bound(false), ...bound(true)]
  // Pebble: smallest and largest sequence number, and the end of the custom fields.
  return engine === 'leveldb' ? [7, ...common] : [103, ...common, 5, 6, 1]
}

/** Most tables of one record of a MANIFEST. */
const tablesOfRecord = 1_000

/** Adds tables to the last MANIFEST of a store, two thirds of them on the last level and the others one above. */
export function addNamedTables(chaindata: string, engine: 'leveldb' | 'pebble', count: number): void {
  const manifest = readdirSync(chaindata)
    .filter((name) => name.startsWith('MANIFEST-'))
    .sort()
    .at(-1)!
  const path = join(chaindata, manifest)
  const firstNumber = 1_000_000
  const lower = Math.floor((2 * count) / 3)
  let { size } = statSync(path)
  for (let first = 0; first < count; first += tablesOfRecord) {
    // The number of the next file.
    const record = [3, ...varint(firstNumber + count)]
    for (let i = first; i < Math.min(count, first + tablesOfRecord); i++) {
      const place =
        i < lower ? { level: 6, place: i, of: lower } : { level: 5, place: i - lower, of: count - lower }
      record.push(...newTable(engine, { number: firstNumber + i, ...place }))
      writeFileSync(join(chaindata, `${firstNumber + i}.${engine === 'leveldb' ? 'ldb' : 'sst'}`), '')
    }
    const framed = frame(Uint8Array.from(record), size)
    appendFileSync(path, framed)
    size += framed.length
  }
}
