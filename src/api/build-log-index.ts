// Builds an index of logs outside of the data directory: its segments by workers, a file for each. The format is in
// logs/own-index.
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { checkMembers, describe, type Members, optionalCallback, optionalSignal } from '../check.js'
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
import type { BlockSpan } from '../rawdb/block-span.js'
import { throwIfAborted } from '../stop.js'
import { forEachOnWorkers } from './on-workers.js'
import { selectRange } from './select-block.js'
import type { BlockRangeParameters } from './types.js'

/** How far the building of an index is. */
export interface LogIndexProgress {
  /** Blocks of the segments that are there, of those that were asked for. */
  readonly blocksDone: number
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
  if (typeof directory !== 'string' || directory === '') {
    throw new TypeError(`directory: expected a folder, got ${describe(directory)}`)
  }
  optionalCallback('onProgress', onProgress)
  throwIfAborted(signal)
  const folder = resolve(directory)
  checkIsOutside(folder, datadir)
  const ends = { ...(fromBlock !== undefined && { fromBlock }), ...(toBlock !== undefined && { toBlock }) }
  const { spans, missing } = await datadir.ask(async (view) => {
    const spans = segmentsOf(view, selectRange(view, ends))
    mkdirSync(folder, { recursive: true })
    await writeDescription(folder, view)
    return { spans, missing: missingSegments(folder, view, spans) }
  })
  const blocksOf = (some: readonly BlockSpan[]) => some.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  const blocksTotal = blocksOf(spans)
  let progress = { blocksDone: blocksTotal - blocksOf(missing), blocksTotal, bytes: 0 }
  onProgress?.(progress)
  const build = async (span: BlockSpan) => {
    const bytes = await datadir.ask((view) => view.run('buildIndexSegment', span, signal ? { signal } : {}))
    throwIfAborted(signal)
    await writeWhole(segmentPath(folder, span.from), bytes)
    progress = {
      ...progress,
      blocksDone: progress.blocksDone + blocksOf([span]),
      bytes: progress.bytes + bytes.length,
    }
    onProgress?.(progress)
  }
  await forEachOnWorkers(datadir, missing, build)
  return progress
}

/** Throws TypeError for a folder in the directory that is read: nothing is written there. */
function checkIsOutside(folder: string, { paths }: Datadir): void {
  // The part of the path that exists, without links.
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  const real = join(realpathSync(existing), relative(existing, folder))
  for (const path of [paths.instance, paths.chaindata, paths.ancient].filter(existsSync)) {
    const inside = relative(realpathSync(path), real)
    if (!inside.startsWith('..')) {
      throw new TypeError(`directory: expected a folder outside of ${path}, got ${folder}`)
    }
  }
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

async function writeDescription(folder: string, { chain, snapshot }: ChainView): Promise<void> {
  const genesis = chain.canonicalHash(0)!
  if (existsSync(indexFileOf(folder))) {
    IndexFolder.open(folder, genesis)[Symbol.dispose]()
    return
  }
  const description = describeIndex(snapshot.chain.config.chainId, genesis)
  await writeWhole(indexFileOf(folder), new TextEncoder().encode(`${JSON.stringify(description)}\n`))
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

/** Writes a file under a hidden name, and renames it once it is on the disk. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const hidden = join(dirname(path), `.${process.pid}.${relative(dirname(path), path)}`)
  try {
    const file = await open(hidden, 'w')
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(hidden, path)
  } catch (error) {
    await rm(hidden, { force: true })
    throw error
  }
}
