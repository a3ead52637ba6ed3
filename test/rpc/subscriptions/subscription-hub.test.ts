// The subscriptions of a service: what is told to many does not hold up everybody else.
import { expect, it } from 'vitest'
import type { ChainView } from '../../../src/datadir/chain-view.js'
import type { HeadChanges, HeadSource } from '../../../src/datadir/head-changes.js'
import { compileCriteria } from '../../../src/rpc/subscriptions/log-criteria.js'
import { SubscriptionHub, type Topic } from '../../../src/rpc/subscriptions/subscription-hub.js'

const log = `{"address":"0x${'11'.repeat(20)}","topics":[],"removed":false}`
const logs = 8
const json = {
  length: logs,
  parts: [new TextEncoder().encode(Array.from({ length: logs }, () => log).join(','))],
}
const view = { logsOfBlock: () => ({ json }), chain: {} } as unknown as ChainView

/** A hub, and what tells it of a block. `answer` is what the view is asked for, if it is not logs. */
function openHub(answer?: string) {
  let listener: Parameters<HeadChanges['listen']>[1] | undefined
  const changes = {
    listen(_: ChainView, given: typeof listener) {
      listener = given
      return () => {}
    },
  } as unknown as HeadChanges
  const ask = async (work: (view: ChainView) => unknown) => answer ?? work(view)
  const errors: unknown[] = []
  const hub = new SubscriptionHub(changes, { ask } as HeadSource, (error) => errors.push(error))
  const block = { number: 1, hash: new Uint8Array(32) }
  const publish = (blocks = 1) =>
    listener!.onChange({ dropped: [], added: Array(blocks).fill(block), head: block })
  return { hub, errors, publish }
}

/** In which turn of the event loop each of some subscribers is notified, if a notification takes 6 ms. */
async function turnsOf(
  topics: readonly Topic[],
  { notifications, answer }: { notifications: number; answer?: string },
) {
  const { hub, errors, publish } = openHub(answer)
  const texts: string[] = []
  const notified: number[] = []
  let turns = 0
  const notify = (text: string) => {
    texts.push(text)
    notified.push(turns)
    // As long as the notifications of thousands of subscriptions take.
    const end = performance.now() + 6
    while (performance.now() < end);
  }
  for (const topic of topics) hub.add(view, { topic, notify, fail: () => expect.unreachable() })
  publish()
  while (notified.length < notifications) {
    await new Promise(setImmediate)
    turns++
  }
  expect(errors).toEqual([])
  return { texts, turns: new Set(notified).size }
}

const anyLog = compileCriteria({ addresses: [], topics: [] })

it('lets others in while a block has many notifications', async () => {
  const topic = { type: 'logs', criteria: anyLog } as const
  expect((await turnsOf([topic], { notifications: logs })).turns).toBe(logs)
})

it('lets others in while many are notified of one thing', async () => {
  const many = <T extends Topic>(topic: T) => Array<T>(5).fill(topic)
  const ofLogs = many({ type: 'logs', criteria: anyLog } as const)
  expect((await turnsOf(ofLogs, { notifications: 5 * logs })).turns).toBe(5 * logs)
  const heads = many({ type: 'newHeads' })
  expect((await turnsOf(heads, { notifications: 5, answer: '{}' })).turns).toBe(5)
  const receipts = many({ type: 'transactionReceipts', hashes: undefined })
  expect((await turnsOf(receipts, { notifications: 5, answer: '[{}]' })).turns).toBe(5)
})

it('notifies each subscriber of its receipts, in their order', async () => {
  const receipt = (hash: string) => `{"transactionHash":"${hash}","logs":[]}`
  const answer = `[${['a', 'b', 'c'].map(receipt).join()}]`
  const of = (...hashes: string[]) => ({ type: 'transactionReceipts', hashes: new Set(hashes) }) as const
  const { texts } = await turnsOf([of('c', 'a'), of('x'), of('b')], { notifications: 2, answer })
  expect(texts).toEqual([`[${receipt('a')},${receipt('c')}]`, `[${receipt('b')}]`])
})

it('notifies no subscription that has ended while others were notified', async () => {
  const { hub, publish } = openHub('{}')
  const notified: string[] = []
  const ends: (() => void)[] = []
  const subscribe = (name: string) => {
    const notify = () => {
      notified.push(name)
      ends[1]?.()
    }
    ends.push(hub.add(view, { topic: { type: 'newHeads' }, notify, fail: () => expect.unreachable() }))
  }
  subscribe('first')
  subscribe('second')
  publish()
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  expect(notified).toEqual(['first'])
})

it('has nothing of an earlier time for a subscription that begins after all others have ended', async () => {
  const { hub, publish } = openHub('{}')
  const notified: string[] = []
  const topic = { type: 'newHeads' } as const
  const fail = () => expect.unreachable()
  const endFirst = hub.add(view, { topic, notify: () => notified.push('first'), fail })
  publish(3)
  while (notified.length === 0) await new Promise(setImmediate)
  endFirst()
  hub.add(view, { topic, notify: () => notified.push('second'), fail })
  while (hub.lag > 0) await new Promise(setImmediate)
  expect(notified).not.toContain('second')
})
