// The index of trie node history: for each subtrie of up to three levels the ids of the transitions that changed it, with the
// nodes that they changed. See ../FORMAT.md. Follows triedb/pathdb/history_index_iterator.go and
// history_trienode_utils.go.
import { type ChainDatabase, decodeRecord, keyPlace } from '../../rawdb/chain-database.js'
import { trienodeHistoryBlockKey, trienodeHistoryKey } from '../../rawdb/schema.js'
import { VarintReader } from '../history/varint-reader.js'

/** Version of the index that is read. */
export const trienodeIndexVersion = 0

/** Descriptor: highest id of the block BE8, number of ids BE2, block BE4, then a bitmap of changed nodes. */
const descriptorLength = 14

/** The owner of the account trie. */
export const accountTrie = new Uint8Array(32)

/** A node's place in the index. */
interface IndexedNode {
  /** Path of the root of its subtrie. */
  readonly subtrie: Uint8Array
  /** Number of the node in the subtrie: 0 for the root, then level by level. */
  readonly node: number
  /** Bytes of the bitmap in a descriptor of the subtrie: one bit for each node but the root. */
  readonly bitmapBytes: number
}

/** Subtries begin at the levels 1, 3, 6, 9, … of the account trie, and at 0, 3, 6, … of a storage trie. */
function indexedNode(owner: Uint8Array, path: Uint8Array): IndexedNode {
  const isAccountTrie = owner.every((byte) => byte === 0)
  const depth = path.length < 3 ? (isAccountTrie ? 1 : 0) : path.length - (path.length % 3)
  let node = 0
  for (const nibble of path.subarray(depth)) node = 16 * node + 1 + nibble
  return { subtrie: path.subarray(0, depth), node, bitmapBytes: isAccountTrie && depth === 1 ? 2 : 34 }
}

/**
 * Ascending ids above `id` of the transitions that changed a node or one below it in its subtrie. Throws DAMAGED.
 */
export function* trienodeChangesAfter(
  db: ChainDatabase,
  { owner, path }: { readonly owner: Uint8Array; readonly path: Uint8Array },
  id: number,
): Generator<number, void, undefined> {
  const { subtrie, node, bitmapBytes } = indexedNode(owner, path)
  const key = trienodeHistoryKey(owner, subtrie)
  const descriptors = db.kv.get(key)
  if (descriptors === undefined) return
  const blocks = decodeRecord(keyPlace(db, key), descriptors, (bytes) =>
    blocksWith(bytes, { node, bitmapBytes, id }),
  )
  for (const block of blocks) {
    const blockKey = trienodeHistoryBlockKey(owner, subtrie, block)
    const stored = db.kv.get(blockKey) ?? new Uint8Array()
    yield* decodeRecord(keyPlace(db, blockKey), stored, (bytes) => idsWith(bytes, node, id))
  }
}

/** Numbers of the index blocks that have ids above `id` and may have the node. Throws RangeError on damage. */
function blocksWith(
  descriptors: Uint8Array,
  { node, bitmapBytes, id }: Pick<IndexedNode, 'node' | 'bitmapBytes'> & { readonly id: number },
): number[] {
  const length = descriptorLength + bitmapBytes
  if (descriptors.length % length !== 0) {
    throw new RangeError(`expected whole descriptors of ${length} bytes, found ${descriptors.length} bytes`)
  }
  const view = new DataView(descriptors.buffer, descriptors.byteOffset, descriptors.length)
  const found: number[] = []
  for (let at = 0; at < descriptors.length; at += length) {
    const bitmap = descriptors.subarray(at + descriptorLength, at + length)
    if (Number(view.getBigUint64(at)) > id && isMarked(bitmap, node)) found.push(view.getUint32(at + 10))
  }
  return found
}

/** Whether a node, or one of its children, is in a bitmap. */
function isMarked(bitmap: Uint8Array, node: number): boolean {
  if (node === 0) return true
  const bit = node - 1
  if ((bitmap[bit >>> 3]! & (0x80 >>> (bit & 7))) !== 0) return true
  const children = 2 + 2 * bit
  return bit < 16 && bitmap.length > 2 && (bitmap[children] !== 0 || bitmap[children + 1] !== 0)
}

/**
 * Ids above `id` of an index block that name a node or one below it. The block has chunks of ascending ids, of which the
 * first is whole and the others are differences. Each is followed by the length of a list and the list, the numbers of the
 * lowest changed nodes. At the end are the positions of the chunks (BE2) and their number (one byte).
 */
function idsWith(block: Uint8Array, node: number, id: number): number[] {
  const chunks = block.at(-1) ?? 0
  const end = block.length - 1 - 2 * chunks
  if (chunks === 0 || end < chunks)
    throw new RangeError(`expected an index block, found ${block.length} bytes`)
  const view = new DataView(block.buffer, block.byteOffset, block.length)
  const reader = new VarintReader(block)
  const found: number[] = []
  for (let chunk = 0; chunk < chunks; chunk++) {
    const chunkEnd = chunk + 1 === chunks ? end : view.getUint16(end + 2 * (chunk + 1))
    reader.position = view.getUint16(end + 2 * chunk)
    if (chunkEnd <= reader.position || chunkEnd > end)
      throw new RangeError('expected chunks in ascending order')
    for (let current = 0; reader.position < chunkEnd; ) {
      current += reader.read(chunkEnd)
      const length = reader.read(chunkEnd)
      const listEnd = reader.position + length
      if (listEnd > chunkEnd) throw new RangeError('expected a whole list of nodes')
      if (current <= id) reader.position = listEnd
      else if (namesNode(reader, listEnd, node)) found.push(current)
    }
  }
  return found
}

/** Whether a list has a node or one below it. Reads the list to its end. */
function namesNode(reader: VarintReader, listEnd: number, node: number): boolean {
  let isNamed = node === 0
  while (reader.position < listEnd) {
    let other = reader.read(listEnd)
    while (other > node) other = Math.floor((other - 1) / 16)
    if (other === node) isNamed = true
  }
  return isNamed
}
