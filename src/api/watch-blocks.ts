// Follows the blocks of the chain, in viem's shapes.
import type { Hex } from '../bytes.js'
import { type Members, optionalSignal } from '../check.js'
import type { Datadir } from '../datadir/datadir.js'
import { followChain } from '../datadir/follow-chain.js'
import { throwIfAborted } from '../stop.js'
import { formatCursor } from './cursor.js'
import {
  type FinalizedEvent,
  type FollowEvent,
  type FollowOptions,
  followStart,
  type ReorgEvent,
  toFinalizedEvent,
  toReorgEvent,
} from './follow-start.js'
import { checkArguments } from './members.js'
import { readBlock } from './read-block.js'
import { existingBlock } from './scan-blocks.js'
import type { Block, Transaction } from './types.js'

/** Options of `watchBlocks`. */
export interface WatchBlocksOptions extends FollowOptions {
  /** Whether blocks have transaction objects instead of hashes; default false. */
  readonly includeTransactions?: boolean
}

const optionMembers: Members<WatchBlocksOptions> = {
  fromBlock: true,
  cursor: true,
  signal: true,
  includeTransactions: true,
}

/** The next block of the chain. */
export interface BlockEvent extends FollowEvent {
  readonly type: 'block'
  readonly block: Block<Hex> | Block<Transaction>
}

/** What `watchBlocks` yields. */
export type WatchedBlock = BlockEvent | ReorgEvent | FinalizedEvent

/** Yields each canonical block once and in order, and what is dropped before the blocks that replace it. */
export function watchBlocks(
  datadir: Datadir,
  options: WatchBlocksOptions,
): AsyncGenerator<WatchedBlock, void, undefined> {
  checkArguments([options, optionMembers])
  const { includeTransactions = false } = options
  return followChain<WatchedBlock>(
    datadir,
    {
      start: (view) => followStart(view, options),
      dropped: (_, dropped, ancestor) => toReorgEvent(dropped, ancestor),
      async *added(view, { from, to }, signal) {
        for (let number = from; number <= to; number++) {
          throwIfAborted(signal)
          const found = existingBlock(view, number)
          const last = { number, hash: found.hash }
          const block = await readBlock(view, found, includeTransactions)
          yield { event: { type: 'block', block, cursor: formatCursor(last) }, last }
        }
      },
      finalized: toFinalizedEvent,
    },
    optionalSignal('signal', options.signal),
  )
}
