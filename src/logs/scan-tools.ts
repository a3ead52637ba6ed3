// What the stages of one scan share.
import type { ChainDatabase } from '../rawdb/chain-database.js'
import type { ScanOrder } from '../rawdb/scan.js'
import type { BloomFilter } from './bloom-filter.js'
import type { LogFilter } from './filter.js'
import type { BlockSpan } from './plan.js'
import type { ScanStats } from './scan-stats.js'
import type { ScratchMemory } from './scratch-memory.js'

export interface ScanTools {
  readonly db: ChainDatabase
  readonly memory: ScratchMemory
  readonly filter: LogFilter
  readonly bloom: BloomFilter
  readonly stats: ScanStats
  /** Throws where the scan is to end now; to be called every few milliseconds. */
  readonly checkStop: () => void
}

/** A part of a scan. */
export interface ScanSpan extends BlockSpan {
  readonly order: ScanOrder
}

/** Blocks that were looked at together. */
export interface TestedBlocks extends BlockSpan {
  /** Numbers of those that may hold a matching log, in the order of the scan. */
  readonly passed: readonly number[]
}

/** Adds the time that a step takes to one of the stage times. */
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
