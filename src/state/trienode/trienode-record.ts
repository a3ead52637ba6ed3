// Decodes the items of a record of trie node history: the nodes that a transition changed, with their values before it. See
// ../FORMAT.md. Follows triedb/pathdb/history_trienode.go and nodes.go.
import { compareBytes } from '../../bytes.js'
import { RlpCursor } from '../../rlp/cursor.js'
import { encodeList } from '../../rlp/encode.js'
import { VarintReader } from '../history/varint-reader.js'

/** Version of records that is read. */
export const trienodeVersion = 0

const headLength = 73
/** Owner, end of its keys BE4, end of its values BE4. */
const trieLength = 40
const ownerLength = 32

/** Root before the transition, from an item of `trienode.header`. A view. Throws RangeError on damage. */
export function parentRoot(header: Uint8Array): Uint8Array {
  checkHeader(header)
  return header.subarray(1, 33)
}

/** Where the nodes of one trie are in the items of `trienode.key` and `trienode.value`. Ends are exclusive. */
interface TrieSection {
  readonly keys: readonly [start: number, end: number]
  readonly values: readonly [start: number, end: number]
}

/** The section of a trie; undefined if the transition did not change it. Throws RangeError on damage. */
export function findTrie(header: Uint8Array, owner: Uint8Array): TrieSection | undefined {
  checkHeader(header)
  const view = new DataView(header.buffer, header.byteOffset, header.length)
  const at = (trie: number) => headLength + trie * trieLength
  let low = 0
  let high = (header.length - headLength) / trieLength
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = compareBytes(header.subarray(at(middle), at(middle) + ownerLength), owner)
    if (order === 0) {
      const end = (trie: number, field: number) =>
        trie < 0 ? 0 : view.getUint32(at(trie) + ownerLength + field)
      return { keys: [end(middle - 1, 0), end(middle, 0)], values: [end(middle - 1, 4), end(middle, 4)] }
    }
    if (order < 0) low = middle + 1
    else high = middle
  }
  return undefined
}

function checkHeader(header: Uint8Array): void {
  const isWhole = header.length >= headLength && (header.length - headLength) % trieLength === 0
  if (!isWhole)
    throw new RangeError(`expected ${headLength} bytes and whole tries, found ${header.length} bytes`)
}

/**
 * Position of a node's value in the values of its trie; undefined if the transition did not change the node. `keys` is the
 * section of the trie: entries in the order of their paths, each with what it shares with the one before; every 16 entries
 * one with its whole path; then the offsets of those in keys and values (BE4 each), and their number (BE4).
 */
export function findNode(
  keys: Uint8Array,
  path: Uint8Array,
): readonly [start: number, end: number] | undefined {
  const view = new DataView(keys.buffer, keys.byteOffset, keys.length)
  const restarts = keys.length < 4 ? 0 : view.getUint32(keys.length - 4)
  const entriesEnd = keys.length - 4 - 8 * restarts
  if (restarts === 0 || entriesEnd < restarts)
    throw new RangeError(`expected node paths, found ${keys.length} bytes`)
  const keyOffset = (restart: number) =>
    restart === restarts ? entriesEnd : view.getUint32(entriesEnd + 8 * restart)
  const valueOffset = (restart: number) => view.getUint32(entriesEnd + 8 * restart + 4)
  const reader = new VarintReader(keys)
  let low = 0
  let high = restarts - 1
  // The entry is in the last part that begins with the path or a lower one.
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    reader.position = keyOffset(middle)
    const { unshared } = readEntry(reader, keys, entriesEnd)
    if (compareBytes(unshared, path) <= 0) low = middle
    else high = middle - 1
  }
  reader.position = keyOffset(low)
  const end = keyOffset(low + 1)
  if (end > entriesEnd) throw new RangeError('expected parts in ascending order')
  let value = valueOffset(low)
  let previous = new Uint8Array()
  while (reader.position < end) {
    const { shared, unshared, valueLength } = readEntry(reader, keys, end)
    if (shared > previous.length)
      throw new RangeError('expected an entry that shares part of the path before it')
    const found = new Uint8Array(shared + unshared.length)
    found.set(previous.subarray(0, shared))
    found.set(unshared, shared)
    const order = compareBytes(found, path)
    if (order === 0) return [value, value + valueLength]
    if (order > 0) return undefined
    previous = found
    value += valueLength
  }
  return undefined
}

function readEntry(reader: VarintReader, keys: Uint8Array, end: number) {
  const shared = reader.read(end)
  const length = reader.read(end)
  const valueLength = reader.read(end)
  const start = reader.position
  if (length > end - start) throw new RangeError('expected a whole entry')
  reader.position = start + length
  return { shared, unshared: keys.subarray(start, start + length), valueLength }
}

/** A node before a transition: whole, or the items of its list that the transition changed. */
type NodeBefore =
  | { readonly kind: 'whole' /** Its RLP; empty if there was no node. */; readonly rlp: Uint8Array }
  | {
      readonly kind: 'items' /** RLP of items by their index in the list. */
      readonly items: ReadonlyMap<number, Uint8Array>
    }

const flags = { partial: 1, short: 2, shortKey: 4, shortValue: 8, branchValue: 16 }

/** Decodes a value. Views. Throws RangeError on damage. */
export function decodeNodeBefore(value: Uint8Array): NodeBefore {
  const [flag] = value
  if (flag === undefined) throw new RangeError('expected the value of a node, found no bytes')
  if ((flag & flags.partial) === 0) return { kind: 'whole', rlp: value.subarray(1) }
  const isShort = (flag & flags.short) !== 0
  const indexes = isShort
    ? [...((flag & flags.shortKey) !== 0 ? [0] : []), ...((flag & flags.shortValue) !== 0 ? [1] : [])]
    : changedChildren(value, flag)
  const items = new Map<number, Uint8Array>()
  let at = isShort ? 1 : 3
  for (const index of indexes) {
    const end = at + 1 + (value[at] ?? 0)
    if (at >= value.length || end > value.length) throw new RangeError('expected a whole item of a node')
    items.set(index, value.subarray(at + 1, end))
    at = end
  }
  if (at !== value.length)
    throw new RangeError(`expected the end of the value, found ${value.length - at} bytes`)
  return { kind: 'items', items }
}

function changedChildren(value: Uint8Array, flag: number): number[] {
  if (value.length < 3) throw new RangeError('expected a bitmap of children')
  const bitmap = value[1]! * 256 + value[2]!
  const indexes: number[] = []
  for (let child = 0; child < 16; child++) if ((bitmap & (0x8000 >>> child)) !== 0) indexes.push(child)
  if ((flag & flags.branchValue) !== 0) indexes.push(16)
  return indexes
}

/** RLP of a node with other items in its list, from the first of `changes` to the last. Throws RlpError if `rlp` is no list. */
export function withItems(rlp: Uint8Array, changes: readonly ReadonlyMap<number, Uint8Array>[]): Uint8Array {
  if (changes.length === 0) return rlp
  const cursor = new RlpCursor(rlp)
  const outer = cursor.enterList()
  const items: Uint8Array[] = []
  while (cursor.hasMore()) items.push(cursor.readItem())
  cursor.leaveList(outer)
  for (const change of changes) for (const [index, item] of change) items[index] = item
  return encodeList(items)
}
