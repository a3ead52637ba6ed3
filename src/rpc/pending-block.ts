// The block that would follow the head now, empty: what geth calls pending when its pool is empty.
// A directory holds no pool and no consensus client, so this is all that can be known of the pending block.
// Follows getPending and prepareWork in geth's miner/, consensus/misc/eip1559 and eip4844.
import type { Block, ChainView } from './backend.js'

/** The pending block on top of a view's head. Its hash means nothing; its state root is the head's. */
export function pendingBlock(view: ChainView): Block {
  const { header, hash } = view.head()
  return {
    header: { ...header, parentHash: hash },
    hash,
    body: { transactions: [], uncles: [] },
    uncleHashes: [],
    size: 0,
  }
}
