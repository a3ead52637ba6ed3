// Decides before anything is read by which means each part of a block range is searched. Pure.
import type { BlockSpan } from '../rawdb/block-span.js'
import type { LogFilter } from './filter.js'

/** Means of finding the blocks worth reading, cheapest first; `receipts` reads all of them. */
export const logSources = ['filterMaps', 'bloomBits', 'headerBlooms', 'receipts'] as const

export type LogSource = (typeof logSources)[number]

/** Log indexes that geth keeps in a directory. */
export type LogIndex = 'filterMaps' | 'bloomBits'

/** What the indexes of a directory can be relied on for. */
export interface LogIndexes {
  readonly filterMaps?: BlockSpan
  readonly bloomBits?: BlockSpan
  /** Indexes that are there and not, or not wholly, used, and why. */
  readonly leftAside: readonly { readonly index: LogIndex; readonly reason: string }[]
}

/** One part of a plan: these blocks by this means. */
export interface PlanStep extends BlockSpan {
  readonly source: LogSource
}

/**
 * Steps that cover the range without gap or overlap, ascending. Each block gets the cheapest source that covers it and
 * that the caller allows; receipts are always allowed. A filter that names nothing is not worth a look at anything else.
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
    const coverage = source === 'filterMaps' || source === 'bloomBits' ? indexes[source] : range
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
