import { describe, expect, it } from 'vitest'
import { defaultLimits } from '../../src/rpc/limits.js'
import { logChanges } from '../../src/rpc/subscriptions/filter-changes.js'
import { fakeBackend } from './fake-backend.js'

const limits = defaultLimits
const block = { number: 7, hash: new Uint8Array(32).fill(7) }

describe('changes of a log filter', () => {
  // A request takes its view, then waits for its turn; meanwhile the filter hears of a block.
  it.each(['added', 'dropped'] as const)(
    'need another view if this one has not got a block: %s',
    async (kind) => {
      const view = fakeBackend({
        header: () => undefined,
        head: () => ({ header: { number: 6 } }) as never,
      }).view()
      const changes = logChanges({ view, limits }, { addresses: [], topics: [] } as never, {
        steps: [{ kind, block }],
        last: block,
      })
      await expect(changes).rejects.toMatchObject({ code: 'VIEW_UNSTABLE', facts: { block: 7n } })
    },
  )
})
