// In which scheme the directory stores state, and records that need no other file of state: nodes by path, state ids, code
// and preimages. Snapshots, journals and histories are read in state/. Follows core/rawdb/accessors_trie.go and
// accessors_state.go.
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

/** The scheme of the state; undefined if there is none, as in an empty directory or one with headers only. */
export function readStateScheme(db: ChainDatabase): StateScheme | undefined {
  if (holdsPathState(db, new Uint8Array(0)) || holdsPathState(db, prefixes.verkle)) return 'path'
  const genesis = readHeader(db, 0)
  return genesis && db.kv.has(genesis.stateRoot) ? 'hash' : undefined
}

/** The root node can be missing during a snap sync, in which case the state id shows the scheme. */
function holdsPathState(db: ChainDatabase, namespace: Uint8Array): boolean {
  if (db.kv.has(concatBytes(namespace, accountTrieNodeKey(new Uint8Array(0))))) return true
  return (readUint64(db, concatBytes(namespace, singleKeys.persistentStateId)) ?? 0) !== 0
}

/**
 * RLP of a trie node in the persistent state of the path scheme; undefined if there is none. It is a node of the storage
 * trie of the account with the address hash `owner`, or of the account trie by default. `path` has one nibble in each byte.
 * Nothing is checked. May alias a cache.
 */
export function readPathNode(
  db: ChainDatabase,
  path: Uint8Array,
  owner?: Uint8Array,
): Uint8Array | undefined {
  return db.kv.get(owner === undefined ? accountTrieNodeKey(path) : storageTrieNodeKey(owner, path))
}

/** Id of the persistent state of the path scheme; 0 if none is recorded. Ids count the transitions of the state. */
export function readPersistentStateId(db: ChainDatabase): number {
  return readUint64(db, singleKeys.persistentStateId) ?? 0
}

/**
 * Id of the state with this root, path scheme; undefined if unknown. geth does not delete ids with the history of a state,
 * so an id does not prove that the state can be read.
 */
export function readStateId(db: ChainDatabase, stateRoot: Uint8Array): number | undefined {
  return readUint64(db, stateIdKey(stateRoot))
}

/** Code by its keccak; undefined if it is not stored. The empty code never is. May alias a cache. */
export function readCode(db: ChainDatabase, codeHash: Uint8Array): Uint8Array | undefined {
  return db.kv.get(codeKey(codeHash)) ?? db.kv.get(codeHash)
}

/** The bytes whose keccak is a key of the tries. geth stores them in archives and with `--cache.preimages`. */
export function readPreimage(db: ChainDatabase, hash: Uint8Array): Uint8Array | undefined {
  return db.kv.get(preimageKey(hash))
}
