import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { concatBytes } from '../../src/bytes.js'
import { locateDatadir } from '../../src/datadir/locate.js'
import { GethReaderError } from '../../src/errors.js'
import { openView, type View } from '../../src/view/view.js'
import { type TaskOptions, WorkerPool } from '../../src/workers/worker-pool.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let view: View
let pool: WorkerPool

beforeEach(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  view = await openView(locateDatadir(fixture.path), {})
  pool = new WorkerPool({ workers: 1, maxQueue: 2 })
})

afterEach(async () => {
  await pool.close()
  await view.close()
  await fixture[Symbol.asyncDispose]()
})

const senders = (signal?: AbortSignal) => {
  const { hash, header } = view.chain.head()
  return pool.run(
    'recoverSenders',
    { view: view.descriptor, input: { number: header.number, hash, from: 0, to: Number.POSITIVE_INFINITY } },
    { signal },
  )
}

describe('WorkerPool', () => {
  it('answers from the view that the task names', async () => {
    const { chain } = view
    const { hash } = chain.header({ number: 96 })!
    const found = await pool.run('recoverSenders', {
      view: view.descriptor,
      input: { number: 96, hash, from: 0, to: Number.POSITIVE_INFINITY },
    })
    expect(found).toEqual(concatBytes(...chain.senders(chain.block({ hash })!)))
  })

  it('throws what the task throws, with class, code and facts', async () => {
    const filter = { addresses: [], topics: [] }
    const range = { source: 'headerBlooms', from: 0, to: 300, form: 'count', order: 'ascending' } as const
    const scan = { ...range, filter, limit: 1, maxBytes: 1, maxWork: 1 }
    const failed = pool.run('scanPiece', { view: view.descriptor, input: scan }, { deadline: 1 })
    await expect(failed).rejects.toBeInstanceOf(GethReaderError)
    await expect(failed).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  })

  it('refuses a task with QUEUE_FULL if the queue is full', async () => {
    const running = Array.from({ length: 3 }, () => senders())
    await expect(senders()).rejects.toMatchObject({ code: 'QUEUE_FULL', facts: { limit: 2 } })
    await Promise.all(running)
  })

  it('rejects at once with ABORTED and the reason of a signal', async () => {
    const stop = new AbortController()
    const task = senders(stop.signal)
    stop.abort(new Error('no longer wanted'))
    await expect(task).rejects.toMatchObject({ code: 'ABORTED', cause: { message: 'no longer wanted' } })
    await expect(senders(AbortSignal.abort(new Error('never wanted')))).rejects.toMatchObject({
      code: 'ABORTED',
      cause: { message: 'never wanted' },
    })
  })

  it('has nothing running for a task that was given up before its thread could begin', async () => {
    const stop = new AbortController()
    const task = senders(stop.signal)
    expect(pool.busy).toBe(1)
    stop.abort(new Error('no longer wanted'))
    expect(pool.busy).toBe(0)
    await expect(task).rejects.toMatchObject({ code: 'ABORTED' })
    const { chain } = view
    expect(await senders()).toEqual(concatBytes(...chain.senders(chain.block(chain.head())!)))
    expect([pool.running, pool.busy, pool.failures]).toEqual([1, 0, 0])
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
      expect(died).toEqual([{ task: 'recoverSenders', fault: 'worker exited with code: 1' }])
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

  it('fails with WORKER_FAILED if workers cannot start', async () => {
    const broken = new WorkerPool({
      workers: 1,
      maxQueue: 2,
      file: new URL('./absent-worker.mjs', import.meta.url),
    })
    try {
      const task = broken.run('recoverSenders', {
        view: view.descriptor,
        input: { number: 0, hash: new Uint8Array(32), from: 0, to: 1 },
      })
      await expect(task).rejects.toMatchObject({ code: 'WORKER_FAILED' })
    } finally {
      await broken.close()
    }
  })
})

describe('callers', () => {
  /** A pool of one worker whose tasks run until their gate opens. */
  async function withBusyWorkers(
    body: (tools: {
      readonly pool: WorkerPool
      readonly started: Int32Array
      readonly run: (name: number, gate: Int32Array, options: TaskOptions) => Promise<unknown>
    }) => Promise<void>,
  ): Promise<void> {
    const shared = () => new Int32Array(new SharedArrayBuffer(16))
    const started = shared()
    const file = new URL('./busy-worker.mjs', import.meta.url)
    const busy = new WorkerPool({ workers: 1, maxQueue: 10, file })
    const run = (name: number, gate: Int32Array, options: TaskOptions) =>
      busy.run('recoverSenders', { input: { name, gate, started } } as never, options)
    try {
      await body({ pool: busy, started, run })
    } finally {
      await busy.close()
    }
  }
  const gateOf = () => new Int32Array(new SharedArrayBuffer(4))
  const open = (gate: Int32Array) => Atomics.store(gate, 0, 1)
  const has = (started: Int32Array, name: number) => expect.poll(() => started[name])

  it('that have nothing running get a thread although another holds all of the usual number', async () => {
    await withBusyWorkers(async ({ pool: busy, started, run }) => {
      const [long, short] = [gateOf(), gateOf()]
      const [many, one] = [{ caller: {} }, { caller: {} }]
      const first = run(0, long, { lane: many })
      const second = run(1, long, { lane: many })
      await has(started, 0).toBe(1)
      open(short)
      expect(await run(2, short, { lane: one })).toBe(2)
      expect([started[1], busy.queued, busy.busy]).toEqual([0, 1, 1])
      open(long)
      expect(await Promise.all([first, second])).toEqual([0, 1])
      expect([busy.queued, busy.busy]).toEqual([0, 0])
    })
  })

  /** A call of a name, with arguments of so many characters. */
  const callOf =
    (busy: WorkerPool, started: Int32Array, characters = 0) =>
    (name: number, gate: Int32Array, caller: object) => {
      const input = { name, gate, started, request: { encoded: { length: characters } } }
      return busy.run('evm', { input } as never, { lane: { caller } })
    }

  it('with large arguments wait for each other, and others get a thread', async () => {
    await withBusyWorkers(async ({ pool: busy, started, run }) => {
      const [long, short] = [gateOf(), gateOf()]
      const [large, small] = [callOf(busy, started, 2_000_000), callOf(busy, started)]
      const waiting = {}
      const [first, second] = [large(0, long, {}), large(1, short, waiting)]
      await has(started, 0).toBe(1)
      open(short)
      expect(await run(2, short, { lane: { caller: {} } })).toBe(2)
      expect(await small(3, short, {})).toBe(3)
      // Also a caller whose large call waits.
      expect(await small(3, short, waiting)).toBe(3)
      expect([started[1], busy.queued]).toEqual([0, 1])
      open(long)
      expect(await Promise.all([first, second])).toEqual([0, 1])
    })
  })

  it('with a call and a large call leave the thread for calls to a second caller', async () => {
    await withBusyWorkers(async ({ pool: busy, started }) => {
      const [long, short] = [gateOf(), gateOf()]
      const [large, small] = [callOf(busy, started, 2_000_000), callOf(busy, started)]
      const caller = {}
      const [first, second] = [small(0, long, caller), large(1, long, caller)]
      await has(started, 0).toBe(1)
      open(short)
      expect(await small(2, short, {})).toBe(2)
      expect([started[1], busy.queued]).toEqual([0, 1])
      open(long)
      expect(await Promise.all([first, second])).toEqual([0, 1])
    })
  })

  it('run on borrowed workers too, and on none of them after they were asked back', async () => {
    await withBusyWorkers(async ({ pool: busy, started, run }) => {
      const counts: number[] = []
      const use = busy.share({ mostBorrowed: 2, onTasks: (tasks) => counts.push(tasks) })
      const gates = [0, 1, 2, 3].map(gateOf)
      const caller = { lane: { caller: {} } }
      const tasks = gates.map((gate, name) => run(name, gate, caller))
      await has(started, 0).toBe(1)
      expect([Math.max(...counts), busy.workers, started[1]]).toEqual([4, 1, 0])
      use(9)
      for (const name of [1, 2]) await has(started, name).toBe(1)
      expect([busy.workers, started[3]]).toEqual([3, 0])
      use(0)
      open(gates[0]!)
      open(gates[1]!)
      expect(await Promise.all(tasks.slice(0, 2))).toEqual([0, 1])
      expect([busy.workers, busy.busy, busy.queued]).toEqual([1, 1, 1])
      for (const gate of gates) open(gate)
      expect(await Promise.all(tasks)).toEqual([0, 1, 2, 3])
      expect(counts.at(-1)).toBe(0)
    })
  })

  it('without a name get no thread beyond the usual number', async () => {
    await withBusyWorkers(async ({ pool: busy, started, run }) => {
      const gate = gateOf()
      const tasks = [0, 1].map((name) => run(name, gate, {}))
      await has(started, 0).toBe(1)
      expect([busy.busy, busy.queued]).toEqual([1, 1])
      open(gate)
      await Promise.all(tasks)
    })
  })

  it('that have gone leave the queue and free their thread at once', async () => {
    await withBusyWorkers(async ({ pool: busy, started, run }) => {
      const [gate, gone] = [gateOf(), new AbortController()]
      const options = { signal: gone.signal, lane: { caller: {} } }
      const tasks = [run(0, gate, options), run(1, gate, options)]
      await has(started, 0).toBe(1)
      gone.abort(new Error('left'))
      for (const task of tasks) await expect(task).rejects.toMatchObject({ code: 'ABORTED' })
      expect(busy.queued).toBe(0)
      await expect.poll(() => busy.busy).toBe(0)
      expect(started[1]).toBe(0)
    })
  })

  it('that leave before their thread has begun have nothing running, and their place is free with the thread', async () => {
    await withBusyWorkers(async ({ pool: busy, started, run }) => {
      const [gate, gone] = [gateOf(), new AbortController()]
      const first = run(0, gate, { signal: gone.signal })
      expect(busy.busy).toBe(1)
      gone.abort(new Error('left'))
      expect(busy.busy).toBe(0)
      await expect(first).rejects.toMatchObject({ code: 'ABORTED' })
      open(gate)
      const second = run(1, gate, {})
      expect([busy.busy, busy.queued]).toEqual([0, 1])
      expect(await second).toBe(1)
      expect([started[0], busy.running, busy.busy, busy.queued]).toEqual([0, 1, 0, 0])
    })
  })

  it('that wait get CLOSED when the pool closes', async () => {
    await withBusyWorkers(async ({ pool: busy, started, run }) => {
      const gate = gateOf()
      const tasks = [0, 1].map((name) => run(name, gate, {}))
      await has(started, 0).toBe(1)
      const failed = Promise.all(tasks.map((task) => expect(task).rejects.toMatchObject({ code: 'CLOSED' })))
      await busy.close()
      await failed
    })
  })
})

/** What the pool told about dead workers in the last test with some. */
const died: object[] = []
const tell = (fields: object) => void died.push(fields)
const logger = { debug: tell, info: tell, warn: tell, error: tell }

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
    logger,
  })
  died.length = 0
  try {
    await body(() => dying.run('recoverSenders', { input: { times, deaths } } as never))
  } finally {
    await dying.close()
  }
}
