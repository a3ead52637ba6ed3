// The logs that a query matches, as JSON and up to a limit: of a range of blocks, or of one block by its hash.
import type { Abortable, Awaitable } from '../awaitable.js'
import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import type { LogFilter } from '../logs/filter.js'
import type { LogForm } from '../logs/log-forms.js'
import { blockOfLog, type LogJson } from '../logs/log-json.js'
import { type RangeResult, scanBlock } from '../logs/scan-range.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import type { View } from '../view/view.js'
import { OrderedScan } from '../workers/scan-logs.js'
import type { TaskPlace } from './run-task.js'

/** Which logs: of a range of canonical blocks, both ends included and at most the head, or of one block by hash. */
export interface LogQuery extends LogFilter {
  readonly blocks: BlockSpan | { readonly hash: Uint8Array }
  /** Exactly this many succeed; one more is TOO_MANY_RESULTS. */
  readonly maxResults: number
  /** 0 for none. */
  readonly timeoutMilliseconds: number
}

/**
 * Matching logs by block number, then log index, as JSON.
 *
 * Throws BLOCK_NOT_FOUND for an unknown hash, HISTORY_PRUNED, TOO_MANY_RESULTS (facts.limit, and facts.fromBlock to
 * facts.toBlock for the first blocks that fit), DEADLINE_EXCEEDED, QUEUE_FULL, WORKER_FAILED; ABORTED.
 */
export function findLogs(
  place: TaskPlace,
  query: LogQuery,
  waiter: Abortable,
): Awaitable<readonly LogJson[]> {
  const { blocks, maxResults, timeoutMilliseconds } = query
  if ('hash' in blocks) {
    const { json } = logsOfBlock(place.view, blocks.hash, { filter: query, form: 'json' })
    if (json.length > maxResults) throw tooManyResults(maxResults, undefined)
    return [json]
  }
  const deadline = timeoutMilliseconds > 0 ? Date.now() + timeoutMilliseconds : undefined
  const bounds = { from: blocks.from, to: blocks.to, deadline, limit: maxResults + 1 }
  const scan = new OrderedScan({ filter: query, form: 'json', order: 'ascending', ...bounds })
  const first = scan.begin(place.view)
  const found = first ? [first.json] : []
  if (scan.isOver) return noMoreThan(maxResults, found, blocks)
  return finish(scan, place, { found, waiter }).then(() => noMoreThan(maxResults, found, blocks))
}

/** Leaves the rest of a scan to the workers, which adds to `found`. */
async function finish(
  scan: OrderedScan<'json'>,
  { view, pool, caller }: TaskPlace,
  { found, waiter: { signal } }: { readonly found: LogJson[]; readonly waiter: Abortable },
): Promise<void> {
  for await (const { json } of scan.finish(pool, view, { signal, caller })) found.push(json)
}

/** Matching logs of one block of any chain. Throws BLOCK_NOT_FOUND for an unknown hash, HISTORY_PRUNED. */
export function logsOfBlock<F extends LogForm>(
  { chain, db }: Pick<View, 'chain' | 'db'>,
  hash: Uint8Array,
  search: { readonly filter: LogFilter; readonly form: F },
): RangeResult<F> {
  const found = chain.header({ hash })
  if (!found) {
    throw new GethReaderError('BLOCK_NOT_FOUND', `block ${bytesToHex(hash)} is not in this directory`, {
      blockHash: bytesToHex(hash),
    })
  }
  return scanBlock(db, { number: found.header.number, hash }, search)
}

/** The logs of a scan whose limit was one more than there may be. */
function noMoreThan(limit: number, found: readonly LogJson[], { from }: BlockSpan): readonly LogJson[] {
  const logs = found.reduce((sum, { length }) => sum + length, 0)
  if (logs <= limit) return found
  const last = found.at(-1)!
  throw tooManyResults(limit, { from, to: blockOfLog(last, last.length - 1) - 1 })
}

/** `fits` are the blocks before the one in which the limit is passed; there may be none. */
function tooManyResults(limit: number, fits: BlockSpan | undefined): GethReaderError {
  const isRange = fits !== undefined && fits.from <= fits.to
  return new GethReaderError('TOO_MANY_RESULTS', `query returned more than ${limit} results`, {
    limit,
    ...(isRange && { fromBlock: BigInt(fits.from), toBlock: BigInt(fits.to) }),
  })
}
