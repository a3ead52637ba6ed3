import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, equalBytes } from '../../src/bytes.js'
import { emptyCodeHash } from '../../src/constants.js'
import { locateDatadir } from '../../src/datadir/locate.js'
import { codeKey } from '../../src/rawdb/schema.js'
import { openState, openStateFromDescriptor } from '../../src/state/open-state.js'
import type { ReplayedBlocks } from '../../src/state/replayed-blocks.js'
import { replayBlocks } from '../../src/view/replay-blocks.js'
import { openView, type View } from '../../src/view/view.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { describeListing } from './conformance.js'
import { patchDatabase } from './patched-database.js'

describe('replayed states', () => {
  let fixture: Fixture
  let view: View
  let piece: ReplayedBlocks
  beforeAll(async () => {
    fixture = await unpackFixture('rich-1.17.5-leveldb-hash-full-killed')
    view = await openView(locateDatadir(fixture.path), {})
    piece = await replayBlocks(view, { from: 1, to: 200, maxBytes: 2 ** 30 })
  })
  afterAll(async () => {
    await view?.close()
    await fixture?.[Symbol.asyncDispose]()
  })

  const rootOf = (number: number) => view.chain.header({ number })!.header.stateRoot

  it('are read once they are adopted, each piece once', () => {
    const states = openState(view.db)
    expect(states.layoutOf(rootOf(200))).toBeUndefined()
    expect(states.descriptor.replayed).toBeUndefined()
    states.adopt([piece])
    const bytes = states.replayedBytes
    expect(bytes).toBeGreaterThan(100_000)
    states.adopt([piece, piece])
    expect(states.replayedBytes).toBe(bytes)
    expect([0, 1, 2, 200, 201].map((number) => states.layoutOf(rootOf(number)))).toEqual([
      'trie',
      'snapshot',
      'replay',
      'replay',
      undefined,
    ])
    expect(bytesToHex(states.baseOf(rootOf(200)))).toBe(bytesToHex(rootOf(0)))
    expect(bytesToHex(states.baseOf(rootOf(0)))).toBe(bytesToHex(rootOf(0)))
  })

  it('are there for other threads', () => {
    const states = openState(view.db)
    states.adopt([piece])
    const elsewhere = openStateFromDescriptor(view.db, structuredClone(states.descriptor))
    const listing = describeListing(elsewhere.listingAt(rootOf(150)))
    expect(listing).toEqual(describeListing(states.listingAt(rootOf(150))))
    expect(listing.length).toBeGreaterThan(50)
  })

  it('have the codes that they placed, also if those are not on disk', () => {
    const states = openState(view.db)
    states.adopt([piece])
    const codes = [...states.listingAt(rootOf(200)).accounts()]
      .map(({ account }) => account.codeHash)
      .filter((hash) => !equalBytes(hash, emptyCodeHash))
    const without = Object.fromEntries(codes.map((hash) => [bytesToHex(codeKey(hash)), undefined]))
    const bare = openState(patchDatabase(view.db, without))
    bare.adopt([piece])
    const state = bare.stateAt(rootOf(200))
    const found = codes.filter((hash) => {
      try {
        return state.code(hash).length > 0
      } catch {
        return false
      }
    })
    // What genesis holds was placed by no block.
    expect(found.length).toBeGreaterThan(10)
    expect(found.length).toBeLessThan(codes.length)
  })

  it('are left out if the trie of their base is not on disk', async () => {
    // Here the state of genesis is in the state history.
    await using other = await unpackFixture('rich-1.17.5-leveldb-path-killed')
    const others = await openView(locateDatadir(other.path), {})
    try {
      others.states.adopt([piece])
      expect(others.states.replayedBytes).toBe(0)
      expect(others.states.layoutOf(rootOf(200))).toBe('history')
    } finally {
      await others.close()
    }
  })
})
