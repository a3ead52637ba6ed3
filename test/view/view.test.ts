import { describe, expect, it } from 'vitest'
import { GethReaderError } from '../../src/errors.js'
import type { KeyValueReader } from '../../src/ethdb/key-value-reader.js'
import { refreshView, type View } from '../../src/view/view.js'
import { withView } from './with-view.js'

/** Handles whose store gives views of which a table is gone, and after some of them a good one. */
function refreshing(view: View, unstable: number) {
  const { db, descriptor } = view
  const counts = { taken: 0, closed: 0 }
  const gone = () => {
    throw new GethReaderError('VIEW_UNSTABLE', 'a table was deleted')
  }
  const close = async () => {
    counts.closed++
  }
  const lost = { descriptor: db.kv.descriptor, get: gone, scan: gone, close } as unknown as KeyValueReader
  const refresh = () => (counts.taken++ < unstable ? lost : db.kv.refresh())
  const kv = { descriptor: db.kv.descriptor, refresh } as KeyValueReader
  return { counts, previous: { ...view, descriptor, db: { ...db, kv } } }
}

describe('a view of which the node deletes a table while it is taken', () => {
  it('is closed, and another one is taken', async () => {
    await withView('rich-1.17.5-leveldb-hash-archive', async (view, folders) => {
      const { counts, previous } = refreshing(view, 4)
      const other = await refreshView(previous, folders, {})
      expect(other?.chain.head().hash).toEqual(view.chain.head().hash)
      expect(counts).toEqual({ taken: 5, closed: 4 })
      await other?.close()
    })
  })

  it('is an error if none of five lasts', async () => {
    await withView('rich-1.17.5-leveldb-hash-archive', async (view, folders) => {
      const { counts, previous } = refreshing(view, 5)
      await expect(refreshView(previous, folders, {})).rejects.toMatchObject({
        code: 'VIEW_UNSTABLE',
      })
      expect(counts).toEqual({ taken: 5, closed: 5 })
    })
  })
})
