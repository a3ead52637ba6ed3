// Where a follower of the typed API begins, and the events that all followers have.
import { bytesToHex, type Hex } from '../bytes.js'
import { type ChainPoint, canonicalHead, RememberedParents } from '../datadir/branch.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { FollowStart } from '../datadir/follow-chain.js'
import { beforeGenesis, formatCursor, parseCursor } from './cursor.js'
import { rangeEnd } from './select-block.js'
import type { BlockTag } from './types.js'

/** Where to begin, and how to end. */
export interface FollowOptions {
  /**
   * The first block, which may be above the head; default the next block that geth writes. Blocks below it are also left out
   * if a reorganisation replaces them.
   */
  readonly fromBlock?: bigint | BlockTag
  /** The `cursor` of an event, to continue after it, even if its block was dropped since. */
  readonly cursor?: string
  /** Ends the iteration, which throws ABORTED with the signal's reason as cause. */
  readonly signal?: AbortSignal
}

/** A block by number and hash. */
export interface FollowedBlock {
  readonly number: bigint
  readonly hash: Hex
}

/** What each event has. */
export interface FollowEvent {
  /** Store it with what was made of the event: a follower with this `cursor` continues after it. */
  readonly cursor: string
}

/** Blocks were dropped; the blocks that replace them come next. */
export interface ReorgEvent extends FollowEvent {
  readonly type: 'reorg'
  /** Newest block that both branches have. */
  readonly ancestor: FollowedBlock
  /**
   * The dropped blocks, newest first. Only blocks that were handed out before, or, without `fromBlock`, that were there at the
   * start.
   */
  readonly dropped: readonly FollowedBlock[]
}

/** A newer block is final: it and those before it will not be dropped. Comes only for blocks that were handed out. */
export interface FinalizedEvent extends FollowEvent {
  readonly type: 'finalized'
  readonly block: FollowedBlock
}

/** The place of a start in a view. Throws TypeError, RangeError and BLOCK_NOT_FOUND. */
export function followStart(view: ChainView, { fromBlock, cursor }: FollowOptions): FollowStart {
  const first = fromBlock === undefined ? 0 : rangeEnd(view, 'fromBlock', fromBlock)
  // The caller may have missed marks since it stored the cursor.
  if (cursor !== undefined) return { after: parseCursor('cursor', cursor), first, finalized: first - 1 }
  const after = blockBefore(view, fromBlock === undefined ? Number.POSITIVE_INFINITY : first)
  return { after, first, finalized: Math.max(after.number, first - 1) }
}

/** The block before a number; the head if there is none before it. */
function blockBefore(view: ChainView, number: number): ChainPoint {
  if (number === 0) return beforeGenesis
  const head = canonicalHead(view, new RememberedParents())
  if (number > head.number) return head
  return { number: number - 1, hash: view.chain.header({ number: number - 1 })!.hash }
}

export function toReorgEvent(dropped: readonly ChainPoint[], ancestor: ChainPoint): ReorgEvent {
  return {
    type: 'reorg',
    ancestor: toFollowedBlock(ancestor),
    dropped: dropped.map(toFollowedBlock),
    cursor: formatCursor(ancestor),
  }
}

export function toFinalizedEvent(block: ChainPoint, last: ChainPoint): FinalizedEvent {
  return { type: 'finalized', block: toFollowedBlock(block), cursor: formatCursor(last) }
}

function toFollowedBlock({ number, hash }: ChainPoint): FollowedBlock {
  return { number: BigInt(number), hash: bytesToHex(hash) }
}
