// A log reaches exactly the subscriptions whose criteria it meets, each once, over random criteria and logs.
import { expect, it } from 'vitest'
import { LogSubscribers } from '../../../src/rpc/subscriptions/log-subscribers.js'
import { Random } from '../../random.js'

const address = (n: number) => `0x${String(n).padStart(40, '0')}`
const topic = (n: number) => `0x${String(n).padStart(64, '0')}`
const nothing = () => {}

it('finds the subscriptions of a log as a look at each of them does', () => {
  const random = new Random(3)
  const some = (value: (n: number) => string) =>
    random.oneIn(3)
      ? undefined
      : new Set(Array.from({ length: 1 + random.below(3) }, () => value(random.below(6))))
  const subscriptions = Array.from({ length: 200 }, () => ({
    criteria: {
      from: random.below(3),
      to: 5 + random.below(3),
      addresses: some(address),
      topics: Array.from({ length: random.below(4) }, () => some(topic)),
    },
    notify: nothing,
  }))
  const index = new LogSubscribers()
  for (const subscription of subscriptions) index.add(subscription)
  const left = subscriptions.filter((subscription, i) => {
    if (i % 3 === 0) index.delete(subscription)
    return i % 3 !== 0
  })
  let matches = 0
  for (let i = 0; i < 300; i++) {
    const topics = Array.from({ length: random.below(5) }, () => topic(random.below(6)))
    const log = { json: '', block: random.below(9), address: address(random.below(6)), topics }
    const expected = left.filter(({ criteria }) => {
      const { from, to, addresses } = criteria
      const isTopics = criteria.topics.every((wanted, i) =>
        i < topics.length ? (wanted?.has(topics[i]!) ?? true) : false,
      )
      return from <= log.block && log.block <= to && (addresses?.has(log.address) ?? true) && isTopics
    })
    matches += expected.length
    const found = [...index.of(log)]
    expect(found.length).toBe(expected.length)
    expect(new Set(found)).toEqual(new Set(expected))
  }
  expect(matches).toBeGreaterThan(1_000)
  for (const subscription of left) index.delete(subscription)
  expect(index.isEmpty).toBe(true)
})
