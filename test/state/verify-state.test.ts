import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, equalBytes } from '../../src/bytes.js'
import { emptyCodeHash, emptyRoot } from '../../src/constants.js'
import { locateDatadir } from '../../src/datadir/locate.js'
import { GethReaderError } from '../../src/errors.js'
import {
  codeKey,
  snapshotAccountKey,
  snapshotStorageKey,
  storageTrieNodeKey,
} from '../../src/rawdb/schema.js'
import { openState } from '../../src/state/open-state.js'
import type { ListedAccount, ListedSlot } from '../../src/state/state-values.js'
import { type VerifyStateOptions, verifyState } from '../../src/state/verify-state.js'
import { openView, type View } from '../../src/view/view.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { patchDatabase } from './patched-database.js'

/** Block of the persistent state of the fixture. */
const diskBlock = 152

const strict: VerifyStateOptions = {
  onDamage(damage) {
    throw damage
  },
}

describe('verifyState', () => {
  let fixture: Fixture
  let view: View
  let root: Uint8Array
  let contract: ListedAccount
  let slot: ListedSlot
  beforeAll(async () => {
    fixture = await unpackFixture('rich-1.17.5-leveldb-path')
    view = await openView(locateDatadir(fixture.path), {})
    root = rootOf(diskBlock)
    const listing = view.states.listingAt(root)
    contract = [...listing.accounts()].find(({ account }) => !equalBytes(account.storageRoot, emptyRoot))!
    slot = [...listing.slots(contract)][0]!
  })
  afterAll(async () => {
    await view?.close()
    await fixture?.[Symbol.asyncDispose]()
  })

  const rootOf = (number: number) => view.chain.header({ number })!.header.stateRoot

  /** The states if some values are others, or gone. */
  const patched = (values: Readonly<Record<string, Uint8Array | undefined>>) =>
    openState(patchDatabase(view.db, values))

  it.each([
    [diskBlock, ['flat', 'trie']],
    [60, ['flat']],
    [340, ['flat', 'trie']],
  ])('finds the state of block %i sound, by %j', async (block, sources) => {
    const shares: number[] = []
    const options = { ...strict, onProgress: (share: number) => shares.push(share) }
    const { accounts, slots, codes, ...rest } = await verifyState(view.states, rootOf(block), options)
    expect(rest).toEqual({ sources })
    for (const count of [accounts, slots, codes]) expect(count).toBeGreaterThan(5)
    expect(shares).toEqual([...shares].sort())
    expect(shares.at(-1)).toBe(1)
  })

  it('names the account of which the flat value is gone', async () => {
    const states = patched({ [bytesToHex(snapshotAccountKey(contract.hash))]: undefined })
    await expect(verifyState(states, root, strict)).rejects.toMatchObject({
      code: 'DAMAGED',
      facts: { root: bytesToHex(root), key: bytesToHex(contract.hash), expected: bytesToHex(root) },
    })
  })

  it('names the slot that has another flat value, and goes on if it may', async () => {
    const key = bytesToHex(snapshotStorageKey(contract.hash, slot.hash))
    const states = patched({ [key]: Uint8Array.of(0x2a) })
    const facts = { key: bytesToHex(slot.hash), expected: bytesToHex(contract.account.storageRoot) }
    await expect(verifyState(states, root, strict)).rejects.toMatchObject({ code: 'DAMAGED', facts })
    const damage: GethReaderError[] = []
    await verifyState(states, root, { onDamage: (found) => damage.push(found) })
    expect(damage).toHaveLength(1)
    expect(damage[0]!.message).toContain(bytesToHex(contract.hash))
  })

  it('throws what is damaged or missing beneath', async () => {
    const withCode = [...view.states.listingAt(root).accounts()].find(
      ({ account }) => !equalBytes(account.codeHash, emptyCodeHash),
    )!
    const code = bytesToHex(codeKey(withCode.account.codeHash))
    await expect(verifyState(patched({ [code]: undefined }), root, strict)).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
    })
    await expect(verifyState(patched({ [code]: Uint8Array.of(1) }), root, strict)).rejects.toMatchObject({
      code: 'DAMAGED',
    })
    const node = bytesToHex(storageTrieNodeKey(contract.hash, new Uint8Array()))
    await expect(verifyState(patched({ [node]: undefined }), root, strict)).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
    })
  })

  it('throws if there is no such state', async () => {
    await expect(verifyState(view.states, new Uint8Array(32).fill(1), strict)).rejects.toThrow(
      GethReaderError,
    )
  })
})
