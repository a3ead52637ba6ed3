// Lists the leaves of a trie in order. Follows trie/iterator.go.

import { concatBytes, equalBytes } from '../bytes.js'
import { emptyRoot, noBytes } from '../constants.js'
import { keyToNibbles, nibblesToKey } from './nibbles.js'
import { type ChildReference, decodeNode, type NodeReader, type TrieNode } from './node.js'

/** A leaf and its whole key. The value is a view of its node. */
interface Leaf {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** A node on the path to the next leaf, and the next of its children to visit. */
interface Frame {
  readonly node: TrieNode
  readonly path: Uint8Array
  next: number
}

/**
 * Leaves in ascending order of their keys, from `start` (inclusive, default the first) on. To resume, start from the key
 * after the last one. Subtries before `start` are not read. Throws what the reader throws for a missing node, RlpError for
 * a damaged one.
 */
export function* iterateLeaves(
  root: Uint8Array,
  reader: NodeReader,
  start: Uint8Array = noBytes,
): Generator<Leaf, void, undefined> {
  if (equalBytes(root, emptyRoot)) return
  const from = keyToNibbles(start)
  const stack: Frame[] = []

  const visit = (reference: Uint8Array, path: Uint8Array) => {
    const rlp = reference.length === 32 ? reader.node(path, reference) : reference
    stack.push({ node: decodeNode(rlp), path, next: 0 })
  }

  visit(root, noBytes)
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { node, path } = frame
    if (node.kind === 'branch') {
      const nibble = frame.next++
      if (nibble === 16) {
        stack.pop()
        continue
      }
      const child: ChildReference = node.children[nibble]
      if (child === undefined) continue
      const childPath = concatBytes(path, Uint8Array.of(nibble))
      if (!endsBefore(childPath, from)) visit(child, childPath)
      continue
    }
    stack.pop()
    const fullPath = concatBytes(path, node.path)
    if (endsBefore(fullPath, from)) continue
    if (node.kind === 'extension') visit(node.child, fullPath)
    else yield { key: nibblesToKey(fullPath), value: node.value }
  }
}

/** Whether every key below `path` is smaller than `from`. */
function endsBefore(path: Uint8Array, from: Uint8Array): boolean {
  const length = Math.min(path.length, from.length)
  for (let i = 0; i < length; i++) {
    if (path[i] !== from[i]) return path[i]! < from[i]!
  }
  return false
}
