// Limits over several threads, without processes: every message takes a turn of the event loop.
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { LeasedQuotas } from '../../../src/server/threads/leased-quotas.js'
import { Ledger } from '../../../src/server/threads/ledger.js'
import { Random } from '../../random.js'

/** Threads with a ledger between them. */
function threadsOf(count: number) {
  const clock = { now: 0 }
  const readClock = () => clock.now
  const counts = { leases: 0, recalls: 0, tokens: 0 }
  const ledger = new Ledger(async (thread, names) => {
    counts.recalls++
    await setImmediate()
    return threads[thread]!.returnUnused(names)
  }, readClock)
  const threads: LeasedQuotas[] = Array.from(
    { length: count },
    (_, thread) =>
      new LeasedQuotas(
        {
          async lease(request) {
            counts.leases++
            await setImmediate()
            const granted = await ledger.lease(thread, request)
            await setImmediate()
            return granted
          },
          add: (name, more) => ledger.add(thread, name, more),
          async takeTokens(request) {
            counts.tokens++
            await setImmediate()
            return ledger.takeTokens(request)
          },
        },
        readClock,
      ),
  )
  return { ledger, threads, counts, clock }
}

describe('a counter of several threads', () => {
  it('never holds more than its limit, and all of it if that is needed', async () => {
    const { threads, clock } = threadsOf(4)
    const counters = threads.map((quotas) => quotas.counter('places', 10))
    const all = () => counters.reduce((sum, { held }) => sum + held, 0)
    const random = new Random(7)
    for (let i = 0; i < 300; i++) {
      const counter = random.pick(counters)
      clock.now += 6
      if (counter.held > 0 && random.fraction() < 0.5) counter.give()
      else {
        const before = all()
        expect(await counter.take()).toBe(before < 10)
      }
      expect(all()).toBeLessThanOrEqual(10)
    }
    for (const counter of counters) while (counter.held > 0) counter.give()
    const last = counters[3]!
    while (await last.take()) {}
    expect(last.held).toBe(10)
  })

  it('is asked about once for many that follow each other', async () => {
    const { threads, counts } = threadsOf(2)
    const counter = threads[0]!.counter('answered', 1_024)
    for (let i = 0; i < 1_000; i++) {
      expect(await counter.take()).toBe(true)
      counter.give()
    }
    expect(counts).toMatchObject({ leases: 1, recalls: 0 })
  })

  it('takes what other threads do not use', async () => {
    const { threads, counts, clock } = threadsOf(3)
    const [one, two, three] = threads.map((quotas) => quotas.counter('in flight k', 3))
    expect([await one!.take(3), await two!.take()]).toEqual([true, false])
    one!.give(2)
    clock.now += 5
    expect([await three!.take(2), await three!.take()]).toEqual([true, false])
    expect(counts.recalls).toBeGreaterThanOrEqual(2)
  })

  it('gives an owner at most half of what is free, over all threads', async () => {
    const { threads } = threadsOf(2)
    const of = (name: string) => threads.map((quotas) => quotas.counter(name, 64, quotas.counter('all', 64)))
    const fill = async (counters: ReturnType<typeof of>) => {
      let taken = 0
      for (const counter of counters) while (await counter.take()) taken++
      return taken
    }
    const first = await fill(of('a'))
    expect(first).toBeGreaterThanOrEqual(28)
    expect(first).toBeLessThanOrEqual(32)
    expect(await of('b')[0]!.take()).toBe(true)
  })

  it('counts what is added above the limit for all threads', async () => {
    const { threads, clock } = threadsOf(2)
    const [one, two] = threads.map((quotas) => quotas.counter('bytes', 100))
    one!.add(150)
    expect(await two!.take(1)).toBe(false)
    one!.give(150)
    clock.now += 5
    expect(await two!.take(60)).toBe(true)
  })

  it('has the places of a thread that ended free again', async () => {
    const { threads, ledger } = threadsOf(2)
    const [one, two] = threads.map((quotas) => quotas.counter('connections', 5))
    expect(await one!.take(5)).toBe(true)
    ledger.forget(0)
    expect(ledger.counters).toBe(0)
    expect(await two!.take(5)).toBe(true)
  })

  it('asks nothing while it has no limit, and counts what is held when it gets one', async () => {
    const { threads, counts } = threadsOf(2)
    const [one, two] = threads.map((quotas) => quotas.counter('in flight k', Number.POSITIVE_INFINITY))
    expect([one!.take(5), two!.take(2), counts.leases]).toEqual([true, true, 0])
    for (const counter of [one!, two!]) counter.limit = 8
    expect([await one!.take(), await two!.take(), await two!.take()]).toEqual([true, false, false])
  })
})

describe('a rate of several threads', () => {
  it('lets through what one thread alone would', async () => {
    const { threads, clock } = threadsOf(4)
    const rates = threads.map((quotas) => quotas.rate('rate k', { perSecond: 100, burst: 1 }))
    let allowed = 0
    for (clock.now = 0; clock.now < 10_000; clock.now += 10) {
      const waits = await Promise.all(rates.map((rate) => rate.take(1)))
      allowed += waits.filter((wait) => wait === 0).length
    }
    expect(allowed).toBeGreaterThanOrEqual(950)
    expect(allowed).toBeLessThanOrEqual(1_000)
  })

  it('is never higher than its burst and its rate, whatever portions threads take', async () => {
    const { threads, counts } = threadsOf(4)
    const rates = threads.map((quotas) => quotas.rate('rate k', { perSecond: 10_000, burst: 10_000 }))
    let allowed = 0
    for (;;) {
      const waits = await Promise.all(rates.map((rate) => rate.take(1)))
      const now = waits.filter((wait) => wait === 0).length
      if (now === 0) break
      allowed += now
    }
    expect(allowed).toBe(10_000)
    expect(counts.tokens).toBeLessThan(600)
  })

  it('refuses more than a burst without asking', () => {
    const { threads, counts } = threadsOf(1)
    expect(threads[0]!.rate('rate k', { perSecond: 1, burst: 3 }).take(4)).toBe(Number.POSITIVE_INFINITY)
    expect(counts.tokens).toBe(0)
  })

  it('keeps the tokens that are left when its limit changes', async () => {
    const { threads } = threadsOf(2)
    const [one, two] = threads.map((quotas) => quotas.rate('rate k', { perSecond: 1, burst: 5 }))
    expect(await one!.take(3)).toBe(0)
    for (const rate of [one!, two!]) rate.change({ perSecond: 1, burst: 4 })
    expect([await two!.take(2), (await two!.take(1)) > 0]).toEqual([0, true])
  })
})
