import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { Chain } from '../../src/chain/chain.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { readBlockRecord } from '../../src/rawdb/block-data.js'
import { bodyKey, receiptsKey } from '../../src/rawdb/schema.js'
import { openState } from '../../src/state/open-state.js'
import { decodeReceipts, encodeStoredReceipts } from '../../src/types/receipt.js'
import { executeBlocks } from '../../src/view/execute-blocks.js'
import { blocksWithoutNodes } from '../../src/view/find-nodes.js'
import { PendingNodes } from '../../src/view/new-nodes.js'
import type { View } from '../../src/view/view.js'
import { patchDatabase } from '../state/patched-database.js'
import { withView } from './with-view.js'

const unlimited = { maxBytes: Number.POSITIVE_INFINITY }
const archive = 'rich-1.17.5-leveldb-hash-archive'

/** The view with other values in its key-value store. */
function patched(view: View, values: Readonly<Record<string, Uint8Array | undefined>>): View {
  const db = { ...view.db, kv: patchDatabase(view.db, values).kv }
  return { ...view, db, chain: new Chain(db, view.chain.config), states: openState(db) }
}

/** The key of a record of a block that is not frozen, and its bytes. */
function recordOf(view: View, table: 'bodies' | 'receipts', number: number) {
  const { hash } = view.chain.header({ number })!
  const key = bytesToHex(table === 'bodies' ? bodyKey(number, hash) : receiptsKey(number, hash))
  return { key, rlp: readBlockRecord(view.db, table, { number, hash, isCanonical: true })!.rlp }
}

describe('executeBlocks', () => {
  // Every fork from Frontier to Osaka, proof of work with uncles, withdrawals, requests, all transaction types.
  it.each([
    [archive, 341],
    ['rich-1.17.5-leveldb-path-archive-trienodes', 341],
    ['shanghai-1.13.15-leveldb-hash-archive', 221],
  ])('finds every block of %s right', async (name, blocks) => {
    await withView(name, async (view) => {
      const to = view.chain.head().header.number
      expect(to).toBe(blocks - 1)
      const done = await executeBlocks(view, { from: 1, to, ...unlimited })
      expect(done).toMatchObject({ blocks: to, roots: to })
      expect(done.transactions).toBeGreaterThan(500)
    })
  })

  it('compares values if trie nodes are not on disk', async () => {
    await withView('rich-1.17.5-leveldb-path-archive', async (view) => {
      expect(await executeBlocks(view, { from: 1, to: 150, ...unlimited })).toMatchObject({
        blocks: 150,
        roots: 0,
      })
    })
  })

  it('reads the state again when it has become too large, and says so if it is not on disk', async () => {
    await withView(archive, async (view) => {
      const done = await executeBlocks(view, { from: 1, to: 60, maxBytes: 1 })
      expect(done).toMatchObject({ blocks: 60, roots: 60 })
    })
    await withView('rich-1.17.5-leveldb-hash-full-killed', async (view) => {
      expect(await executeBlocks(view, { from: 1, to: 60, ...unlimited })).toMatchObject({ blocks: 60 })
      await expect(executeBlocks(view, { from: 1, to: 60, maxBytes: 1 })).rejects.toMatchObject({
        code: 'STATE_UNAVAILABLE',
        facts: { block: 2n, limit: 1 },
      })
    })
  })

  it('names the block of a receipt, a body and trie nodes that are not right', async () => {
    await withView(archive, async (view) => {
      const range = { from: 290, to: 340, ...unlimited }
      const refuse = (values: Record<string, Uint8Array | undefined>) =>
        expect(executeBlocks(patched(view, values), range)).rejects
      const number = 300
      const facts = { block: 300n }
      const receipts = recordOf(view, 'receipts', number)
      const decoded = decodeReceipts(receipts.rlp)
      expect(decoded.length).toBeGreaterThan(1)
      const change = (index: number, changed: object) =>
        encodeStoredReceipts(
          decoded.map((receipt, i) => (i === index ? { ...receipt, ...changed } : receipt)),
        )
      await refuse({ [receipts.key]: change(1, { status: 0 }) }).toMatchObject({
        code: 'DAMAGED',
        message: expect.stringMatching(
          /^block 300: its stored receipts are not those of its execution: transaction 1 has the status 1, its receipt 0$/,
        ),
        facts,
      })
      const log = { address: new Uint8Array(20), topics: [], data: new Uint8Array() }
      await refuse({ [receipts.key]: change(0, { logs: [log] }) }).toMatchObject({ code: 'DAMAGED', facts })
      await refuse({ [receipts.key]: undefined }).toMatchObject({ code: 'DAMAGED', facts })

      const body = recordOf(view, 'bodies', number)
      const changed = body.rlp.slice()
      changed[changed.length - 40]! ^= 1
      await refuse({ [body.key]: changed }).toMatchObject({ code: 'DAMAGED' })

      const { stateRoot, miner } = view.chain.header({ number })!.header
      const root = bytesToHex(stateRoot)
      expect(await executeBlocks(view, range)).toMatchObject({ blocks: 51, states: 51 })
      expect(await executeBlocks(view, { ...range, comparedEvery: 16 })).toMatchObject({
        blocks: 51,
        states: 3,
      })
      // Without its root a state is not there; that is no damage.
      expect(await executeBlocks(patched(view, { [root]: undefined }), range)).toMatchObject({ states: 50 })
      const { nodes } = view.states.triesAt(stateRoot).proveAccount(keccak256(miner))
      const leaf = nodes.at(-1)!
      const key = bytesToHex(keccak256(leaf))
      const other = leaf.slice()
      other[other.length - 1]! ^= 1
      for (const value of [undefined, other]) {
        await refuse({ [key]: value }).toMatchObject({
          code: 'DAMAGED',
          message: expect.stringContaining(`block 300: trie node ${key.slice(2)}`),
          facts,
        })
      }

      const { nodes: made } = await executeBlocks(view, { ...range, comparesLater: true })
      const pending = new PendingNodes()
      pending.add(made!)
      pending.add(made!)
      expect(pending.count).toBeGreaterThan(2_000)
      const searches = pending.take(3)
      expect(pending.count).toBe(0)
      expect(searches).toHaveLength(3)
      const search = (values: Record<string, Uint8Array | undefined>) =>
        searches.flatMap((part) => blocksWithoutNodes(patched(view, values), part))
      expect(search({})).toEqual([])
      expect(search({ [key]: undefined })).toEqual([300])
      expect(search({ [key]: other })).toEqual([300])
      // A node of a block before is compared at once if a later block cannot be executed.
      const both = { [key]: undefined, [recordOf(view, 'receipts', 310).key]: undefined }
      const later = executeBlocks(patched(view, both), { ...range, comparesLater: true })
      await expect(later).rejects.toMatchObject({ facts })
    })
  })
})
