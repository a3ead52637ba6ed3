import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import * as markers from '../../src/rawdb/markers.js'
import { singleKeys } from '../../src/rawdb/schema.js'
import { memoryDatabase } from './memory-database.js'

const database = (values: Partial<Record<keyof typeof singleKeys, string>>) =>
  memoryDatabase(
    Object.entries(values).map(([name, value]) => [
      singleKeys[name as keyof typeof singleKeys],
      hexToBytes(value),
    ]),
  )

// Values that geth 1.17.5 wrote: a hash-scheme directory after SIGKILL, a path-scheme archive after a clean stop.
const killed = database({
  databaseVersion: '09',
  uncleanShutdown: 'c780c5846b016d71',
  snapshotRoot: 'd427080bd56fe119609192b2332a5fef6f410842612b761157f61a219755a12b',
  snapshotGenerator: 'c88001801f3c821677',
  filterMapsRange: 'cc020182171180820321800180',
})
const stopped = database({ uncleanShutdown: 'c280c0', stateHistoryIndexHead: 'c480820294' })
const empty = memoryDatabase([])

describe('markers', () => {
  it('have the version of the key layout', () => {
    expect(markers.readDatabaseVersion(killed)).toBe(9)
    expect(markers.readDatabaseVersion(empty)).toBeUndefined()
  })

  it('have the sessions that did not stop cleanly', () => {
    expect(markers.readUncleanShutdowns(killed)).toEqual([0x6b016d71])
    expect(markers.readUncleanShutdowns(stopped)).toEqual([])
    expect(markers.readUncleanShutdowns(empty)).toEqual([])
  })

  it('have the root and progress of the flat snapshot', () => {
    expect(markers.readSnapshotRoot(killed)?.[0]).toBe(0xd4)
    expect(markers.readSnapshotGenerator(killed)).toEqual({ isDone: true, marker: new Uint8Array(0) })
    expect(markers.isSnapshotDisabled(killed)).toBe(false)
    expect(markers.isSnapshotDisabled(database({ snapshotDisabled: '3432' }))).toBe(true)
    expect(markers.readSnapshotRoot(empty)).toBeUndefined()
    expect(markers.readSnapshotGenerator(empty)).toBeUndefined()
  })

  it('have the range of the log index', () => {
    expect(markers.readFilterMapsRange(killed)).toEqual({
      version: 2,
      headIndexed: true,
      headDelimiter: 5905,
      blocksFirst: 0,
      blocksAfterLast: 801,
      mapsFirst: 0,
      mapsAfterLast: 1,
      tailPartialEpoch: 0,
    })
    expect(markers.readFilterMapsRange(empty)).toBeUndefined()
  })

  it('read the range without a version, as geth 1.15.6 to 1.15.8 wrote it', () => {
    const range = markers.readFilterMapsRange(database({ filterMapsRange: 'cb0182171180820321800180' }))
    expect(range).toEqual({ ...markers.readFilterMapsRange(killed), version: 0 })
  })

  it('have the state of the older log index, of history indexes and of snap sync', () => {
    expect(markers.readBloomBitsSections(database({ bloomBitsCount: '0000000000000102' }))).toBe(258)
    expect(markers.readStateHistoryIndexHead(stopped)).toEqual({ version: 0, lastId: 660 })
    expect(markers.readSnapSyncStatus(database({ snapSyncStatus: '01' }))).toBe('running')
    expect(markers.readSnapSyncStatus(empty)).toBeUndefined()
  })

  it('that are no RLP are damage', () => {
    expect(() => markers.readFilterMapsRange(database({ filterMapsRange: 'cc0201' }))).toThrow(
      expect.objectContaining({ code: 'DAMAGED' }),
    )
  })
})
