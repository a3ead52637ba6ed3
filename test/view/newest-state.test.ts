import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { stateUnavailable } from '../../src/state/state-errors.js'
import type { StateSource } from '../../src/state/state-source.js'
import { newestBlockWithState, scanBlockStates } from '../../src/view/newest-state.js'
import { withView } from './with-view.js'

function unavailable(root: Uint8Array): never {
  throw stateUnavailable(root)
}

describe('the newest block with state', () => {
  it('is found among canonical blocks, starting at an earlier search if there is one', async () => {
    await withView('long-1.13.15-leveldb-bloombits', async (view) => {
      const { db } = view
      const head = view.chain.head().header.number
      const rootOf = (number: number) => bytesToHex(view.chain.header({ number })!.header.stateRoot)
      let asked = 0
      const statesOf = (...numbers: number[]): StateSource => {
        const roots = new Set(numbers.map(rootOf))
        return {
          ...{ scheme: 'hash', descriptor: { scheme: 'hash' }, newerStates: undefined, diskStateRoots: [] },
          layoutOf(root) {
            asked++
            return roots.has(bytesToHex(root)) ? 'trie' : undefined
          },
          stateAt: unavailable,
          listingAt: unavailable,
          triesAt: unavailable,
          close() {},
        }
      }
      const find = (states: StateSource, earlier?: { found: number; searched: number }) =>
        newestBlockWithState({ db, states }, head, earlier)

      const highest = [...scanBlockStates(db, 0, head)].find(
        ({ root }) => bytesToHex(root) === rootOf(3000),
      )!.number
      expect(find(statesOf(3000, 17))).toBe(highest)
      expect(find(statesOf())).toBeUndefined()
      expect(find(statesOf(0))).toBe(
        [...scanBlockStates(db, 0, head)].find(({ root }) => bytesToHex(root) === rootOf(0))!.number,
      )

      asked = 0
      expect(find(statesOf(3000), { found: highest, searched: head - 5 })).toBe(highest)
      expect(asked).toBeLessThan(1050)
      // A state that came since, and one that is gone.
      expect(find(statesOf(3000, head - 128), { found: highest, searched: head - 5 })).toBeGreaterThanOrEqual(
        head - 128,
      )
      expect(find(statesOf(17), { found: highest, searched: head - 5 })).toBeGreaterThanOrEqual(17)
      expect(find(statesOf(17), { found: head + 9, searched: head + 10 })).toBeLessThan(3000)
    })
  })
})
