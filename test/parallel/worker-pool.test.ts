import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { locateDatadir } from '../../src/datadir/locate.js'
import { GethReaderError } from '../../src/errors.js'
import { type ChainHandles, openChainHandles } from '../../src/parallel/chain-handles.js'
import { WorkerPool } from '../../src/parallel/worker-pool.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let handles: ChainHandles
let pool: WorkerPool

beforeEach(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  handles = await openChainHandles(locateDatadir(fixture.path), {})
  pool = new WorkerPool({ workers: 1, maxQueue: 2 })
})

afterEach(async () => {
  await pool.close()
  await handles.close()
  await fixture[Symbol.asyncDispose]()
})

const senders = (signal?: AbortSignal) => {
  const { hash } = handles.chain.head()
  return pool.run('recoverSenders', { chain: handles.descriptor, blockHash: hash }, { signal })
}

describe('WorkerPool', () => {
  it('answers from the view that the task names', async () => {
    const { chain } = handles
    const { hash } = chain.header({ number: 96 })!
    const found = await pool.run('recoverSenders', { chain: handles.descriptor, blockHash: hash })
    expect(found).toEqual(chain.senders(chain.block({ hash })!))
  })

  it('throws what the task throws, with class, code and facts', async () => {
    const filter = { addresses: [], topics: [] }
    const range = { source: 'headerBlooms', from: 0, to: 300, order: 'ascending' } as const
    const scan = { ...range, filter, limit: 1, maxBytes: 1, maxWork: 1, deadline: 1 }
    const failed = pool.run('scanLogs', { chain: handles.descriptor, scan })
    await expect(failed).rejects.toBeInstanceOf(GethReaderError)
    await expect(failed).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  })

  it('refuses a task with QUEUE_FULL where as many wait as may', async () => {
    const running = Array.from({ length: 3 }, () => senders())
    await expect(senders()).rejects.toMatchObject({ code: 'QUEUE_FULL', facts: { limit: 2 } })
    await Promise.all(running)
  })

  it('rejects at once with the reason of a signal', async () => {
    const stop = new AbortController()
    const task = senders(stop.signal)
    stop.abort(new Error('no longer wanted'))
    await expect(task).rejects.toThrow('no longer wanted')
    await expect(senders(AbortSignal.abort(new Error('never wanted')))).rejects.toThrow('never wanted')
  })

  it('fails tasks in flight and later ones with CLOSED when it is closed', async () => {
    const task = senders()
    const failed = expect(task).rejects.toMatchObject({ code: 'CLOSED' })
    await pool.close()
    await failed
    await expect(senders()).rejects.toMatchObject({ code: 'CLOSED' })
    await pool.close()
  })

  it('runs a task again whose worker died', async () => {
    const deaths = new Int32Array(new SharedArrayBuffer(4))
    await withDyingWorkers(1, deaths, async (task) => {
      expect(await task()).toBe('survived')
      expect(deaths[0]).toBe(1)
    })
  })

  it('reports a task whose worker dies twice as WORKER_FAILED, and goes on with a new worker', async () => {
    const deaths = new Int32Array(new SharedArrayBuffer(4))
    await withDyingWorkers(2, deaths, async (task) => {
      await expect(task()).rejects.toMatchObject({ code: 'WORKER_FAILED' })
      expect(deaths[0]).toBe(2)
      expect(await task()).toBe('survived')
    })
  })

  it('fails with WORKER_FAILED where workers cannot even start', async () => {
    const broken = new WorkerPool({
      workers: 1,
      maxQueue: 2,
      file: new URL('./absent-worker.mjs', import.meta.url),
    })
    try {
      const task = broken.run('recoverSenders', { chain: handles.descriptor, blockHash: new Uint8Array(32) })
      await expect(task).rejects.toMatchObject({ code: 'WORKER_FAILED' })
    } finally {
      await broken.close()
    }
  })
})

/** A pool whose workers end themselves in the first `times` tasks. */
async function withDyingWorkers(
  times: number,
  deaths: Int32Array,
  body: (task: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const dying = new WorkerPool({
    workers: 1,
    maxQueue: 2,
    file: new URL('./dying-worker.mjs', import.meta.url),
  })
  try {
    await body(() => dying.run('recoverSenders', { times, deaths } as never))
  } finally {
    await dying.close()
  }
}
