// A log scan as a stream over views: after a view has failed, it continues after the last block that it has given.
import type { LogForm } from '../logs/log-forms.js'
import { blocksAfter } from '../rawdb/block-span.js'
import type { ScannedPiece } from '../workers/scan-logs.js'
import type { LogSearch } from '../workers/search-logs.js'
import { type CanonicalBlock, checkCanonical } from './canonical-block.js'
import type { ChainView } from './chain-view.js'

/** What is read of a view. */
export type LogScanView = Pick<ChainView, 'header' | 'scanLogs'>

/**
 * Pieces in the order of the search, each block in exactly one of them, all of the chain of `last`, the last block of the
 * range. Call the function once for each view. It throws VIEW_UNSTABLE if the chain was reorganised, and what scanning throws.
 */
export function logPieces<F extends LogForm>(
  search: LogSearch<F>,
  last: CanonicalBlock,
): (view: LogScanView, signal?: AbortSignal) => AsyncGenerator<ScannedPiece<F>, void, undefined> {
  let rest = search
  return async function* (view, signal) {
    checkCanonical(view, last)
    for await (const piece of view.scanLogs({ ...rest, signal })) {
      rest = restAfter(rest, piece)
      yield piece
      if (rest.from > rest.to || rest.limit <= 0) return
    }
  }
}

function restAfter<F extends LogForm>(
  search: LogSearch<F>,
  { from, to, stats }: ScannedPiece<F>,
): LogSearch<F> {
  return { ...search, ...blocksAfter(search, { from, to }, search.order), limit: search.limit - stats.logs }
}
