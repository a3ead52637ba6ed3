// A log scan that outlives its view: where a running geth has deleted a table that the view needs, the scan goes on
// with a newer view behind the last block that it has handed out.
import { equalBytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import type { LogForm } from '../logs/log-forms.js'
import type { ScannedPiece } from '../parallel/scan-logs.js'
import type { LogSearch } from '../parallel/search-logs.js'
import type { ChainView } from './chain-view.js'

/** What views come from: a {@link Datadir}. */
export interface ViewSource {
  view(): Pick<ChainView, 'header' | 'scanLogs'> & Disposable
  refresh(): Promise<boolean>
}

/** Views that are tried without one more block done before the scan fails with VIEW_UNSTABLE. */
const attempts = 5

/**
 * Pieces in the order of the search, each block in exactly one of them, all of the chain in which the last block of the
 * range, `search.to`, has the given hash.
 *
 * Throws VIEW_UNSTABLE where no view lasts or the chain was reorganised meanwhile, and what scanning a view throws.
 */
export async function* scanAcrossViews<F extends LogForm>(
  views: ViewSource,
  search: LogSearch<F>,
  lastHash: Uint8Array,
): AsyncGenerator<ScannedPiece<F>, void, undefined> {
  let rest = search
  for (let attempt = 1; ; attempt++) {
    using view = views.view()
    try {
      checkChain(view, search.to, lastHash)
      for await (const piece of view.scanLogs(rest)) {
        rest = behind(rest, piece)
        attempt = 0
        yield piece
      }
      return
    } catch (error) {
      const isOutdated = error instanceof GethReaderError && error.code === 'VIEW_UNSTABLE'
      if (!isOutdated || attempt >= attempts) throw error
    }
    // A piece that ended the scan may have been the last thing the view could give.
    if (rest.from > rest.to || rest.limit <= 0) return
    await views.refresh()
  }
}

function behind<F extends LogForm>(search: LogSearch<F>, { from, to, stats }: ScannedPiece<F>): LogSearch<F> {
  const limit = search.limit - stats.logs
  return search.order === 'ascending'
    ? { ...search, from: to + 1, limit }
    : { ...search, to: from - 1, limit }
}

function checkChain(view: Pick<ChainView, 'header'>, number: number, hash: Uint8Array): void {
  const found = view.header({ number })
  if (found && equalBytes(found.hash, hash)) return
  throw new GethReaderError('VIEW_UNSTABLE', `block ${number} was reorganised away while logs were scanned`, {
    block: BigInt(number),
  })
}
