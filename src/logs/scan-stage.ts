// The first part of a log scan, a stage: it finds the blocks that may match. This file has its interface, and the state that
// all parts of one scan share.

import type { ScratchMemory } from '../kernel/scratch-memory.js'
import type { BlockSpan, ScanOrder } from '../rawdb/block-span.js'
import type { TaskSignal } from '../stop.js'
import type { BloomFilter, LogFilter } from './filter.js'
import type { IndexedDatabase } from './own-index/index-folder.js'
import type { ScanStats } from './scan-stats.js'

export interface ScanContext {
  readonly db: IndexedDatabase
  readonly memory: ScratchMemory
  readonly filter: LogFilter
  readonly bloom: BloomFilter
  readonly stats: ScanStats
  /** To look at every few milliseconds. */
  readonly signal: TaskSignal | undefined
}

/** Finds the blocks of a scan whose receipts are to be read. A scan calls the two methods in turn. */
export interface ScanStage {
  /** The blocks to test next: the first ones, in scan order, of the rest of the range, which is not empty. */
  next(rest: BlockSpan, order: ScanOrder): BlockSpan
  /** Numbers of the blocks in a span that may hold a matching log, ascending, in an array for the caller to change. */
  test(span: BlockSpan): number[]
}

/** Runs a step and adds its time to one of the statistics. */
export function timed<T>(
  stats: ScanStats,
  stage: 'indexMilliseconds' | 'headerMilliseconds' | 'receiptMilliseconds' | 'matchMilliseconds',
  step: () => T,
): T {
  const start = performance.now()
  try {
    return step()
  } finally {
    stats[stage] += performance.now() - start
  }
}
