// A log query from plan to results: planned over the view's indexes, begun on this thread if it is likely to end there at
// once, and otherwise given to the workers.

import type { LogFilter } from '../logs/filter.js'
import type { LogForm } from '../logs/log-forms.js'
import { logIndexesOf } from '../logs/log-indexes.js'
import { type LogIndexes, type LogSource, type PlanStep, planLogScan } from '../logs/plan.js'
import { scanRange } from '../logs/scan-range.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import { TaskSignal, throwIfAborted } from '../stop.js'
import type { View } from '../view/view.js'
import { type PlannedScan, type ScannedPiece, scanOnWorkers } from './scan-logs.js'
import type { WorkerPool } from './worker-pool.js'

/** A log query over canonical blocks, both ends included and at most the head. */
export interface LogSearch<F extends LogForm> extends BlockSpan, Omit<PlannedScan<F>, 'steps'> {
  /** Indexes that may be used, in addition to reading all receipts; default all. */
  readonly sources?: readonly LogSource[]
}

/** How a query will be answered, and what of the directory's indexes is not used for it. */
export interface SearchPlan extends Pick<LogIndexes, 'unusedIndexes'> {
  readonly steps: readonly PlanStep[]
}

/**
 * Work, in bytes, that is done in this thread before the rest goes to the workers: one or two milliseconds. That is all of a
 * short query, and of a long one it shows how heavy its blocks are, so that each worker gets its share of the rest at once.
 */
const workHere = 512 * 1024

/** Blocks up to which a step is begun in this thread. An index is searched as a whole, however much it finds. */
const blocksHere: Readonly<Record<LogSource, number>> = {
  filterMaps: 65_536,
  bloomBits: 65_536,
  headerBlooms: Number.POSITIVE_INFINITY,
  receipts: 8,
}

/** Values of a filter up to which each of them is cheap to look for. */
const valuesHere = 8

export function planSearch(view: View, search: Omit<LogSearch<LogForm>, 'form'>): SearchPlan {
  const indexes = logIndexesOf(view.db)
  const steps = planLogScan(search.filter, search, indexes, search.sources)
  return { steps, unusedIndexes: indexes.unusedIndexes }
}

/** Yields results in the order of the search. Throws as scanOnWorkers of scan-logs.ts. */
export async function* searchLogs<F extends LogForm>(
  pool: WorkerPool,
  view: View,
  search: LogSearch<F>,
): AsyncGenerator<ScannedPiece<F>, void, undefined> {
  throwIfAborted(search.signal)
  const { first, rest } = beginSearch(view, search)
  if (first) yield first
  if (rest) yield* scanOnWorkers(pool, view.descriptor, rest)
}

/** A search of which what is likely to be done at once is done. */
interface BegunSearch<F extends LogForm> {
  readonly first?: ScannedPiece<F> | undefined
  /** What is left for the workers. */
  readonly rest?: PlannedScan<F> | undefined
}

/** Begins a search in this thread. Throws what reading throws, and DEADLINE_EXCEEDED. */
export function beginSearch<F extends LogForm>(view: View, search: LogSearch<F>): BegunSearch<F> {
  const { steps } = planSearch(view, search)
  const [step, ...others] = search.order === 'ascending' ? steps : steps.toReversed()
  if (step === undefined || !isBegunHere(step, search.filter)) return { rest: { ...search, steps } }
  // Every member by name: spreading takes several times as long as all the rest of this function.
  const piece = {
    filter: search.filter,
    form: search.form,
    source: step.source,
    from: step.from,
    to: step.to,
    order: search.order,
    limit: search.limit,
    maxBytes: Number.POSITIVE_INFINITY,
    maxWork: workHere,
  }
  const result = scanRange(view.db, piece, TaskSignal.of(search))
  const { source } = step
  const first = { ...result, source, from: result.done.from, to: result.done.to }
  const limit = search.limit - result.stats.logs
  const left = result.rest ? [{ source, ...result.rest }, ...others] : others
  if (limit <= 0 || left.length === 0) return { first }
  return { first, rest: { ...search, limit, begun: first, steps: left.sort((a, b) => a.from - b.from) } }
}

function isBegunHere({ source, from, to }: PlanStep, filter: LogFilter): boolean {
  return to - from < blocksHere[source] && valuesOf(filter) <= valuesHere
}

function valuesOf({ addresses, topics }: LogFilter): number {
  return topics.reduce((sum, group) => sum + group.length, addresses.length)
}
