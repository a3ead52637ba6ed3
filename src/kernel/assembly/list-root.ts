// Root of the trie that has each item of a list under the RLP of its index. Follows DeriveSha in core/types/hashing.go. The
// keys are known beforehand, so the trie is built from its root down, by ranges of sorted keys: first the leaves, whose hashes are
// most of the work and are computed by hashItems, then the nodes above them.
import { ITEM, ITEM_LENGTH } from './items'
import { keccak256 } from './keccak'
import { addInput, finishHashes, startHashes, unfinishedEnd } from './keccak-pair'
import { headerSize, putListHeader, putStringHeader } from './rlp-write'

/** Room for the node of a branch or an extension; the children of a node come after it in the scratch memory. */
const NODE_ROOM: usize = 640
/** A node that is shorter stands in its parent instead of its hash. */
const HASH: usize = 32
/** Scratch memory that {@link listRoot} needs: a node and its children on each of 8 levels. */
export const LIST_ROOT_SCRATCH: usize = 8 * 17 * NODE_ROOM
/** Bytes by which a leaf may be longer than its item: its path and headers. */
export const LEAF_GROWTH: usize = 16

let items: usize = 0
let leaves: usize = 0
let leafHashes: usize = 0
let itemCount: u32 = 0

/** Writes the leaves of the trie of `count` items, at least one, to `target`, and the table of them. Tables are described in items.ts. */
export function writeLeaves(table: usize, count: u32, leafTable: usize, target: usize): void {
  items = table
  leaves = leafTable
  itemCount = count
  putLeaves(0, count, 0, target)
}

/** Writes the root of the trie of leaves with their hashes. */
export function listRoot(leafTable: usize, count: u32, hashes: usize, scratch: usize, output: usize): void {
  leaves = leafTable
  leafHashes = hashes
  itemCount = count
  if (count == 1) {
    memory.copy(output, hashes, HASH)
    return
  }
  startHashes()
  const end = putNode(0, count, 0, scratch)
  keccak256(scratch, end - scratch, output)
}

/** Index of the item at a position in the order of the keys: the key of 0 is 0x80, which comes after 1 to 127. */
function indexAt(position: u32): u32 {
  const zero = min<u32>(itemCount - 1, 127)
  return position < zero ? position + 1 : position == zero ? 0 : position
}

/** Nibbles of the key of an index. */
function keyLength(index: u32): u32 {
  return index < 0x80 ? 2 : index < 0x100 ? 4 : index < 0x10000 ? 6 : 8
}

function nibbleOf(index: u32, depth: u32): u32 {
  const length = keyLength(index)
  const key = index == 0 ? 0x80 : index < 0x80 ? index : index | ((0x80 + (length / 2 - 1)) << ((length - 2) * 4))
  return (key >> ((length - 1 - depth) * 4)) & 15
}

/** The depth up to which the keys of the items at positions `from` up to `to`, exclusive, agree. */
function commonDepth(from: u32, to: u32, depth: u32): u32 {
  const first = indexAt(from)
  const last = indexAt(to - 1)
  while (nibbleOf(first, depth) == nibbleOf(last, depth)) depth++
  return depth
}

/** The end of the items from position `from` on whose keys have the same nibble at `depth`. */
function childEnd(from: u32, to: u32, depth: u32): u32 {
  const nibble = nibbleOf(indexAt(from), depth)
  let next = from + 1
  while (next < to && nibbleOf(indexAt(next), depth) == nibble) next++
  return next
}

/** Writes the leaves of the items at positions `from` up to `to`, exclusive, whose keys agree up to `depth`. */
function putLeaves(from: u32, to: u32, depth: u32, target: usize): usize {
  if (to - from == 1) return putLeaf(indexAt(from), depth, target)
  const branch = commonDepth(from, to, depth)
  while (from < to) {
    const next = childEnd(from, to, branch)
    target = putLeaves(from, next, branch + 1, target)
    from = next
  }
  return target
}

/** Writes the node of two or more items at positions `from` up to `to`, exclusive, whose keys agree up to `depth`. */
function putNode(from: u32, to: u32, depth: u32, target: usize): usize {
  const end = commonDepth(from, to, depth)
  return end > depth ? putExtension(from, to, depth, end, target) : putBranch(from, to, depth, target)
}

/** Writes a path in compact form: its nibbles after a nibble for the kind of the node. */
function putPath(index: u32, depth: u32, end: u32, kind: u8, target: usize): usize {
  const isOdd = (end - depth) & 1
  const length = <usize>1 + <usize>(end - depth) / 2
  if (length > 1) target = putStringHeader(target, length)
  store<u8>(target++, isOdd ? ((kind + 1) << 4) | <u8>nibbleOf(index, depth++) : kind << 4)
  for (; depth < end; depth += 2) {
    store<u8>(target++, <u8>((nibbleOf(index, depth) << 4) | nibbleOf(index, depth + 1)))
  }
  return target
}

const PATH = memory.data(16)

function putLeaf(index: u32, depth: u32, target: usize): usize {
  const leaf = leaves + <usize>index * ITEM
  store<u32>(leaf, <u32>target)
  const pathSize = putPath(index, depth, keyLength(index), 2, PATH) - PATH
  const item = items + <usize>index * ITEM
  const value = <usize>load<u32>(item)
  const length = <usize>load<u32>(item, ITEM_LENGTH)
  const isByte = length == 1 && load<u8>(value) < 0x80
  const valueHeader: usize = isByte ? 0 : headerSize(length)
  target = putListHeader(target, pathSize + valueHeader + length)
  memory.copy(target, PATH, pathSize)
  target += pathSize
  if (!isByte) target = putStringHeader(target, length)
  memory.copy(target, value, length)
  target += length
  store<u32>(leaf, <u32>target - load<u32>(leaf), ITEM_LENGTH)
  return target
}

function putExtension(from: u32, to: u32, depth: u32, end: u32, target: usize): usize {
  const child = target + NODE_ROOM
  const childEnd = putNode(from, to, end, child)
  const isHash = childEnd - child >= HASH
  const pathSize = putPath(indexAt(from), depth, end, 0, PATH) - PATH
  target = putListHeader(target, pathSize + (isHash ? 1 + HASH : childEnd - child))
  memory.copy(target, PATH, pathSize)
  target += pathSize
  if (isHash) {
    store<u8>(target, 0xa0)
    keccak256(child, childEnd - child, target + 1)
    return target + 1 + HASH
  }
  memory.copy(target, child, childEnd - child)
  return target + (childEnd - child)
}

function putBranch(from: u32, to: u32, depth: u32, target: usize): usize {
  // The header is written before the children, when their length is known.
  const start = target + 4
  let end = start
  const children = target + NODE_ROOM
  for (let nibble: u32 = 0; nibble < 16; nibble++) {
    if (from == to || nibbleOf(indexAt(from), depth) != nibble) {
      store<u8>(end++, 0x80)
      continue
    }
    const index = <usize>indexAt(from)
    const next = childEnd(from, to, depth)
    const isLeaf = next - from == 1
    // One earlier node may not be hashed yet.
    const child = isLeaf ? <usize>load<u32>(leaves + index * ITEM) : max(children, unfinishedEnd())
    const length = isLeaf
      ? <usize>load<u32>(leaves + index * ITEM, ITEM_LENGTH)
      : putNode(from, next, depth + 1, child) - child
    from = next
    if (length < HASH) {
      memory.copy(end, child, length)
      end += length
      continue
    }
    store<u8>(end, 0xa0)
    if (isLeaf) memory.copy(end + 1, leafHashes + index * HASH, HASH)
    else addInput(child, length, end + 1)
    end += 1 + HASH
  }
  finishHashes()
  store<u8>(end++, 0x80)
  const length = end - start
  const head = start - headerSize(length)
  putListHeader(head, length)
  if (head != target) memory.copy(target, head, end - head)
  return target + (end - head)
}
