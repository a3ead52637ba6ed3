// What the trie needs from whoever holds its nodes. State supplies it for each layout of nodes on disk.

/** The nodes of one trie. */
export interface NodeReader {
  /**
   * RLP of the node that stands at `path` (nibbles from the root, one a byte) and has this keccak `hash`. A node that
   * is not there is an error, never an empty subtrie: throws STATE_UNAVAILABLE with its place. Both arguments are
   * views that are valid during the call only; the result may alias a cache.
   */
  node(path: Uint8Array, hash: Uint8Array): Uint8Array
}
