import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { locateDatadir } from '../../src/datadir/locate.js'
import { GethReaderError } from '../../src/errors.js'
import type { KeyValueReader } from '../../src/ethdb/key-value-reader.js'
import { type ChainHandles, openChainHandles, refreshChainHandles } from '../../src/parallel/chain-handles.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let handles: ChainHandles
beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  handles = await openChainHandles(locateDatadir(fixture.path), {})
})
afterAll(async () => {
  await handles.close()
  await fixture[Symbol.asyncDispose]()
})

/** Handles whose store gives views of which a table is gone, and after some of them a good one. */
function refreshing(unstable: number) {
  const counts = { taken: 0, closed: 0 }
  const gone = () => {
    throw new GethReaderError('VIEW_UNSTABLE', 'a table was deleted')
  }
  const lost = { ...handles.db.kv, descriptor: handles.db.kv.descriptor, get: gone, scan: gone }
  const close = async () => {
    counts.closed++
  }
  const refresh = () =>
    counts.taken++ < unstable ? ({ ...lost, close } as KeyValueReader) : handles.db.kv.refresh!()
  const db = { ...handles.db, kv: { descriptor: handles.db.kv.descriptor, refresh } as KeyValueReader }
  return { counts, previous: { ...handles, descriptor: handles.descriptor, db } }
}

describe('a view of which the node deletes a table while it is taken', () => {
  it('is closed, and another one is taken', async () => {
    const { counts, previous } = refreshing(4)
    const other = await refreshChainHandles(previous, locateDatadir(fixture.path), {})
    expect(other?.chain.head().hash).toEqual(handles.chain.head().hash)
    expect(counts).toEqual({ taken: 5, closed: 4 })
  })

  it('is an error where none of five lasts', async () => {
    const { counts, previous } = refreshing(5)
    await expect(refreshChainHandles(previous, locateDatadir(fixture.path), {})).rejects.toMatchObject({
      code: 'VIEW_UNSTABLE',
    })
    expect(counts).toEqual({ taken: 5, closed: 5 })
  })
})
