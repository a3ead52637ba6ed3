import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { childAt, isBranch, patchChild } from '../../src/trie/branch-rlp.js'
import { encodeBranch, encodeLeaf } from '../../src/trie/encode-node.js'
import { decodeNode, type TrieNode } from '../../src/trie/node.js'

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
const embedded = fc
  .uint8Array({ minLength: 1, maxLength: 20, min: 1 })
  .map((value) => encodeLeaf(Uint8Array.of(1, 2), value))
const child = fc.oneof(hash, embedded, fc.constant(undefined))
const children = fc.array(child, { minLength: 16, maxLength: 16 })

/** What decodeNode makes of the bytes; undefined if it refuses them. */
function decoded(rlp: Uint8Array): TrieNode | undefined {
  try {
    return decodeNode(rlp)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

describe('the RLP of a branch', () => {
  it('has its children where decodeNode finds them', () => {
    fc.assert(
      fc.property(children, (references) => {
        const rlp = encodeBranch(references)
        expect(isBranch(rlp)).toBe(true)
        expect(references.map((_, nibble) => childAt(rlp, nibble))).toEqual(references)
        expect(decodeNode(rlp)).toEqual({ kind: 'branch', children: references })
      }),
      { seed: 20, numRuns: 100 },
    )
  })

  it('takes a new hash in the place of a hash, and nothing else', () => {
    fc.assert(
      fc.property(children, fc.nat(15), child, (references, nibble, reference) => {
        fc.pre(reference !== undefined)
        const rlp = encodeBranch(references)
        const fits = references[nibble]?.length === 32 && reference!.length === 32
        expect(patchChild(rlp, nibble, reference!)).toBe(fits)
        expect(rlp).toEqual(encodeBranch(fits ? references.with(nibble, reference) : references))
      }),
      { seed: 21, numRuns: 200 },
    )
  })

  it('is recognized exactly if decodeNode finds a branch', () => {
    const change = fc.record({ at: fc.nat(540), byte: fc.nat(255), cut: fc.nat(2), longer: fc.nat(2) })
    fc.assert(
      fc.property(children, fc.array(change, { maxLength: 2 }), (references, changes) => {
        let rlp: Uint8Array = encodeBranch(references)
        for (const { at, byte, cut, longer } of changes) {
          rlp = Uint8Array.from([...rlp.subarray(0, rlp.length - cut), ...new Uint8Array(longer)])
          rlp[at % rlp.length] = byte
        }
        expect(isBranch(rlp)).toBe(decoded(rlp)?.kind === 'branch')
      }),
      { seed: 22, numRuns: 2_000 },
    )
    const leaf = encodeLeaf(new Uint8Array(62), new Uint8Array(70))
    expect([isBranch(leaf), isBranch(new Uint8Array()), isBranch(Uint8Array.of(0xc0))]).toEqual([
      false,
      false,
      false,
    ])
  })
})
