// Computes the root of a trie from its leaves in order, in one pass and with one branch for each level in memory. Follows
// trie/stacktrie.go.
import { emptyRoot } from '../constants.js'
import { keccak256 } from '../kernel/keccak.js'
import { encodeBranch, encodeExtension, encodeLeaf, referenceTo } from './encode-node.js'
import { commonLength, keyToNibbles } from './nibbles.js'

/** A branch that may get more children. */
interface OpenBranch {
  /** Nibbles of its path. */
  readonly depth: number
  /** References to its children. */
  readonly children: (Uint8Array | undefined)[]
}

/** What the path of the last leaf leads to: the leaf, or a finished branch at a depth. */
type Below =
  | { readonly kind: 'leaf'; readonly value: Uint8Array }
  | {
      readonly kind: 'branch'
      readonly depth: number
      readonly reference: Uint8Array
      readonly rlp: Uint8Array
    }

/** Computes a root. No key is the beginning of another one: they are hashes, or RLP. */
export class RootBuilder {
  readonly #open: OpenBranch[] = []
  #last: Uint8Array | undefined
  #below: Below | undefined

  /** Adds a leaf. Keys ascend: throws RangeError if one does not. The value is read until the next leaf is added. */
  add(key: Uint8Array, value: Uint8Array): void {
    const path = keyToNibbles(key)
    if (this.#last !== undefined) {
      const fork = commonLength(this.#last, path)
      if (!(path[fork]! > this.#last[fork]!)) throw new RangeError('key: expected one after the last')
      this.#closeBelow(fork)
      if (this.#open.at(-1)?.depth !== fork) this.#open.push({ depth: fork, children: noChildren() })
      this.#attach()
    }
    this.#last = path
    this.#below = { kind: 'leaf', value }
  }

  /** Root of all leaves. The builder cannot be used afterwards. */
  finish(): Uint8Array {
    if (this.#last === undefined) return emptyRoot
    this.#closeBelow(-1)
    return keccak256(this.#encode(0))
  }

  /** Finishes all branches that are deeper than `depth`. */
  #closeBelow(depth: number): void {
    for (let branch = this.#open.at(-1); branch && branch.depth > depth; branch = this.#open.at(-1)) {
      this.#attach()
      this.#open.pop()
      const rlp = encodeBranch(branch.children)
      this.#below = { kind: 'branch', depth: branch.depth, rlp, reference: referenceTo(rlp) }
    }
  }

  /** Adds what the last path leads to as a child of the deepest open branch. */
  #attach(): void {
    const branch = this.#open.at(-1)!
    branch.children[this.#last![branch.depth]!] = referenceTo(this.#encode(branch.depth + 1))
  }

  /** RLP of the node at a depth on the last path. */
  #encode(depth: number): Uint8Array {
    const path = this.#last!
    const below = this.#below!
    if (below.kind === 'leaf') return encodeLeaf(path.subarray(depth), below.value)
    if (below.depth === depth) return below.rlp
    return encodeExtension(path.subarray(depth, below.depth), below.reference)
  }
}

function noChildren(): (Uint8Array | undefined)[] {
  return new Array<Uint8Array | undefined>(16).fill(undefined)
}
