// Changes leaves of a trie. Nodes are never overwritten: the new ones are given to the caller. Follows trie/trie.go.

import { concatBytes, equalBytes } from '../bytes.js'
import { emptyRoot } from '../constants.js'
import { keccak256 } from '../kernel/keccak.js'
import {
  encodeBranch,
  encodeExtension,
  encodeLeaf,
  hashReference,
  noChild,
  referenceTo,
} from './encode-node.js'
import { commonLength, keyToNibbles } from './nibbles.js'
import { decodeNode, type NodeReader } from './node.js'

/** A leaf to set, or to remove if the value is undefined. */
export interface LeafChange {
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

/** Source of the nodes of a trie and receiver of new ones. */
export interface TrieStore extends NodeReader {
  /** Receives a new node and its hash. */
  put(hash: Uint8Array, rlp: Uint8Array): void
}

/** A changed node, or a reference as decodeNode returns it: a hash, or the RLP of a short node. */
type Node = Uint8Array | Branch | Extension | Leaf

interface Branch {
  readonly kind: 'branch'
  readonly children: (Node | undefined)[]
}

interface Extension {
  readonly kind: 'extension'
  readonly path: Uint8Array
  readonly child: Node
}

interface Leaf {
  readonly kind: 'leaf'
  readonly path: Uint8Array
  readonly value: Uint8Array
}

/**
 * The root after changes to the trie with this root. All keys have one length, and no value is empty. Reads the nodes on
 * the path to each leaf, and one next to a removed leaf. Throws what the reader throws, RlpError for damage.
 */
export function updateTrie(root: Uint8Array, changes: Iterable<LeafChange>, store: TrieStore): Uint8Array {
  const update = new Update(store)
  let node: Node | undefined = equalBytes(root, emptyRoot) ? undefined : root
  for (const { key, value } of changes) {
    const path = keyToNibbles(key)
    node = value === undefined ? update.remove(node, path, 0) : update.set(node, path, { depth: 0, value })
  }
  if (node === undefined) return emptyRoot
  if (node instanceof Uint8Array && node.length === 32) return node
  const rlp = update.encode(node)
  const hash = keccak256(rlp)
  store.put(hash, rlp)
  return hash
}

class Update {
  readonly #store: TrieStore

  constructor(store: TrieStore) {
    this.#store = store
  }

  /** The node at `depth` of `path`, with a leaf set. */
  set(node: Node | undefined, path: Uint8Array, leaf: { depth: number; value: Uint8Array }): Node {
    const { depth, value } = leaf
    if (node === undefined) return { kind: 'leaf', path: path.slice(depth), value }
    const found = this.#resolve(node, path.subarray(0, depth))
    if (found.kind === 'branch') {
      const nibble = path[depth]!
      const child = this.set(found.children[nibble], path, { depth: depth + 1, value })
      return withChild(found, nibble, child)
    }
    const common = commonLength(found.path, path.subarray(depth))
    if (common === found.path.length) {
      if (found.kind === 'leaf') return { ...found, value }
      return { ...found, child: this.set(found.child, path, { depth: depth + common, value }) }
    }
    const children = new Array<Node | undefined>(16).fill(undefined)
    children[found.path[common]!] = shorten(found, common + 1)
    children[path[depth + common]!] = { kind: 'leaf', path: path.slice(depth + common + 1), value }
    return extend(path.slice(depth, depth + common), { kind: 'branch', children })
  }

  /** The node without a leaf; undefined if it has no other. */
  remove(node: Node | undefined, path: Uint8Array, depth: number): Node | undefined {
    if (node === undefined) return undefined
    const found = this.#resolve(node, path.subarray(0, depth))
    if (found.kind === 'branch') {
      const nibble = path[depth]!
      const before = found.children[nibble]
      const after = this.remove(before, path, depth + 1)
      if (after === before) return node
      const branch = withChild(found, nibble, after)
      return after === undefined ? this.#collapse(branch, path.subarray(0, depth)) : branch
    }
    if (commonLength(found.path, path.subarray(depth)) < found.path.length) return node
    if (found.kind === 'leaf') return undefined
    const after = this.remove(found.child, path, depth + found.path.length)
    if (after === found.child) return node
    return after === undefined ? undefined : this.#join(found.path, after)
  }

  /** RLP of a changed node. Gives the changed nodes below it to the store. */
  encode(node: Node): Uint8Array {
    if (node instanceof Uint8Array) return node
    if (node.kind === 'leaf') return encodeLeaf(node.path, node.value)
    if (node.kind === 'extension') return encodeExtension(node.path, this.#reference(node.child))
    return encodeBranch(
      node.children.map((child) => (child === undefined ? noChild : this.#reference(child))),
    )
  }

  #reference(node: Node): Uint8Array {
    if (node instanceof Uint8Array) return node.length === 32 ? hashReference(node) : node
    const rlp = this.encode(node)
    const reference = referenceTo(rlp)
    if (rlp.length >= 32) this.#store.put(reference.subarray(1), rlp)
    return reference
  }

  #resolve(node: Node, path: Uint8Array): Branch | Extension | Leaf {
    if (!(node instanceof Uint8Array)) return node
    const decoded = decodeNode(node.length === 32 ? this.#store.node(path, node) : node)
    return decoded.kind === 'branch' ? { kind: 'branch', children: [...decoded.children] } : decoded
  }

  /** A branch, or the node that replaces it if it has one child left. */
  #collapse(branch: Branch, path: Uint8Array): Node {
    const left = branch.children.flatMap((child, nibble) => (child === undefined ? [] : [nibble]))
    if (left.length > 1) return branch
    const nibble = Uint8Array.of(left[0]!)
    const child = this.#resolve(branch.children[left[0]!]!, concatBytes(path, nibble))
    return this.#join(nibble, child)
  }

  /** A node that is the only one below a path. A reference is always that of a branch, so it need not be read. */
  #join(path: Uint8Array, node: Node): Node {
    if (node instanceof Uint8Array || node.kind === 'branch') return { kind: 'extension', path, child: node }
    return { ...node, path: concatBytes(path, node.path) }
  }
}

function withChild({ children }: Branch, nibble: number, child: Node | undefined): Branch {
  const changed = [...children]
  changed[nibble] = child
  return { kind: 'branch', children: changed }
}

/** A leaf or extension without the first nibbles of its path. */
function shorten(node: Extension | Leaf, nibbles: number): Node {
  const path = node.path.slice(nibbles)
  return node.kind === 'extension' && path.length === 0 ? node.child : { ...node, path }
}

function extend(path: Uint8Array, child: Branch): Node {
  return path.length === 0 ? child : { kind: 'extension', path, child }
}
