// Follows the chain from a block on: reports every canonical block once and in order, and dropped blocks before those that
// replace them. Knows the order of events; their content is left to the readers.
import type { BlockSpan } from '../rawdb/block-span.js'
import { branchFrom, type ChainPoint, canonicalHead, RememberedParents } from './branch.js'
import type { ChainView } from './chain-view.js'
import type { Datadir } from './datadir.js'

/** An event, and the last block that was handed out with it or before it. */
interface FollowedEvent<Event> {
  readonly event: Event
  readonly last: ChainPoint
}

/** Where to begin. */
export interface FollowStart {
  /** The block before the first that is new; its number is -1 if the chain is new from genesis on. */
  readonly after: ChainPoint
  /** Blocks below this number are neither handed out nor dropped. */
  readonly first: number
  /** It is no news that blocks up to this number are final. */
  readonly finalized: number
}

/** How a reader makes events. Blocks and logs come from the view that it is given. */
interface EventMaker<Event> {
  /** Where to begin. Called once. */
  start(view: ChainView): FollowStart
  /** Blocks that are not canonical any more, newest first, at least one. `ancestor` is canonical. */
  dropped(view: ChainView, dropped: readonly ChainPoint[], ancestor: ChainPoint): Event
  /** The blocks of a span of the view's chain, in order; each is in one event. */
  added(view: ChainView, span: BlockSpan, signal: AbortSignal): AsyncIterable<FollowedEvent<Event>>
  /** A newer block is final. `last` is the last block that was handed out. */
  finalized(block: ChainPoint, last: ChainPoint): Event
}

/** Events until the reader leaves. Throws BRANCH_UNKNOWN, and what the events throw. */
export function followChain<Event>(
  datadir: Datadir,
  maker: EventMaker<Event>,
  signal?: AbortSignal,
): AsyncGenerator<Event, void, undefined> {
  const parents = new RememberedParents()
  let place: { last: ChainPoint; readonly first: number; finalized: number } | undefined
  return datadir.follow(async function* (view, signal) {
    if (place === undefined) {
      const { after: last, first, finalized } = maker.start(view)
      place = { last, first, finalized }
    }
    if (place.last.number >= 0) {
      const { dropped, ancestor } = branchFrom(view, place.last, parents)
      if (dropped.length > 0) {
        const { first } = place
        const handedOut = dropped.filter(({ number }) => number >= first)
        const event = handedOut.length > 0 ? maker.dropped(view, handedOut, ancestor) : undefined
        parents.setBack(ancestor.number)
        place.last = ancestor
        if (event !== undefined) yield event
      }
    }
    const head = canonicalHead(view, parents)
    const from = Math.max(place.last.number + 1, place.first)
    if (from <= head.number) {
      for await (const { event, last } of maker.added(view, { from, to: head.number }, signal)) {
        place.last = last
        yield event
      }
    } else if (place.last.number < head.number) place.last = head
    parents.add(view, head)
    const final = view.chain.tagNumber('finalized')
    if (final === undefined || final <= place.finalized || final > place.last.number) return
    place.finalized = final
    yield maker.finalized({ number: final, hash: view.chain.header({ number: final })!.hash }, place.last)
  }, signal)
}
