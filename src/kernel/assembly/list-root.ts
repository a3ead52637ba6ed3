// Root of the trie that has each item of a list under the RLP of its index. Follows DeriveSha in core/types/hashing.go. The
// keys are known beforehand, so the trie is built from its root down, by ranges of sorted keys.
import { ITEM, ITEM_LENGTH } from './items'
import { keccak256 } from './keccak'
import { addInput, finishHashes, startHashes, unfinishedEnd } from './keccak-pair'
import { headerSize, putListHeader, putStringHeader } from './rlp-write'

/** Room for the node of a branch or an extension; the children of a node come after it in the scratch memory. */
const NODE_ROOM: usize = 640
/** A node that is shorter stands in its parent instead of its hash. */
const HASH: usize = 32
/** Scratch memory that {@link listRoot} needs beside the length of all items: a node and its children on each of 8 levels. */
export const LIST_ROOT_SCRATCH: usize = 8 * 17 * NODE_ROOM

let items: usize = 0
let itemCount: u32 = 0

/** Writes the root of the trie of `count` items, at least one. A table of items is described in items.ts. */
export function listRoot(table: usize, count: u32, scratch: usize, output: usize): void {
  items = table
  itemCount = count
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

/** Writes the node of the items at positions `from` up to `to`, exclusive, whose keys agree up to `depth`. */
function putNode(from: u32, to: u32, depth: u32, target: usize): usize {
  const first = indexAt(from)
  if (to - from == 1) return putLeaf(first, depth, target)
  const last = indexAt(to - 1)
  let end = depth
  while (nibbleOf(first, end) == nibbleOf(last, end)) end++
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
  return target + length
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
    let next = from
    while (next < to && nibbleOf(indexAt(next), depth) == nibble) next++
    if (next == from) {
      store<u8>(end++, 0x80)
      continue
    }
    // One earlier node may not be hashed yet.
    const child = max(children, unfinishedEnd())
    const length = putNode(from, next, depth + 1, child) - child
    from = next
    if (length < HASH) {
      memory.copy(end, child, length)
      end += length
      continue
    }
    store<u8>(end, 0xa0)
    addInput(child, length, end + 1)
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
