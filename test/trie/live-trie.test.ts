import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { emptyRoot } from '../../src/constants.js'
import { LiveTrie } from '../../src/trie/live-trie.js'
import { buildTrie, hashedKeys } from './oracle-trie.js'

/** Nodes by their hashes, and how many were read. */
class NodeStore {
  readonly nodes = new Map<string, Uint8Array>()
  reads = 0

  node(_path: Uint8Array, hash: Uint8Array): Uint8Array {
    this.reads++
    const node = this.nodes.get(bytesToHex(hash))
    if (node === undefined) throw new Error(`no node ${bytesToHex(hash)}`)
    return node
  }

  readonly put = (hash: Uint8Array, rlp: Uint8Array) => {
    this.nodes.set(bytesToHex(hash), rlp.slice())
  }
}

async function oracleRoot(leaves: ReadonlyMap<string, readonly [Uint8Array, Uint8Array]>): Promise<string> {
  return bytesToHex(leaves.size === 0 ? emptyRoot : (await buildTrie([...leaves.values()])).root)
}

describe('LiveTrie', () => {
  it('reads and changes leaves as the oracle has them, with roots between, also when it starts from a stored trie', async () => {
    const key = fc.uint8Array({ minLength: 3, maxLength: 3, max: 18 })
    const value = fc.option(fc.uint8Array({ minLength: 1, maxLength: 40, min: 1 }), { nil: undefined })
    const step = fc.record({ key, value, reopens: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const store = new NodeStore()
        const leaves = new Map<string, readonly [Uint8Array, Uint8Array]>()
        let trie = new LiveTrie(emptyRoot, store)
        for (const { key, value, reopens } of steps) {
          expect(trie.get(key)).toEqual(leaves.get(bytesToHex(key))?.[1])
          trie.set(key, value)
          if (value === undefined) leaves.delete(bytesToHex(key))
          else leaves.set(bytesToHex(key), [key, value])
          expect(trie.get(key)).toEqual(value)
          const root = trie.root(store.put)
          expect(bytesToHex(root)).toBe(await oracleRoot(leaves))
          if (reopens) trie = new LiveTrie(root, store)
        }
      }),
      { seed: 18, numRuns: 150 },
    )
  })

  it('reads each node once, and none for a root without changes', async () => {
    const store = new NodeStore()
    const keys = hashedKeys(500)
    const first = new LiveTrie(emptyRoot, store)
    for (const key of keys) first.set(key, key)
    const root = first.root(store.put)
    const count = { nodes: 0 }
    const trie = new LiveTrie(root, store, count)
    expect(trie.root()).toEqual(root)
    expect(store.reads).toBe(0)
    for (const key of keys) expect(trie.get(key)).toEqual(key)
    expect(store.reads).toBe(store.nodes.size)
    expect(count.nodes).toBe(store.nodes.size)
    for (const key of keys) trie.set(key, key)
    expect(trie.root(() => expect.unreachable('a node without a change'))).toEqual(root)
    expect(store.reads).toBe(store.nodes.size)
  })

  it('throws what the reader throws', () => {
    const trie = new LiveTrie(new Uint8Array(32).fill(1), new NodeStore())
    expect(() => trie.get(new Uint8Array(32))).toThrow('no node 0x0101')
    expect(() => trie.set(new Uint8Array(32), undefined)).toThrow('no node 0x0101')
  })
})
