// Plans a log scan: by which source each part of a block range is searched. Pure; nothing is read before the plan is made.
import type { BlockSpan } from '../rawdb/block-span.js'
import type { LogFilter } from './filter.js'

/** What can find the blocks whose receipts are read, cheapest first. `receipts` reads those of all blocks. */
export const logSources = ['ownIndex', 'filterMaps', 'bloomBits', 'headerBlooms', 'receipts'] as const

/** One of `ownIndex` (see the option `index`), `filterMaps`, `bloomBits`, `headerBlooms` and `receipts`. */
export type LogSource = (typeof logSources)[number]

/** Log indexes: one outside of the directory, and those that geth stores in it. */
export type LogIndex = 'ownIndex' | 'filterMaps' | 'bloomBits'

/** The blocks for which each index can be used. */
export interface LogIndexes {
  readonly ownIndex?: BlockSpan
  readonly filterMaps?: BlockSpan
  readonly bloomBits?: BlockSpan
  /** Indexes that are not used, or only for some blocks, and why. */
  readonly unusedIndexes: readonly { readonly index: LogIndex; readonly reason: string }[]
}

/** One part of a plan: a span of blocks and its source. */
export interface PlanStep extends BlockSpan {
  readonly source: LogSource
}

/**
 * Steps that cover the range without gap or overlap, ascending. Each block gets the cheapest source that covers it and that
 * the caller allows. Receipts are always allowed, and they are the only source for a filter that matches every log.
 */
export function planLogScan(
  filter: LogFilter,
  range: BlockSpan,
  indexes: LogIndexes,
  allowed: readonly LogSource[] = logSources,
): PlanStep[] {
  const isWildcard = [filter.addresses, ...filter.topics].every((group) => group.length === 0)
  const sources = isWildcard ? [] : logSources.filter((source) => allowed.includes(source))
  let open: BlockSpan[] = range.from <= range.to ? [range] : []
  const steps: PlanStep[] = []
  for (const source of [...sources, 'receipts'] as const) {
    const coverage = source === 'headerBlooms' || source === 'receipts' ? range : indexes[source]
    if (!coverage) continue
    for (const { from, to } of open.splice(0)) {
      const step = { source, from: Math.max(from, coverage.from), to: Math.min(to, coverage.to) }
      if (step.from > step.to) {
        open.push({ from, to })
        continue
      }
      steps.push(step)
      open.push({ from, to: step.from - 1 }, { from: step.to + 1, to })
    }
    open = open.filter(({ from, to }) => from <= to)
  }
  return steps.sort((a, b) => a.from - b.from)
}
