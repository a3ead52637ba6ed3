import { describe, expect, it } from 'vitest'
import { type Counter, OwnCounter } from '../../../src/server/quotas/counter.js'

/** Takes as many as it gets. */
function takeAll(counter: Counter): number {
  let count = 0
  while (counter.take()) count++
  return count
}

describe('a counter', () => {
  it('holds up to its limit', () => {
    const counter = new OwnCounter(8)
    expect([takeAll(counter), counter.take(), counter.held, counter.free]).toEqual([8, false, 8, 0])
    counter.give(3)
    expect([counter.take(4), counter.take(3), counter.held]).toEqual([false, true, 8])
  })

  it('takes at most half of what is free under a shared limit', () => {
    const all = new OwnCounter(8)
    expect(takeAll(new OwnCounter(Number.POSITIVE_INFINITY, all))).toBe(4)
    expect(takeAll(new OwnCounter(Number.POSITIVE_INFINITY, all))).toBe(2)
    expect(new OwnCounter(1, all).take()).toBe(true)
    expect(all.held).toBe(7)
  })

  it('has places that were given back free again, also under a shared limit', () => {
    const all = new OwnCounter(2)
    const one = new OwnCounter(2, all)
    expect(takeAll(one)).toBe(1)
    one.give()
    expect([takeAll(one), takeAll(new OwnCounter(2, all))]).toEqual([1, 1])
  })

  it('counts what is added above its limit, and then lets nothing in', () => {
    const all = new OwnCounter(10)
    const one = new OwnCounter(5, all)
    one.add(12)
    expect([all.held, new OwnCounter(5, all).take(), one.take()]).toEqual([12, false, false])
  })
})
