// The trie nodes that executed blocks make, collected over many blocks, so that find-nodes.ts looks for all of them at once.
import type { Header } from '../types/header.js'

/** Bytes of a hash that are enough to know a node by. */
export const prefixBytes = 16

/** Nodes that blocks make. */
export interface NewNodes {
  /** The first 16 bytes of the hash of each. */
  readonly prefixes: Uint8Array
  /** The block that makes each. */
  readonly blocks: Uint32Array
}

/** Nodes that are searched, and the first bytes that their hashes can have, both ends included. */
export interface NodeSearch extends NewNodes {
  readonly first: number
  readonly last: number
}

/** Buffers that can be moved to another thread. */
export function nodeBuffers({ prefixes, blocks }: NewNodes): ArrayBuffer[] {
  return [prefixes.buffer as ArrayBuffer, blocks.buffer as ArrayBuffer]
}

/** Nodes that one block makes. */
export interface NodesOfBlock {
  readonly header: Pick<Header, 'number' | 'stateRoot'>
  /** Their hashes, 32 bytes each, in one array, because arrays of 32 bytes take several times the memory. */
  readonly hashes: Uint8Array
}

/** The nodes of these blocks. */
export function newNodes(blocks: readonly NodesOfBlock[]): NewNodes {
  const count = blocks.reduce((sum, { hashes }) => sum + hashes.length / 32, 0)
  const nodes = { prefixes: new Uint8Array(count * prefixBytes), blocks: new Uint32Array(count) }
  let i = 0
  for (const { header, hashes } of blocks) {
    for (let at = 0; at < hashes.length; at += 32, i++) {
      nodes.prefixes.set(hashes.subarray(at, at + prefixBytes), i * prefixBytes)
      nodes.blocks[i] = header.number
    }
  }
  return nodes
}

/** Nodes of many blocks, which are searched together. */
export class PendingNodes {
  #pieces: NewNodes[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  add(nodes: NewNodes): void {
    this.#pieces.push(nodes)
    this.#count += nodes.blocks.length
  }

  /** All of them as searches, each of another part of the store; there are none afterwards. */
  take(searches: number): readonly NodeSearch[] {
    const pieces = this.#pieces
    this.#pieces = []
    this.#count = 0
    const counts = new Uint32Array(searches)
    const partOf = (prefixes: Uint8Array, i: number) => (prefixes[i * prefixBytes]! * searches) >> 8
    for (const { prefixes, blocks } of pieces) {
      for (let i = 0; i < blocks.length; i++) counts[partOf(prefixes, i)]!++
    }
    const parts = Array.from(counts, (count) => ({
      prefixes: new Uint8Array(count * prefixBytes),
      blocks: new Uint32Array(count),
    }))
    counts.fill(0)
    for (const { prefixes, blocks } of pieces) {
      for (let i = 0; i < blocks.length; i++) {
        const part = partOf(prefixes, i)
        const to = counts[part]!++
        const start = i * prefixBytes
        for (let byte = 0; byte < prefixBytes; byte++) {
          parts[part]!.prefixes[to * prefixBytes + byte] = prefixes[start + byte]!
        }
        parts[part]!.blocks[to] = blocks[i]!
      }
    }
    const begin = (part: number) => Math.ceil((part * 256) / searches)
    return parts
      .map((nodes, part) => ({ ...nodes, first: begin(part), last: begin(part + 1) - 1 }))
      .filter(({ blocks }) => blocks.length > 0)
  }
}
