// The trie nodes that executed blocks make, collected over many blocks, so that find-nodes.ts looks for all of them at once.

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

/** The nodes with these hashes. */
export function newNodes(nodes: readonly { readonly hash: Uint8Array; readonly block: number }[]): NewNodes {
  const prefixes = new Uint8Array(nodes.length * prefixBytes)
  for (const [i, { hash }] of nodes.entries()) prefixes.set(hash.subarray(0, prefixBytes), i * prefixBytes)
  return { prefixes, blocks: Uint32Array.from(nodes, ({ block }) => block) }
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
