import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Scheduler } from '../../src/server/scheduler.js'

/** Somebody who waits until told to leave. */
function leaver() {
  const stop = new AbortController()
  const onEnd = (tell: (reason: Error) => void) => {
    const leave = () => tell(stop.signal.reason)
    if (stop.signal.aborted) leave()
    stop.signal.addEventListener('abort', leave)
    return () => stop.signal.removeEventListener('abort', leave)
  }
  return { onEnd, leave: (reason: string) => stop.abort(new Error(reason)) }
}

/** Work that ends when told to. */
function task(log: string[], name: string) {
  let finish = () => {}
  const ended = new Promise<void>((resolve) => {
    finish = resolve
  })
  const work = async () => {
    log.push(name)
    await ended
    return name
  }
  return { work, finish }
}

describe('FairQueue', () => {
  it('runs at most the limit of a lane at once, and the rest in order', async () => {
    const lane = new Scheduler().queue({ running: 2, waiting: 10 })
    const log: string[] = []
    const tasks = ['a', 'b', 'c', 'd'].map((name) => task(log, name))
    const results = tasks.map(({ work }) => lane.run(work))
    expect(log).toEqual(['a', 'b'])
    tasks[1]!.finish()
    await results[1]
    await setImmediate()
    expect(log).toEqual(['a', 'b', 'c'])
    for (const { finish } of tasks) finish()
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('refuses at once what a lane cannot hold', async () => {
    const queue = new Scheduler()
    const lane = queue.queue({ running: 1, waiting: 1 })
    const log: string[] = []
    const first = task(log, 'first')
    const running = lane.run(first.work)
    const waiting = lane.run(async () => 'second')
    expect([queue.running, queue.waiting]).toEqual([1, 1])
    await expect(lane.run(async () => 'third')).rejects.toMatchObject({
      code: -32005,
      message: 'too many requests are waiting',
    })
    first.finish()
    expect(await Promise.all([running, waiting])).toEqual(['first', 'second'])
    await setImmediate()
    expect([queue.running, queue.waiting]).toEqual([0, 0])
  })

  it('lets lanes take turns, however much waits in one of them', async () => {
    const queue = new Scheduler()
    const [greedy, modest] = [
      queue.queue({ running: 1, waiting: 100 }),
      queue.queue({ running: 1, waiting: 100 }),
    ]
    const order: string[] = []
    const blocked = queue.queue({ running: 1, waiting: 100 })
    const busy = (name: string) => () => {
      const end = performance.now() + 3
      while (performance.now() < end);
      order.push(name)
    }
    const all = [
      ...Array.from({ length: 6 }, () => greedy.run(busy('greedy'))),
      modest.run(busy('modest')),
      blocked.run(busy('third')),
    ]
    await Promise.all(all)
    expect(order.indexOf('modest')).toBeLessThan(3)
    expect(order.indexOf('third')).toBeLessThan(4)
  })

  it('lets the event loop turn between pieces of synchronous work', async () => {
    const lane = new Scheduler().queue({ running: 10, waiting: 100 })
    let turns = 0
    let running = true
    const count = async () => {
      while (running) {
        turns++
        await setImmediate()
      }
    }
    const counting = count()
    const busy = () => {
      const end = performance.now() + 3
      while (performance.now() < end);
    }
    await Promise.all(Array.from({ length: 8 }, () => lane.run(busy)))
    running = false
    await counting
    expect(turns).toBeGreaterThanOrEqual(7)
  })

  it('drops what waits when nobody wants it any more, and passes on errors', async () => {
    const lane = new Scheduler().queue({ running: 1, waiting: 10 })
    const log: string[] = []
    const first = task(log, 'first')
    const running = lane.run(first.work)
    const impatient = leaver()
    const dropped = lane.run(async () => log.push('never'), impatient)
    impatient.leave('gone')
    await expect(dropped).rejects.toThrow('gone')
    const absent = leaver()
    absent.leave('was gone')
    await expect(lane.run(async () => {}, absent)).rejects.toThrow('was gone')
    first.finish()
    await running
    const fail = () => {
      throw new RangeError('no')
    }
    expect(() => lane.run(fail)).toThrow(RangeError)
    const held = task(log, 'held')
    const holding = lane.run(held.work)
    const failing = lane.run(fail)
    held.finish()
    await holding
    await expect(failing).rejects.toThrow(RangeError)
    expect(log).toEqual(['first', 'held'])
  })

  it('passes over a lane that everybody has left before its turn', async () => {
    const queue = new Scheduler()
    const [first, left, last] = [0, 1, 2].map(() => queue.queue({ running: 1, waiting: 10 }))
    const busy = () => {
      const end = performance.now() + 3
      while (performance.now() < end);
    }
    const impatient = leaver()
    const running = first!.run(busy)
    const gone = left!.run(async () => 'never', impatient)
    const served = last!.run(async () => 'served')
    impatient.leave('gone')
    await expect(gone).rejects.toThrow('gone')
    await running
    expect(await served).toBe('served')
  })
})
