// Windows on stored records: which records are cached for a later scan.
import { expect, test } from 'vitest'
import { ScratchMemory } from '../../src/kernel/scratch-memory.js'
import { RecordWindow } from '../../src/logs/record-window.js'
import type { AncientTable } from '../../src/rawdb/chain-database.js'

/** A table of records so long that each is read alone, and the numbers of those that were read. */
function longRecords(): { readonly table: AncientTable; readonly reads: number[] } {
  const reads: number[] = []
  const table: AncientTable = {
    tail: 0,
    head: 100,
    read: () => undefined,
    readRaw(item, allocate = (byteLength) => new Uint8Array(byteLength)) {
      reads.push(item)
      return allocate(20_000 + item).fill(item)
    },
    readBatch: () => undefined,
    decodeItem: (_item, stored) => stored,
  }
  return { table, reads }
}

test('only the last record is cached, if it is asked for', () => {
  const { table, reads } = longRecords()
  const scan = () => {
    const memory = new ScratchMemory()
    const window = new RecordWindow(memory, table, 'ascending')
    const bytes = (number: number) => memory.bytes(window.stored(number)!).slice()
    return { window, bytes }
  }
  const first = scan()
  first.bytes(5)
  first.bytes(6)
  first.window.cache(6)
  first.bytes(7)
  first.window.cache(6)
  const second = scan()
  expect(second.bytes(6)).toEqual(new Uint8Array(20_006).fill(6))
  // It came from the cache: what is in the memory is no longer that of a read.
  second.window.cache(6)
  second.bytes(5)
  second.bytes(7)
  expect(scan().bytes(6)).toEqual(new Uint8Array(20_006).fill(6))
  expect(reads).toEqual([5, 6, 7, 5, 7])
})
