// Chooses how the state of a directory is read.
import type { KeyValueReader } from '../ethdb/key-value-reader.js'
import { type HashTrieStateOptions, openHashTrieState } from './hash-trie-state.js'
import { type StateScheme, type StateSource, stateUnavailable } from './state-source.js'

/**
 * The states of a directory of this scheme, undefined for one that holds none. Where the scheme is not readable by
 * this version every state is unavailable and says so.
 */
export function openState(
  kv: KeyValueReader,
  scheme: StateScheme | undefined,
  options: HashTrieStateOptions = {},
): StateSource {
  if (scheme === 'hash') return openHashTrieState(kv, options)
  const reason =
    scheme === 'path'
      ? 'none: the directory keeps its state in the path scheme, which this version does not read'
      : 'none: the directory holds no state'
  return {
    scheme: scheme ?? 'hash',
    hasState: () => false,
    stateAt(root) {
      throw stateUnavailable(root, reason)
    },
  }
}
