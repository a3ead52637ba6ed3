// Chain databases put together in memory, for cases that a directory of geth holds only for a moment or after a crash.
import { concatBytes } from '../../src/bytes.js'
import type { AncientTable, ChainDatabase } from '../../src/rawdb/chain-database.js'
import { MemoryStore } from '../ethdb/memory-store.js'

export type Entry = readonly [key: Uint8Array, value: Uint8Array]

/** Records of one table by block number; `tail` is 0 and `head` the freezer's if they are not given. */
export interface MemoryTable {
  readonly tail?: number
  readonly head?: number
  readonly records?: Readonly<Record<number, Uint8Array>>
}

export interface MemoryAncient {
  readonly head: number
  readonly tables: Readonly<Record<string, MemoryTable>>
}

/** A database of these keys and, if given, a freezer of these tables. */
export function memoryDatabase(entries: Iterable<Entry>, ancient?: MemoryAncient): ChainDatabase {
  return {
    kv: new MemoryStore(entries),
    ancient: ancient && {
      directory: '/ancient/chain',
      head: ancient.head,
      table: (name) => openTable(ancient, name),
    },
  }
}

function openTable(ancient: MemoryAncient, name: string): AncientTable | undefined {
  const table = ancient.tables[name]
  if (table === undefined) return undefined
  const { tail = 0, head = ancient.head, records = {} } = table
  const read = (item: number) => (item >= tail && item < head ? records[item] : undefined)
  return {
    tail,
    head,
    read,
    readRaw: (item, allocate = newBytes) => {
      const record = read(item)
      return record && copyTo(allocate, record)
    },
    decodeItem: (_, stored) => stored,
    readBatch(first, { maxItems, allocate = newBytes }) {
      const items: Uint8Array[] = []
      for (let item = read(first); item && items.length < maxItems; item = read(first + items.length)) {
        items.push(item)
      }
      if (items.length === 0) return undefined
      const offsets = Uint32Array.of(0, ...items.map((item) => item.length))
      for (let i = 1; i < offsets.length; i++) offsets[i]! += offsets[i - 1]!
      return { first, count: items.length, bytes: copyTo(allocate, concatBytes(...items)), offsets }
    },
  }
}

const newBytes = (byteLength: number) => new Uint8Array(byteLength)

function copyTo(allocate: (byteLength: number) => Uint8Array, record: Uint8Array): Uint8Array {
  const target = allocate(record.length)
  target.set(record)
  return target
}
