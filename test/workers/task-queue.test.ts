import { describe, expect, it } from 'vitest'
import { TaskQueue } from '../../src/workers/task-queue.js'

interface Item {
  readonly name: string
}

/** Everything that waits, in the order in which it is served. */
function order(queue: TaskQueue<Item>): string {
  const names: string[] = []
  for (let item = queue.shift(); item; item = queue.shift()) names.push(item.name)
  return names.join(' ')
}

describe('a fair queue', () => {
  it('serves what has no lane in the order in which it came', () => {
    const queue = new TaskQueue<Item>()
    for (const name of ['a', 'b', 'c']) queue.push({ name })
    expect([queue.size, order(queue), queue.size]).toEqual([3, 'a b c', 0])
  })

  it('serves callers in turn, however many queries one of them has', () => {
    const queue = new TaskQueue<Item>()
    const [many, one] = [{}, {}]
    for (const name of ['m1', 'm2', 'm3']) queue.push({ name }, { caller: many, query: {} })
    queue.push({ name: 'o1' }, { caller: one, query: {} })
    queue.push({ name: 'o2' }, { caller: one, query: {} })
    expect(order(queue)).toBe('m1 o1 m2 o2 m3')
  })

  it('serves the queries of a caller in turn, however many tasks one of them has', () => {
    const queue = new TaskQueue<Item>()
    const [caller, long, short] = [{}, {}, {}]
    for (const name of ['l1', 'l2', 'l3']) queue.push({ name }, { caller, query: long })
    queue.push({ name: 's1' }, { caller, query: short })
    expect(order(queue)).toBe('l1 s1 l2 l3')
  })

  it('passes over callers that may have nothing now, without taking their place', () => {
    const queue = new TaskQueue<Item>()
    const [busy, idle] = [{}, {}]
    queue.push({ name: 'busy' }, { caller: busy })
    queue.push({ name: 'idle' }, { caller: idle })
    expect(queue.shift(({ name }) => name !== 'busy')).toEqual({ name: 'idle' })
    expect(queue.shift(() => false)).toBeUndefined()
    expect(order(queue)).toBe('busy')
  })

  it('passes over queries that may have nothing now, without taking their place', () => {
    const queue = new TaskQueue<Item>()
    const caller = {}
    queue.push({ name: 'large' }, { caller })
    queue.push({ name: 'small' }, { caller })
    queue.push({ name: 'smaller' }, { caller })
    expect(queue.shift(({ name }) => name !== 'large')).toEqual({ name: 'small' })
    expect(order(queue)).toBe('large smaller')
  })

  it('gives up an item that nobody waits for, once', () => {
    const queue = new TaskQueue<Item>()
    const lane = { caller: {}, query: {} }
    const remove = queue.push({ name: 'a' }, lane)
    queue.push({ name: 'b' }, lane)
    remove()
    remove()
    expect([queue.size, order(queue)]).toEqual([1, 'b'])
  })
})
