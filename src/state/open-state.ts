// Chooses how the state of a directory is read.
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { readStateScheme } from '../rawdb/state.js'
import { type HashTrieStateOptions, openHashTrieState } from './hash-trie-state.js'
import { type StateSource, stateUnavailable } from './state-source.js'

/**
 * The states of a directory. Where it holds none, or keeps them in a scheme that this version does not read, opening
 * succeeds and every state is unavailable with that reason. The database stays the caller's to close.
 */
export function openState(db: ChainDatabase, options: HashTrieStateOptions = {}): StateSource {
  const scheme = readStateScheme(db)
  if (scheme === 'hash') return openHashTrieState(db, options)
  const reason =
    scheme === 'path'
      ? 'none: the directory keeps its state in the path scheme, which this version does not read'
      : 'none: the directory holds no state'
  return {
    scheme,
    hasState: () => false,
    stateAt(root) {
      throw stateUnavailable(root, reason)
    },
  }
}
