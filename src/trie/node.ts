// Trie nodes and their RLP. A branch has 17 items: 16 children, and a value that is empty in geth's tries. An extension and
// a leaf have two: a compact path, and a child or a value. A child is the hash of a node, or the node itself if its RLP is
// shorter than 32 bytes. Follows trie/node.go and trie/encoding.go.
import { RlpCursor } from '../rlp/cursor.js'
import { RlpError } from '../rlp/rlp-error.js'

/** A child: a hash of 32 bytes, the RLP of an embedded node, or undefined if there is none. A view of the node. */
export type ChildReference = Uint8Array | undefined

/** A decoded node. */
export type TrieNode =
  | { readonly kind: 'branch'; readonly children: readonly ChildReference[] }
  | { readonly kind: 'extension'; readonly path: Uint8Array; readonly child: Uint8Array }
  | { readonly kind: 'leaf'; readonly path: Uint8Array; readonly value: Uint8Array }

/** The nodes of one trie. state/ has an implementation for each layout on disk. */
export interface NodeReader {
  /**
   * RLP of the node at `path` (nibbles from the root) whose keccak is `hash`. Throws STATE_UNAVAILABLE with its position
   * if it is missing: a missing node is never an empty subtrie. Both arguments are views that are valid during the call
   * only. The result may alias a cache.
   */
  node(path: Uint8Array, hash: Uint8Array): Uint8Array
}

/** Decodes the RLP of a node. Child references and values are views of it. Throws RlpError on damage. */
export function decodeNode(rlp: Uint8Array): TrieNode {
  const cursor = new RlpCursor(rlp)
  const outer = cursor.enterList()
  const count = cursor.countItems()
  const node = count === 17 ? readBranch(cursor) : readShortNode(cursor, count)
  cursor.leaveList(outer)
  cursor.expectEnd()
  return node
}

function readBranch(cursor: RlpCursor): TrieNode {
  const children: ChildReference[] = []
  for (let i = 0; i < 16; i++) children.push(readChild(cursor))
  expectNoValue(cursor)
  return { kind: 'branch', children }
}

/** Keys of geth's tries are hashes of one length, so no key ends at a branch. */
function expectNoValue(cursor: RlpCursor): void {
  const start = cursor.position
  if (cursor.readBytes().length > 0) throw new RlpError('expected a trie branch without value', start)
}

function readShortNode(cursor: RlpCursor, count: number): TrieNode {
  if (count !== 2) {
    throw new RlpError(`expected a trie node of 2 or 17 items, found ${count}`, cursor.position)
  }
  const start = cursor.position
  const compact = cursor.readBytes()
  const flags = compactFlags(compact, start)
  const path = expandCompact(compact, flags)
  if ((flags & leafFlag) !== 0) return { kind: 'leaf', path, value: cursor.readBytes() }
  const child = readChild(cursor)
  if (child === undefined || path.length === 0) throw new RlpError('expected a trie extension', start)
  return { kind: 'extension', path, child }
}

/** Reads a child of a branch or extension. */
function readChild(cursor: RlpCursor): ChildReference {
  if (!cursor.isListNext()) return cursor.readOptionalBytes(32)
  const start = cursor.position
  const node = cursor.readItem()
  if (node.length >= 32) throw new RlpError('expected an embedded trie node below 32 bytes', start)
  return node
}

/** Flag of the compact path of a leaf. */
export const leafFlag = 2
/** Flag of a compact path of odd length. Its first nibble is in the byte of the flags. */
export const oddFlag = 1

/** The flags of a compact path. Throws RlpError with `offset` if it is not one. */
export function compactFlags(compact: Uint8Array, offset: number): number {
  const head = compact[0]
  if (head === undefined || head > 0x3f || ((head & 0x10) === 0 && (head & 0x0f) !== 0)) {
    throw new RlpError('expected a compact trie path', offset)
  }
  return head >> 4
}

function expandCompact(compact: Uint8Array, flags: number): Uint8Array {
  const odd = flags & oddFlag
  const path = new Uint8Array((compact.length - 1) * 2 + odd)
  if (odd === 1) path[0] = compact[0]! & 15
  for (let i = 1; i < compact.length; i++) {
    path[2 * i - 2 + odd] = compact[i]! >> 4
    path[2 * i - 1 + odd] = compact[i]! & 15
  }
  return path
}
