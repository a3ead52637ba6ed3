// The subscriptions of a service: what is told to many does not hold up everybody else.
import { expect, it } from 'vitest'
import type { ChainView } from '../../../src/datadir/chain-view.js'
import type { HeadChanges, HeadSource } from '../../../src/datadir/head-changes.js'
import { compileCriteria } from '../../../src/rpc/subscriptions/log-criteria.js'
import { SubscriptionHub } from '../../../src/rpc/subscriptions/subscription-hub.js'

it('lets others in while a block has many notifications', async () => {
  const logs = 8
  const log = `{"address":"0x${'11'.repeat(20)}","topics":[],"removed":false}`
  const json = {
    length: logs,
    parts: [new TextEncoder().encode(Array.from({ length: logs }, () => log).join(','))],
  }
  const view = { logsOfBlock: () => ({ json }) } as unknown as ChainView
  let listener: Parameters<HeadChanges['listen']>[1] | undefined
  const changes = {
    listen(_: ChainView, given: typeof listener) {
      listener = given
      return () => {}
    },
  } as unknown as HeadChanges
  const source = { ask: async (work: (view: ChainView) => unknown) => work(view) } as HeadSource
  const errors: unknown[] = []
  const hub = new SubscriptionHub(changes, source, (error) => errors.push(error))
  const notified: number[] = []
  let turns = 0
  const notify = () => {
    notified.push(turns)
    // As long as the notifications of thousands of subscriptions take.
    const end = performance.now() + 6
    while (performance.now() < end);
  }
  const criteria = compileCriteria({ addresses: [], topics: [] })
  hub.add(view, { topic: { type: 'logs', criteria }, notify, fail: () => expect.unreachable() })
  const block = { number: 1, hash: new Uint8Array(32) }
  listener!.onChange({ dropped: [], added: [block], head: block })
  while (notified.length < logs) {
    await new Promise(setImmediate)
    turns++
  }
  expect(new Set(notified).size).toBe(logs)
  expect(errors).toEqual([])
})
