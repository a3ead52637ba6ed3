// A state of the hash scheme built by the oracles, @ethereumjs/trie and @ethereumjs/rlp, in a store that counts reads.

import { RLP } from '@ethereumjs/rlp'
import { bytesToHex, concatBytes, hexToBytes } from '../../src/bytes.js'
import { emptyRoot } from '../../src/constants.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import type { ChainDatabase } from '../../src/rawdb/chain-database.js'
import { MemoryStore } from '../ethdb/memory-store.js'
import { buildTrie } from '../trie/oracle-trie.js'

export interface OracleAccount {
  readonly address: Uint8Array
  readonly nonce: number
  readonly balance: bigint
  readonly code?: Uint8Array
  /** Trimmed values by 32-byte slot in hex. */
  readonly storage?: Readonly<Record<string, Uint8Array>>
}

export interface OracleState {
  readonly root: Uint8Array
  /** Pairs of the store by hex of the key. Remove or change some to damage the state. */
  readonly pairs: Map<string, Uint8Array>
}

/** Everything geth would store for this state. */
export async function buildState(accounts: readonly OracleAccount[]): Promise<OracleState> {
  const pairs = new Map<string, Uint8Array>()
  const keepNodes = (nodes: Map<string, Uint8Array>) => {
    for (const [hash, rlp] of nodes) pairs.set(hash, rlp)
  }
  const leaves: [Uint8Array, Uint8Array][] = []
  for (const { address, nonce, balance, code, storage } of accounts) {
    let storageRoot = emptyRoot
    if (storage !== undefined) {
      const slots = Object.entries(storage).map(([slot, value]) => {
        return [keccak256(hexToBytes(slot)), RLP.encode(value)] as const
      })
      const trie = await buildTrie(slots)
      storageRoot = trie.root
      keepNodes(trie.nodes)
    }
    const codeHash = keccak256(code ?? new Uint8Array())
    if (code !== undefined) pairs.set(bytesToHex(concatBytes(codePrefix, codeHash)), code)
    leaves.push([keccak256(address), RLP.encode([nonce, balance, storageRoot, codeHash])])
  }
  const trie = await buildTrie(leaves)
  keepNodes(trie.nodes)
  return { root: trie.root, pairs }
}

export const codePrefix = new TextEncoder().encode('c')

/** A database over the pairs; `reads` lists the keys asked for. */
export function databaseOf(
  pairs: ReadonlyMap<string, Uint8Array>,
): ChainDatabase & { readonly reads: string[] } {
  const store = new MemoryStore([...pairs].map(([key, value]) => [hexToBytes(key), value] as const))
  const reads: string[] = []
  const get = store.get.bind(store)
  store.get = (key) => {
    reads.push(bytesToHex(key))
    return get(key)
  }
  return { kv: store, ancient: undefined, reads }
}
