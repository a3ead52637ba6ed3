// The cache of trie nodes. Their bytes are in one array, so that the garbage collector has nothing to do with them: with an array
// for each node, traces of blocks in random order took 1.05 to 1.1 times the processor time (2026-11-25).
import { copyBytes } from '../byte-area.js'
import { ByteKeys } from '../byte-keys.js'

/**
 * Smallest node to cache: a branch of six children. The upper levels of a trie, which every lookup reads, have such nodes.
 * Leaves and the sparse branches above them are read once, and would evict the upper levels.
 */
const smallestNode = 200
/** A branch of 16 hashes. Longer nodes have long values, which no trie of geth's states has. */
const largestNode = 532

/** Bytes that a node takes with its key. */
const nodeBytes = largestNode + 48
/** An array may not be much longer in every version of Node. */
const mostBytes = 2 ** 31

/** Nodes by their hashes. */
export class NodeCache {
  /** Reads that found their node, and those that did not. */
  hits = 0
  misses = 0
  readonly #keys: ByteKeys
  readonly #bytes: Uint8Array
  readonly #lengths: Uint16Array
  /** Number of the place of each slot in the array, from 1 on: places are given in turn, so that few nodes take little memory. */
  readonly #places: Uint32Array
  #placed = 0

  /** Room for as many nodes as fit into so many bytes, or into 2 GiB. Memory is taken as nodes come. */
  constructor(bytes: number) {
    this.#keys = new ByteKeys(32, Math.min(bytes, mostBytes) / nodeBytes)
    this.#bytes = new Uint8Array(this.#keys.capacity * largestNode)
    this.#lengths = new Uint16Array(this.#keys.capacity)
    this.#places = new Uint32Array(this.#keys.capacity)
  }

  /** A copy of a node; undefined if it is not cached. */
  get(hash: Uint8Array): Uint8Array | undefined {
    const slot = this.#keys.find(hash)
    if (slot < 0) {
      this.misses++
      return undefined
    }
    this.hits++
    const start = this.#startOf(slot)
    return copyBytes(this.#bytes, start, start + this.#lengths[slot]!)
  }

  /** Caches a node if other lookups are likely to read it. */
  set(hash: Uint8Array, node: Uint8Array): void {
    if (node.length < smallestNode || node.length > largestNode) return
    const slot = this.#keys.claim(hash)
    this.#places[slot] ||= ++this.#placed
    this.#bytes.set(node, this.#startOf(slot))
    this.#lengths[slot] = node.length
  }

  #startOf(slot: number): number {
    return (this.#places[slot]! - 1) * largestNode
  }
}
