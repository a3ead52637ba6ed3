// Log scans of the typed API: arguments, progress, batches. The scanning itself is in logs/ and parallel/.
import type { Datadir } from '../datadir/datadir.js'
import { LogBatch } from './log-batch.js'
import { logFilter } from './parameters.js'
import { selectRange } from './select-block.js'
import type { BlockRangeParameters, LogFilterParameters } from './types.js'

export interface LogRangeParameters extends LogFilterParameters, BlockRangeParameters {}

export interface ScanProgress {
  readonly blocksDone: number
  readonly blocksTotal: number
  /** Logs found so far. */
  readonly logs: number
}

export interface ScanLogsOptions {
  /** Order of blocks, and of the logs in them; default ascending. */
  readonly order?: 'ascending' | 'descending'
  /** Most logs to yield; default no limit. */
  readonly limit?: number
  /** Ends the scan; it throws the signal's reason. */
  readonly signal?: AbortSignal
  /** Called after every batch. */
  readonly onProgress?: (progress: ScanProgress) => void
}

/** Yields batches in order from one view, however long the loop takes. Batches may be empty. */
export async function* scanLogs(
  datadir: Datadir,
  parameters: LogRangeParameters,
  { order = 'ascending', limit = Number.POSITIVE_INFINITY, signal, onProgress }: ScanLogsOptions,
): AsyncGenerator<LogBatch, void, undefined> {
  if (!(limit > 0)) throw new RangeError(`limit: expected a number above 0, got ${limit}`)
  using view = datadir.view()
  const { from, to } = selectRange(view, parameters)
  const scan = { filter: logFilter(parameters), from, to, order, limit, deadline: Number.POSITIVE_INFINITY }
  let blocksDone = 0
  let logs = 0
  for await (const piece of view.scanLogs({ ...scan, ...(signal && { signal }) })) {
    const batch = new LogBatch(piece.columns, BigInt(piece.from), BigInt(piece.to)).take(limit - logs)
    blocksDone += piece.to - piece.from + 1
    logs += batch.length
    onProgress?.({ blocksDone, blocksTotal: to - from + 1, logs })
    yield batch
  }
}
