// Finds the leaves in which a trie differs from another one. Subtries that both have are skipped by their hashes. Follows the
// difference iterator of trie/iterator.go.
import { concatBytes, equalBytes } from '../bytes.js'
import { emptyRoot, noBytes } from '../constants.js'
import { nibblesToKey } from './nibbles.js'
import { decodeNode, type NodeReader, type TrieNode } from './node.js'

/** A trie: the hash of its root, and its nodes. */
interface Trie {
  readonly root: Uint8Array
  readonly reader: NodeReader
}

type ShortNode = Exclude<TrieNode, { readonly kind: 'branch' }>

/**
 * What a trie has below a path: a node, given by its reference, the rest of a node that begins above, whose path goes on with
 * `rest`, or nothing.
 */
type Subtrie = Uint8Array | { readonly rest: Uint8Array; readonly node: ShortNode } | undefined

/**
 * Keys of the leaves of a trie that `before` has not, or has with another value; ascending. Leaves that only `before` has do
 * not count. Throws what the readers throw for a missing node, RlpError for a damaged one.
 */
export function changedLeaves(trie: Trie, before: Trie): Generator<Uint8Array, void, undefined> {
  return changes(subtrieOf(trie), subtrieOf(before), { path: noBytes, trie, before })
}

function subtrieOf({ root }: Trie): Subtrie {
  return equalBytes(root, emptyRoot) ? undefined : root
}

interface Place {
  readonly path: Uint8Array
  readonly trie: Trie
  readonly before: Trie
}

function* changes(now: Subtrie, old: Subtrie, place: Place): Generator<Uint8Array, void, undefined> {
  if (now === undefined) return
  if (now instanceof Uint8Array && old instanceof Uint8Array && equalBytes(now, old)) return
  const { path } = place
  const node = open(now, path, place.trie)
  const oldNode = open(old, path, place.before)
  if (node !== undefined && 'rest' in node && node.rest.length === 0) {
    if (node.node.kind === 'leaf' && !hasLeaf(oldNode, node.node.value)) yield nibblesToKey(path)
    return
  }
  for (let nibble = 0; nibble < 16; nibble++) {
    const child = step(node, nibble)
    if (child === undefined) continue
    const below = { ...place, path: concatBytes(path, Uint8Array.of(nibble)) }
    yield* changes(child, step(oldNode, nibble), below)
  }
}

type OpenSubtrie = Extract<TrieNode, { readonly kind: 'branch' }> | Exclude<Subtrie, Uint8Array>

/** A subtrie with its first node read. */
function open(subtrie: Subtrie, path: Uint8Array, { reader }: Trie): OpenSubtrie {
  if (!(subtrie instanceof Uint8Array)) return subtrie
  const node = decodeNode(subtrie.length === 32 ? reader.node(path, subtrie) : subtrie)
  return node.kind === 'branch' ? node : { rest: node.path, node }
}

/** What is below the next nibble. */
function step(subtrie: OpenSubtrie, nibble: number): Subtrie {
  if (subtrie === undefined) return undefined
  if (!('rest' in subtrie)) return subtrie.children[nibble]
  const { rest, node } = subtrie
  if (rest[0] !== nibble) return undefined
  if (rest.length === 1 && node.kind === 'extension') return node.child
  return { rest: rest.subarray(1), node }
}

function hasLeaf(subtrie: OpenSubtrie, value: Uint8Array): boolean {
  if (subtrie === undefined || !('rest' in subtrie) || subtrie.rest.length > 0) return false
  return subtrie.node.kind === 'leaf' && equalBytes(subtrie.node.value, value)
}
