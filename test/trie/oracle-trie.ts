// Tries built by the oracle, @ethereumjs/trie, and a reader over their nodes.

import { createMPT, type MerklePatriciaTrie } from '@ethereumjs/trie'
import { MapDB } from '@ethereumjs/util'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import type { NodeReader } from '../../src/trie/node.js'

/** A trie and everything the oracle stored for it. */
export interface OracleTrie {
  readonly trie: MerklePatriciaTrie
  readonly root: Uint8Array
  /** RLP of the nodes by 0x hash. Remove or change entries to damage the trie. */
  readonly nodes: Map<string, Uint8Array>
  readonly reader: NodeReader
  /** Paths at which nodes were read, in order. */
  readonly reads: string[]
}

export async function buildTrie(entries: Iterable<readonly [Uint8Array, Uint8Array]>): Promise<OracleTrie> {
  const db = new MapDB<string, string>()
  const trie = await createMPT({ db })
  for (const [key, value] of entries) await trie.put(key, value)
  const nodes = new Map<string, Uint8Array>()
  for (const stored of db._database.values()) {
    const rlp = typeof stored === 'string' ? hexToBytes(stored) : (stored as Uint8Array)
    nodes.set(bytesToHex(keccak256(rlp)), rlp)
  }
  const reads: string[] = []
  const reader: NodeReader = {
    node(path, hash) {
      reads.push(path.join('.'))
      const rlp = nodes.get(bytesToHex(hash))
      if (rlp === undefined) throw new Error(`missing ${bytesToHex(hash)} at ${path.join('.')}`)
      return rlp
    },
  }
  return { trie, root: trie.root(), nodes, reader, reads }
}

/** 32-byte keys that are spread as hashes are: the keccaks of counters. */
export function hashedKeys(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => keccak256(Uint8Array.of(i >> 16, i >> 8, i)))
}
