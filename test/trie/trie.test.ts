import { createMerkleProof, verifyMerkleProof } from '@ethereumjs/trie'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex, compareBytes, hexToBytes } from '../../src/bytes.js'
import { emptyRoot } from '../../src/constants.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { encodeBytes, encodeList } from '../../src/rlp/encode.js'
import { iterateLeaves } from '../../src/trie/iterate.js'
import { lookupLeaf } from '../../src/trie/lookup.js'
import { keyToNibbles, nibblesToKey } from '../../src/trie/nibbles.js'
import { decodeNode, type NodeReader } from '../../src/trie/node.js'
import { proveLeaf } from '../../src/trie/proof.js'
import { buildTrie, hashedKeys, type OracleTrie } from './oracle-trie.js'

type Entry = readonly [Uint8Array, Uint8Array]

const noReads: NodeReader = {
  node() {
    throw new Error('read a node')
  },
}

/** Entries of a size that spans one to four levels; short values make embedded nodes. */
function entries(count: number, valueLength: (i: number) => number): Entry[] {
  return hashedKeys(count).map((key, i) => [key, new Uint8Array(valueLength(i)).fill(1 + (i % 200))])
}

/** Keys that share all but their last nibbles, whose leaves and branches are embedded in one another. */
const closeKeys: Entry[] = Array.from({ length: 40 }, (_, i) => {
  const key = new Uint8Array(32).fill(0x77)
  key[30] = i >> 4
  key[31] = (i & 15) * 16 + (i % 3)
  return [key, Uint8Array.of(1 + i)]
})

const shapes: readonly (readonly [string, Entry[]])[] = [
  ['one leaf', entries(1, () => 70)],
  ['a few leaves', entries(17, () => 70)],
  ['two thousand leaves', entries(2000, (i) => 1 + (i % 110))],
  ['two thousand tiny leaves', entries(2000, () => 1)],
  ['embedded nodes', closeKeys],
]

const tries = new Map(
  await Promise.all(shapes.map(async ([, shape]) => [shape, await buildTrie(shape)] as const)),
)
const manyLeaves = shapes[2]![1]

/** The trie of a shape, with no reads counted. */
function trieOf(shape: Entry[]): OracleTrie {
  const trie = tries.get(shape)!
  trie.reads.length = 0
  return trie
}

/** Runs a test on every shape. */
function eachShape(name: string, test: (trie: OracleTrie, entries: Entry[]) => void | Promise<void>): void {
  it.each(shapes)(`${name}, in %s`, (_shape, shape) => test(trieOf(shape), shape))
}

/** Collects leaves as hex pairs. */
function leaves(trie: OracleTrie, start?: Uint8Array): string[] {
  return [...iterateLeaves(trie.root, trie.reader, start)].map(({ key, value }) => pair([key, value]))
}

const pair = ([key, value]: Entry) => `${bytesToHex(key)} ${bytesToHex(value)}`

describe('lookupLeaf', () => {
  eachShape('finds every leaf', ({ root, reader }, shape) => {
    for (const [key, value] of shape)
      expect(bytesToHex(lookupLeaf(root, key, reader)!)).toBe(bytesToHex(value))
  })

  eachShape('finds nothing at other keys', ({ root, reader }, shape) => {
    for (const [key] of shape.slice(0, 200)) {
      for (const at of [0, 1, 5, 30, 31]) {
        const other = Uint8Array.from(key)
        other[at]! ^= 0x81
        if (shape.some(([known]) => compareBytes(known, other) === 0)) continue
        expect(lookupLeaf(root, other, reader)).toBeUndefined()
      }
    }
  })

  it('agrees with the oracle on random tries', async () => {
    const key = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => bytes.map((byte) => byte & 0x33))
    const value = fc.uint8Array({ minLength: 1, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(key, value), { maxLength: 60 }),
        fc.array(key),
        async (known, others) => {
          const { trie, root, reader } = await buildTrie(known)
          for (const asked of [...known.map(([knownKey]) => knownKey), ...others]) {
            expect(lookupLeaf(root, asked, reader) ?? null).toEqual(await trie.get(asked))
          }
        },
      ),
      { seed: 3, numRuns: 25 },
    )
  })

  it('reads nothing in the empty trie', async () => {
    expect(bytesToHex(emptyRoot)).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
    expect(lookupLeaf(emptyRoot, new Uint8Array(32), noReads)).toBeUndefined()
    expect([...iterateLeaves(emptyRoot, noReads)]).toEqual([])
    expect(proveLeaf(emptyRoot, new Uint8Array(32), noReads)).toEqual({ nodes: [], value: undefined })
  })

  it('reads each node on the path once and says where it stands', () => {
    const { root, reader, reads } = trieOf(manyLeaves)
    const [key] = manyLeaves[7]!
    lookupLeaf(root, key, reader)
    const nibbles = keyToNibbles(key)
    expect(reads.length).toBeGreaterThan(2)
    expect(reads).toEqual(reads.map((_, depth) => nibbles.subarray(0, depth).join('.')))
  })

  it('passes the error of a missing node on', async () => {
    const shape = entries(20, () => 70)
    const { root, nodes, reader } = await buildTrie(shape)
    nodes.delete(bytesToHex(root))
    expect(() => lookupLeaf(root, shape[0]![0], reader)).toThrow(`missing ${bytesToHex(root)} at `)
    expect(() => [...iterateLeaves(root, reader)]).toThrow(`missing ${bytesToHex(root)} at `)
  })

  const key = new Uint8Array(32)
  const lookupIn = (rlp: Uint8Array) => lookupLeaf(key, key, { node: () => rlp })
  const hash = encodeBytes(new Uint8Array(32).fill(9))
  const none = encodeBytes(new Uint8Array())

  it.each([
    ['no list', encodeBytes(new Uint8Array(40)), 'expected an RLP list'],
    ['one item', encodeList([none]), 'expected another RLP item'],
    ['a bad path', encodeList([Uint8Array.of(0x40), hash]), 'expected a compact trie path'],
    ['an empty path', encodeList([none, hash]), 'expected a compact trie path'],
    ['a padded path', encodeList([Uint8Array.of(0x05), hash]), 'expected a compact trie path'],
    ['an extension of no nibbles', encodeList([Uint8Array.of(0x00), hash]), 'expected a trie extension'],
    ['an extension to nothing', encodeList([Uint8Array.of(0x10), none]), undefined],
    [
      'a short hash',
      encodeList([...Array(17)].map(() => encodeBytes(new Uint8Array(31)))),
      'expected 32 bytes',
    ],
    ['a few items', encodeList([encodeBytes(key.subarray(1)), none, none]), 'expected 32 bytes, found 31'],
  ])('refuses a node with %s', (_name, rlp, message) => {
    if (message === undefined) expect(lookupIn(rlp)).toBeUndefined()
    else
      expect(() => lookupIn(rlp)).toThrow(
        expect.objectContaining({ message: expect.stringContaining(message) }),
      )
  })

  it('refuses a branch below the last nibble', () => {
    const branch = encodeList([...Array(16).fill(hash), none])
    const extension = encodeList([encodeBytes(Uint8Array.from([0x00, ...key])), hash])
    const reader: NodeReader = { node: (path) => (path.length === 0 ? extension : branch) }
    expect(() => lookupLeaf(key, key, reader)).toThrow('expected a trie leaf, found a branch')
  })
})

describe('iterateLeaves', () => {
  eachShape('gives every leaf in order', (trie, shape) => {
    expect(leaves(trie)).toEqual(shape.map(pair).sort())
  })

  eachShape('starts anywhere', (trie, shape) => {
    const sorted = shape.toSorted(([a], [b]) => compareBytes(a, b))
    const starts = [0, 1, Math.floor(sorted.length / 2), sorted.length - 1].map((at) => sorted[at]?.[0])
    for (const start of [...starts, new Uint8Array(32), new Uint8Array(32).fill(0xff), Uint8Array.of(0x70)]) {
      if (start === undefined) continue
      expect(leaves(trie, start)).toEqual(sorted.filter(([key]) => compareBytes(key, start) >= 0).map(pair))
    }
  })

  it('reads only what it needs from its start on', async () => {
    const shape = entries(2000, () => 70)
    const { root, reader, reads } = await buildTrie(shape)
    const last = shape
      .map(([key]) => key)
      .sort(compareBytes)
      .at(-1)!
    expect([...iterateLeaves(root, reader, last)]).toHaveLength(1)
    expect(reads.length).toBeLessThan(8)
  })

  it('reads a leaf only when it is asked for', () => {
    const { root, reader, reads } = trieOf(manyLeaves)
    const iterator = iterateLeaves(root, reader)
    expect(reads).toEqual([])
    iterator.next()
    expect(reads.length).toBeLessThan(8)
  })
})

describe('proveLeaf', () => {
  eachShape('makes the proofs of the oracle', async ({ trie, root, reader }, shape) => {
    const absent = keccak256(Uint8Array.of(9, 9))
    for (const key of [...shape.slice(0, 40).map(([known]) => known), absent]) {
      const proof = proveLeaf(root, key, reader)
      // The oracle lists embedded nodes too; geth leaves them in their parents.
      const expected = (await createMerkleProof(trie, key)).filter(
        (node, at) => at === 0 || node.length >= 32,
      )
      expect(proof.nodes.map(bytesToHex)).toEqual(expected.map(bytesToHex))
      const verified = await verifyMerkleProof(key, [...proof.nodes], { root })
      expect(proof.value ?? null).toEqual(verified)
    }
  })
})

describe('decodeNode', () => {
  const hash = encodeBytes(new Uint8Array(32).fill(9))
  const none = encodeBytes(new Uint8Array())
  const children = [...Array<Uint8Array>(16)].map(() => none)

  it.each([
    [
      'a count of neither 2 nor 17',
      encodeList([none, none, none]),
      'expected a trie node of 2 or 17 items, found 3',
    ],
    [
      'a branch with a value',
      encodeList([...children, Uint8Array.of(1)]),
      'expected a trie branch without value',
    ],
    ['a long embedded node', encodeList([encodeList([hash]), ...children]), 'expected an embedded trie node'],
    ['an extension to nothing', encodeList([Uint8Array.of(0x11), none]), 'expected a trie extension'],
    ['something behind the node', hexToBytes('c2208000'), 'expected the end'],
  ])('refuses %s', (_name, rlp, message) => {
    expect(() => decodeNode(rlp)).toThrow(message)
  })
})

describe('nibbles', () => {
  it('are split from a key and joined again', () => {
    expect([...keyToNibbles(hexToBytes('01f7'))]).toEqual([0, 1, 15, 7])
    expect(bytesToHex(nibblesToKey(Uint8Array.of(0, 1, 15, 7)))).toBe('0x01f7')
    expect(() => nibblesToKey(Uint8Array.of(1))).toThrow('nibbles: expected an even number, got 1')
  })
})
