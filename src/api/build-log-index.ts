// Builds an index of logs outside of the data directory: its segments by workers, a file for each. The format is in
// logs/own-index.
import { existsSync } from 'node:fs'
import { checkMembers, type Members, optionalCallback, optionalSignal } from '../check.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import {
  describeIndex,
  IndexFolder,
  indexFileOf,
  segmentPath,
  segmentStart,
} from '../logs/own-index/index-folder.js'
import { segmentBlocks } from '../logs/own-index/segment-format.js'
import { makeFolder, removeAbandoned, removeUnfinished, writeOutput } from '../output-file.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import { throwIfAborted } from '../stop.js'
import { forEachOnWorkers } from './on-workers.js'
import { outputFolder } from './output-path.js'
import { selectRange } from './select-block.js'
import type { BlockRangeParameters } from './types.js'

/** How far the building of an index is. */
export interface LogIndexProgress {
  /** Blocks of the segments that are there, of those that were asked for. */
  readonly blocksDone: number
  /** Blocks of all segments that were asked for. */
  readonly blocksTotal: number
  /** Bytes of the segments that were written. */
  readonly bytes: number
}

/** Arguments of `buildLogIndex`. */
export interface BuildLogIndexParameters extends BlockRangeParameters {
  /** Folder of the index, which is made if it is missing; outside of the data directory. */
  readonly directory: string
  /** Cancels the building, which throws ABORTED with the signal's reason as cause. Whole segments stay. */
  readonly signal?: AbortSignal
  /** Called at the start and after each segment. */
  readonly onProgress?: (progress: LogIndexProgress) => void
}

const parameterMembers: Members<BuildLogIndexParameters> = {
  directory: true,
  fromBlock: true,
  toBlock: true,
  signal: true,
  onProgress: true,
}

/** Builds the segments that are missing, or of another chain, or shorter than they can be. */
export async function buildLogIndex(
  datadir: Datadir,
  parameters: BuildLogIndexParameters,
): Promise<LogIndexProgress> {
  checkMembers('parameters', parameters, parameterMembers)
  const { directory, onProgress, fromBlock, toBlock } = parameters
  const signal = optionalSignal('signal', parameters.signal)
  const folder = outputFolder('directory', directory, datadir)
  optionalCallback('onProgress', onProgress)
  throwIfAborted(signal)
  const ends = { ...(fromBlock !== undefined && { fromBlock }), ...(toBlock !== undefined && { toBlock }) }
  const { spans, missing } = await datadir.ask(async (view) => {
    const spans = segmentsOf(view, selectRange(view, ends))
    makeFolder(folder)
    removeAbandoned(folder)
    writeDescription(folder, view)
    return { spans, missing: missingSegments(folder, view, spans) }
  })
  const blocksOf = (some: readonly BlockSpan[]) => some.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  const blocksTotal = blocksOf(spans)
  let progress = { blocksDone: blocksTotal - blocksOf(missing), blocksTotal, bytes: 0 }
  onProgress?.(progress)
  const build = async (span: BlockSpan, signal: AbortSignal) => {
    const path = segmentPath(folder, span.from)
    const bytes = await datadir
      .ask((view) => view.run('writeIndexSegment', { ...span, path }, { signal }))
      .catch((error) => {
        // A worker that is stopped, or dies, may not get to it.
        removeUnfinished(path)
        throw error
      })
    progress = {
      ...progress,
      blocksDone: progress.blocksDone + blocksOf([span]),
      bytes: progress.bytes + bytes,
    }
    onProgress?.(progress)
  }
  await forEachOnWorkers(datadir, missing, { signal, work: build })
  return progress
}

/** The segments of a range. A segment begins at a multiple of its size; the first one only if its blocks are not pruned. */
function segmentsOf({ chain }: ChainView, { from, to }: BlockSpan): BlockSpan[] {
  const start = segmentStart(from)
  const spans: BlockSpan[] = []
  for (
    let first = start < chain.historyCutoff ? start + segmentBlocks : start;
    first <= to;
    first += segmentBlocks
  ) {
    spans.push({ from: first, to: Math.min(to, first + segmentBlocks - 1) })
  }
  return spans
}

function writeDescription(folder: string, { chain, snapshot }: ChainView): void {
  const genesis = chain.canonicalHash(0)!
  if (existsSync(indexFileOf(folder))) {
    IndexFolder.open(folder, genesis)[Symbol.dispose]()
    return
  }
  const description = describeIndex(snapshot.chain.config.chainId, genesis)
  writeOutput(indexFileOf(folder), `${JSON.stringify(description)}\n`)
}

function missingSegments(
  folder: string,
  { chain, snapshot }: ChainView,
  spans: readonly BlockSpan[],
): BlockSpan[] {
  const { db } = snapshot
  using index = IndexFolder.open(folder, chain.canonicalHash(0)!)
  return spans.filter(({ from, to }) => {
    const segment = index.canonicalSegment(db, from)
    return segment === undefined || from + segment.header.blocks <= to
  })
}
