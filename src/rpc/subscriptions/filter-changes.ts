// What a filter reports when it is asked for changes: hashes of blocks, or logs that are read now, block by block.
import type { Abortable } from '../../awaitable.js'
import { bytesToHex } from '../../bytes.js'
import { type ChainPoint, isCanonicalIn, unknownBranch } from '../../datadir/branch.js'
import type { ChainView } from '../../datadir/chain-view.js'
import { GethReaderError } from '../../errors.js'
import { hashListJson } from '../../hash-list.js'
import { type LogJson, logListJson } from '../../logs/log-json.js'
import type { BlockSpan } from '../../rawdb/block-span.js'
import type { JsonText } from '../json/json-text.js'
import type { Limits } from '../limits.js'
import type { LogFilterArgument } from '../parameters/log-filter.js'
import type { ChainStep } from './filter-store.js'
import { removedLogs } from './removed-logs.js'

/** The JSON of changes, and how many of the steps they are about. */
export interface FilterChanges {
  readonly json: JsonText
  readonly steps: number
}

/** Hashes of the new blocks. Those of dropped blocks are not reported, as in geth. */
export function blockChanges(steps: readonly ChainStep[]): FilterChanges {
  const added = steps.filter(({ kind }) => kind === 'added')
  return { json: hashListJson(added.map(({ block }) => block.hash)), steps: steps.length }
}

/**
 * Logs of dropped blocks with `removed: true`, then those of the blocks that replace them. If there are more than a query may
 * return, the changes end after the last block that fits; the rest comes with the next request. Throws VIEW_UNSTABLE if the view
 * is older than the steps, and BRANCH_UNKNOWN if geth has deleted a block of them.
 */
export async function logChanges(
  context: LogContext,
  criteria: LogFilterArgument,
  { steps, last }: NewSteps,
): Promise<FilterChanges> {
  const { view, limits } = context
  const found: LogJson[] = []
  let logs = 0
  let done = 0
  while (done < steps.length && logs < limits.logResults) {
    const run = runFrom(view, steps, done)
    const [{ kind, block: first }] = run as [ChainStep]
    checkKnown(view, first, last)
    const blocks = clip(criteria, { from: first.number, to: run.at(-1)!.block.number })
    let read = run.length
    if (blocks !== undefined && kind === 'added' && isUpToHead(view, run.at(-1)!.block)) {
      const { pieces, to } = await logsUpTo(context, { ...criteria, blocks, most: limits.logResults - logs })
      if (to < blocks.to) read = to - first.number + 1
      found.push(...pieces)
    } else if (blocks !== undefined) {
      const { json } = view.logsOfBlock(first.hash, criteria, 'json')
      found.push(kind === 'dropped' ? removedLogs(json) : json)
    }
    logs = found.reduce((sum, { length }) => sum + length, 0)
    done += read
  }
  return { json: logListJson(found), steps: done }
}

/** What has happened since a filter was asked, and the newest block that it leads to. */
interface NewSteps {
  readonly steps: readonly ChainStep[]
  readonly last: ChainPoint | undefined
}

interface LogContext extends Abortable {
  readonly view: ChainView
  readonly limits: Limits
}

interface LogsOfBlocks extends Pick<LogFilterArgument, 'addresses' | 'topics'> {
  readonly blocks: BlockSpan
  readonly most: number
}

/** At most so many logs, but those of one block at least, and the last block that they come from. */
async function logsUpTo(
  { view, limits, signal }: LogContext,
  { addresses, topics, blocks, most }: LogsOfBlocks,
): Promise<{ readonly pieces: readonly LogJson[]; readonly to: number }> {
  const query = { addresses, topics, timeoutMilliseconds: limits.logMilliseconds }
  const logsTo = async (to: number, maxResults: number) => ({
    pieces: await view.logs({ ...query, blocks: { from: blocks.from, to }, maxResults }, { signal }),
    to,
  })
  try {
    return await logsTo(blocks.to, most)
  } catch (error) {
    const last = lastThatFits(error)
    return last === undefined
      ? await logsTo(blocks.from, Number.MAX_SAFE_INTEGER - 1)
      : await logsTo(last, most)
  }
}

/**
 * Throws VIEW_UNSTABLE if the view of a request has not got a block: the request took it before it had its turn, and the block
 * came after that. If the view has the last block, too, geth has deleted this one: BRANCH_UNKNOWN.
 */
function checkKnown(view: ChainView, block: ChainPoint, last: ChainPoint | undefined): void {
  const { number, hash } = block
  if (view.chain.header({ hash }) !== undefined) return
  if (last !== undefined && isCanonicalIn(view, last)) throw unknownBranch(block, 'its logs are unknown')
  const message = `block ${number} with hash ${bytesToHex(hash)} is newer than the view, or was deleted`
  throw new GethReaderError('VIEW_UNSTABLE', message, { block: BigInt(number), blockHash: bytesToHex(hash) })
}

/** New blocks that one query can read: from a step on, as long as they are canonical in the view; else the step alone. */
function runFrom(view: ChainView, steps: readonly ChainStep[], from: number): readonly ChainStep[] {
  if (steps[from]!.kind === 'dropped') return steps.slice(from, from + 1)
  const end = steps.findIndex(({ kind }, i) => i > from && kind === 'dropped')
  const run = steps.slice(from, end < 0 ? steps.length : end)
  return isUpToHead(view, run.at(-1)!.block) ? run : run.slice(0, 1)
}

/** Whether a query reads this block. */
function isUpToHead(view: ChainView, point: ChainPoint): boolean {
  return point.number <= view.chain.head().header.number && isCanonicalIn(view, point)
}

/** The blocks of a span that are within the range of the criteria, if that has numbers. */
function clip({ fromBlock, toBlock }: LogFilterArgument, { from, to }: BlockSpan): BlockSpan | undefined {
  const first = fromBlock && 'number' in fromBlock ? Math.max(from, Number(fromBlock.number)) : from
  const last = toBlock && 'number' in toBlock ? Math.min(to, Number(toBlock.number)) : to
  return first <= last ? { from: first, to: last } : undefined
}

/** The last block with which a query has no more logs than it may; undefined if its first block has more. Throws other errors. */
function lastThatFits(error: unknown): number | undefined {
  if (!(error instanceof GethReaderError) || error.code !== 'TOO_MANY_RESULTS') throw error
  return error.facts.toBlock === undefined ? undefined : Number(error.facts.toBlock)
}
