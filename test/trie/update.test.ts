import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { emptyRoot } from '../../src/constants.js'
import { type LeafChange, type TrieStore, updateTrie } from '../../src/trie/update.js'
import { isFull } from '../full-form.js'
import { buildTrie, hashedKeys } from './oracle-trie.js'

/** A store that has only what updates have put into it. */
function memoryStore(): TrieStore {
  const nodes = new Map<string, Uint8Array>()
  return {
    node(_path, hash) {
      const node = nodes.get(bytesToHex(hash))
      if (node === undefined) throw new Error(`no node ${bytesToHex(hash)}`)
      return node
    },
    put: (hash, rlp) => nodes.set(bytesToHex(hash), rlp),
  }
}

/** Expects after each step the root that the oracle gives the leaves that are then there. */
async function expectRoots(steps: readonly (readonly LeafChange[])[]): Promise<void> {
  const store = memoryStore()
  const leaves = new Map<string, readonly [Uint8Array, Uint8Array]>()
  let root = emptyRoot
  for (const changes of steps) {
    root = updateTrie(root, changes, store)
    for (const { key, value } of changes) {
      if (value === undefined) leaves.delete(bytesToHex(key))
      else leaves.set(bytesToHex(key), [key, value])
    }
    const expected = leaves.size === 0 ? emptyRoot : (await buildTrie([...leaves.values()])).root
    expect(bytesToHex(root)).toBe(bytesToHex(expected))
  }
}

describe('updateTrie', () => {
  it('gives the oracle’s root after leaves were set, changed and removed', async () => {
    const keys = hashedKeys(200)
    const set = (from: number, to: number, n: number) =>
      keys.slice(from, to).map((key, i) => ({ key, value: new Uint8Array(1 + ((i * n) % 50)).fill(n) }))
    const remove = (from: number, to: number) =>
      keys.slice(from, to).map((key) => ({ key, value: undefined }))
    await expectRoots([
      set(0, 100, 1),
      [...set(50, 150, 2), ...remove(10, 30)],
      remove(0, 149),
      set(0, 3, 7),
      remove(0, 200),
      set(0, 1, 1),
    ])
  })

  it('gives the oracle’s root of crowded short keys, with extensions and embedded nodes', async () => {
    const key = fc.uint8Array({ minLength: 3, maxLength: 3, max: 18 })
    const value = fc.option(fc.uint8Array({ minLength: 1, maxLength: 40, min: 1 }), { nil: undefined })
    const change = fc.record({ key, value })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(change, { maxLength: 12 }), { maxLength: 6 }), expectRoots),
      { seed: 8, numRuns: isFull ? 200 : 60 },
    )
  })

  it('leaves the trie as it is if nothing changes', () => {
    const store = memoryStore()
    const root = updateTrie(emptyRoot, [{ key: Uint8Array.of(1), value: Uint8Array.of(1) }], store)
    expect(updateTrie(root, [{ key: Uint8Array.of(2), value: undefined }], store)).toEqual(root)
    expect(updateTrie(root, [], store)).toEqual(root)
  })
})
