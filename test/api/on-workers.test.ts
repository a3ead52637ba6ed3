// Work on many items: what an error does to the other items.
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { forEachOnWorkers } from '../../src/api/on-workers.js'
import type { Datadir } from '../../src/datadir/datadir.js'

const twoWorkers = { workers: { limit: 2 } } as Datadir

it('throws the first error after the item of the other worker was cancelled and has ended, and begins no further item', async () => {
  const ended: number[] = []
  const work = async (item: number, signal: AbortSignal) => {
    if (item === 2) throw new Error('the second')
    await once(signal, 'abort')
    // What a worker still does after it was cancelled.
    await new Promise((resolve) => setImmediate(resolve))
    ended.push(item)
    throw new Error('cancelled')
  }
  const all = forEachOnWorkers(twoWorkers, [1, 2, 3], { signal: undefined, work })
  await expect(all).rejects.toThrow('the second')
  expect(ended).toEqual([1])
})

it("throws ABORTED with the reason of the caller's signal, and begins no further item", async () => {
  const leaving = new AbortController()
  const begun: number[] = []
  const work = async (item: number) => {
    begun.push(item)
    if (item === 2) leaving.abort('enough')
  }
  const all = forEachOnWorkers(twoWorkers, [1, 2, 3, 4], { signal: leaving.signal, work })
  await expect(all).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' })
  expect(begun).toEqual([1, 2])
})

it('begins as many items as there are workers, and those ahead', async () => {
  const begun: number[] = []
  const waiting: (() => void)[] = []
  const work = (item: number) => {
    begun.push(item)
    return new Promise<void>((resolve) => waiting.push(resolve))
  }
  const all = forEachOnWorkers(twoWorkers, [1, 2, 3, 4], { signal: undefined, work, ahead: 1 })
  expect(begun).toEqual([1, 2, 3])
  waiting[0]!()
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual([1, 2, 3, 4])
  for (const end of waiting) end()
  await all
})
