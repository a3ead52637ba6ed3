import { describe, expect, it } from 'vitest'
import { ByteBudget } from '../../src/server/byte-budget.js'

const long = 600_000
const [one, other] = [{}, {}]

describe('a byte budget', () => {
  it('holds up to the limit of an owner, and up to the limit for all', async () => {
    const budget = new ByteBudget({ total: 100, owner: 30, waitMilliseconds: 0 })
    const first = budget.open(one)
    expect([first.take(30), await first.take(1)]).toEqual([true, false])
    expect(budget.open(other).take(30)).toBe(true)
    expect(await budget.open({}).take(41)).toBe(false)
    expect(budget.held).toBe(60)
    first.release()
    expect(budget.held).toBe(30)
    expect(budget.open(one).take(30)).toBe(true)
  })

  it('gives an owner at most half of what is free', () => {
    const budget = new ByteBudget({ total: 100, owner: 100 })
    const charge = budget.open(one)
    let taken = 0
    while (charge.takeNow(1)) taken++
    expect(taken).toBe(50)
    expect(budget.open(other).takeNow(25)).toBe(true)
    charge.release()
  })

  it('lets bytes wait until others are given back, in their order', async () => {
    const budget = new ByteBudget({ total: 100, owner: 50, waitMilliseconds: long })
    const held = budget.open(one)
    expect(held.take(50)).toBe(true)
    const order: number[] = []
    const waiting = [1, 2, 3].map(async (id) => {
      const charge = budget.open(one)
      expect(await charge.take(25)).toBe(true)
      order.push(id)
      return charge
    })
    // What is free for another owner is not held up.
    expect(budget.open(other).takeNow(10)).toBe(true)
    held.release()
    const [first] = await Promise.all(waiting.slice(0, 2))
    expect([order, budget.held]).toEqual([[1, 2], 60])
    first!.release()
    await waiting[2]
    expect(order).toEqual([1, 2, 3])
  })

  it('refuses at once what can never fit, and existing bytes of which many wait', async () => {
    const budget = new ByteBudget({ total: 100, owner: 50, waitMilliseconds: long })
    expect(budget.open(one).take(51)).toBe(false)
    const held = budget.open(one)
    held.settle(50)
    const charge = budget.open(one)
    const waiting = charge.takeExisting(8)
    expect(budget.open(one).takeExisting(3)).toBe(false)
    held.release()
    expect(await waiting).toBe(true)
    expect(budget.open(one).takeExisting(3)).toBe(true)
  })

  it('lets nothing wait for work that has ended', async () => {
    const budget = new ByteBudget({ total: 100, owner: 50, waitMilliseconds: long })
    const held = budget.open(one)
    held.settle(60)
    const charge = budget.open(one)
    const waiting = charge.take(10)
    charge.release()
    expect(await waiting).toBe(false)
    expect([charge.take(1), charge.held]).toEqual([false, 0])
    held.release()
    held.release()
    expect(budget.held).toBe(0)
  })

  it('counts bytes that are there already, also above the limits', () => {
    const budget = new ByteBudget({ total: 100, owner: 50 })
    const charge = budget.open(one)
    charge.settle(120)
    expect([budget.held, budget.open(other).takeNow(1)]).toEqual([120, false])
    charge.settle(20)
    expect([budget.held, budget.open(other).takeNow(1)]).toEqual([20, true])
  })
})
