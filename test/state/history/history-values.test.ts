import { describe, expect, it } from 'vitest'
import { type HistoryChain, HistoryValues } from '../../../src/state/history/history-values.js'

describe('a listing through the state history', () => {
  it('is refused for states too far after the newest on disk, with the bound and the distance', () => {
    const nothing = { accounts: () => [], slots: () => [] }
    const chain = {
      base: { id: 2_000, values: nothing },
      history: { oldestState: 0 },
    } as unknown as HistoryChain
    const root = new Uint8Array(32).fill(7)
    const values = new HistoryValues(chain, 975, root)
    expect(() => values.accounts()).toThrow(
      expect.objectContaining({
        code: 'STATE_UNAVAILABLE',
        facts: {
          root: `0x${'07'.repeat(32)}`,
          limit: 1024,
          available: expect.stringMatching(/1024 transitions .* this one is 1025 behind$/),
        },
      }),
    )
  })
})
