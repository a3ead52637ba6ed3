// How the directory holds state, and contract code, which both schemes keep alike. Trie nodes, snapshots and histories
// are read in state/. Follows core/rawdb/accessors_trie.go and accessors_state.go.
import { concatBytes } from '../bytes.js'
import { type ChainDatabase, readUint64 } from './chain-database.js'
import { readHeader } from './headers.js'
import {
  accountTrieNodeKey,
  codeKey,
  prefixes,
  preimageKey,
  singleKeys,
  stateIdKey,
  storageTrieNodeKey,
} from './schema.js'

/** `hash`: trie nodes under their hashes, many states. `path`: trie nodes under their paths, one state and history. */
export type StateScheme = 'hash' | 'path'

/** Which scheme the state is in; undefined where there is no state, as in an empty or header-only directory. */
export function readStateScheme(db: ChainDatabase): StateScheme | undefined {
  if (holdsPathState(db, new Uint8Array(0)) || holdsPathState(db, prefixes.verkle)) return 'path'
  const genesis = readHeader(db, 0)
  return genesis && db.kv.has(genesis.stateRoot) ? 'hash' : undefined
}

/** The root node can be missing while a snap sync runs; the state id tells then. */
function holdsPathState(db: ChainDatabase, namespace: Uint8Array): boolean {
  if (db.kv.has(concatBytes(namespace, accountTrieNodeKey(new Uint8Array(0))))) return true
  return (readUint64(db, concatBytes(namespace, singleKeys.persistentStateId)) ?? 0) !== 0
}

/**
 * RLP of the trie node at `path` (nibbles, one a byte) in the persistent state of the path scheme, undefined where there
 * is none: of the storage trie of the account whose address has the hash `owner`, of the account trie without. Nothing
 * is checked. May alias a cache.
 */
export function readPathNode(
  db: ChainDatabase,
  path: Uint8Array,
  owner?: Uint8Array,
): Uint8Array | undefined {
  return db.kv.get(owner === undefined ? accountTrieNodeKey(path) : storageTrieNodeKey(owner, path))
}

/** Id of the persistent state of the path scheme: how many transitions it is past genesis. 0 where none is recorded. */
export function readPersistentStateId(db: ChainDatabase): number {
  return readUint64(db, singleKeys.persistentStateId) ?? 0
}

/**
 * Id of the state with that root, path scheme; undefined where unknown. Entries outlive the state's history, so an
 * id does not prove that the state can be read.
 */
export function readStateId(db: ChainDatabase, stateRoot: Uint8Array): number | undefined {
  return readUint64(db, stateIdKey(stateRoot))
}

/** Code by its keccak hash; undefined where it is not stored, which the code of no bytes never is. May alias a cache. */
export function readCode(db: ChainDatabase, codeHash: Uint8Array): Uint8Array | undefined {
  return db.kv.get(codeKey(codeHash)) ?? db.kv.get(codeHash)
}

/** The bytes whose hash is a key of the tries, where geth has kept them: archives and `--cache.preimages`. */
export function readPreimage(db: ChainDatabase, hash: Uint8Array): Uint8Array | undefined {
  return db.kv.get(preimageKey(hash))
}
