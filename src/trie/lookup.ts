// Finds one leaf of a trie. Every read of state does this, so it works on positions in the RLP and decodes no node.
// Follows trie/trie.go.

import { equalBytes } from '../bytes.js'
import { emptyRoot } from '../constants.js'
import { RlpCursor } from '../rlp/cursor.js'
import { RlpError } from '../rlp/rlp-error.js'
import { keyToNibbles } from './nibbles.js'
import { compactFlags, leafFlag, type NodeReader, oddFlag } from './node.js'

/**
 * The path of the last lookup. Readers get views of it, of which the first of a new short array takes ten times as long: V8 then
 * moves the array out of its heap.
 */
let nibbles = new Uint8Array(new ArrayBuffer(64))

/**
 * Value of the leaf with this key in the trie with this root hash, a view of its node; undefined if there is none. Reads a
 * node for each level, except embedded ones. Throws what the reader throws for a missing node, RlpError for a damaged one.
 */
export function lookupLeaf(root: Uint8Array, key: Uint8Array, reader: NodeReader): Uint8Array | undefined {
  if (equalBytes(root, emptyRoot)) return undefined
  if (nibbles.length !== 2 * key.length) nibbles = new Uint8Array(new ArrayBuffer(2 * key.length))
  const path = keyToNibbles(key, nibbles)
  let depth = 0
  let cursor = new RlpCursor(reader.node(path.subarray(0, 0), root))
  for (;;) {
    cursor.enterList()
    const first = cursor.position
    cursor.next()
    cursor.next()
    if (cursor.hasMore()) {
      if (depth === path.length) throw new RlpError('expected a trie leaf, found a branch', first)
      cursor.position = first
      for (let i = path[depth]!; i > 0; i--) cursor.next()
      depth++
    } else {
      cursor.position = first
      const compact = cursor.readBytes()
      const flags = compactFlags(compact, first)
      const length = 2 * compact.length - 2 + (flags & oddFlag)
      if ((flags & leafFlag) !== 0) {
        if (depth + length !== path.length || !matchesCompact(path, depth, compact, flags)) return undefined
        return cursor.readBytes()
      }
      if (length === 0) throw new RlpError('expected a trie extension', first)
      if (depth + length > path.length || !matchesCompact(path, depth, compact, flags)) return undefined
      depth += length
    }
    // The cursor is at the reference to the next node: no bytes, a hash, or the node itself.
    if (cursor.isListNext()) continue
    const hash = cursor.readOptionalBytes(32)
    if (hash === undefined) return undefined
    cursor = new RlpCursor(reader.node(path.subarray(0, depth), hash))
  }
}

/** Whether the nibbles of `path` from `depth` on begin with those of a compact path. */
function matchesCompact(path: Uint8Array, depth: number, compact: Uint8Array, flags: number): boolean {
  let at = depth
  if ((flags & oddFlag) !== 0 && path[at++] !== (compact[0]! & 15)) return false
  for (let i = 1; i < compact.length; i++, at += 2) {
    if (path[at] !== compact[i]! >> 4 || path[at + 1] !== (compact[i]! & 15)) return false
  }
  return true
}
