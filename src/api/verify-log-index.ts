// Compares an index of logs with the chain: the bytes of a segment follow from the chain alone, so each is built again and
// compared. Nothing is written.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { equalBytes } from '../bytes.js'
import { checkMembers, describe, type Members, optionalCallback, optionalSignal } from '../check.js'
import type { Datadir } from '../datadir/datadir.js'
import { GethReaderError } from '../errors.js'
import { fileError } from '../file-error.js'
import { IndexFolder, segmentPath } from '../logs/own-index/index-folder.js'
import { decodeSegmentHeader } from '../logs/own-index/segment-format.js'
import { throwIfAborted } from '../stop.js'
import { forEachOnWorkers } from './on-workers.js'

/** Arguments of `verifyLogIndex`. */
export interface VerifyLogIndexParameters {
  /** Folder of the index. */
  readonly directory: string
  /** Cancels the verification, which throws ABORTED with the signal's reason as cause. */
  readonly signal?: AbortSignal
  /** Called at the start and after each segment. */
  readonly onProgress?: (progress: LogIndexVerifyProgress) => void
}

/** How far the verification of an index is. */
export interface LogIndexVerifyProgress {
  /** Segments compared so far. */
  readonly segmentsDone: number
  /** Segments of the index. */
  readonly segmentsTotal: number
}

/** A segment that is not what the chain says. */
export interface LogIndexFault {
  /** File of the segment. */
  readonly path: string
  /** Number of the first block of the segment, by its name. */
  readonly fromBlock: bigint
  /** What is wrong with it, in words. */
  readonly reason: string
}

/** What a verification has found. */
export interface LogIndexReport {
  /** Segments of the index, right or wrong. */
  readonly segments: number
  /** Blocks of the segments that are right. */
  readonly blocks: number
  /** By block. */
  readonly faults: readonly LogIndexFault[]
}

const parameterMembers: Members<VerifyLogIndexParameters> = {
  directory: true,
  signal: true,
  onProgress: true,
}

/** Builds every segment again and compares it with that in the folder. */
export async function verifyLogIndex(
  datadir: Datadir,
  parameters: VerifyLogIndexParameters,
): Promise<LogIndexReport> {
  checkMembers('parameters', parameters, parameterMembers)
  const { directory, onProgress } = parameters
  const signal = optionalSignal('signal', parameters.signal)
  if (typeof directory !== 'string' || directory === '') {
    throw new TypeError(`directory: expected a folder, got ${describe(directory)}`)
  }
  optionalCallback('onProgress', onProgress)
  throwIfAborted(signal)
  const folder = resolve(directory)
  const starts = await datadir.ask(({ chain }) => {
    using index = IndexFolder.open(folder, chain.canonicalHash(0)!)
    return index.starts()
  })
  const faults: LogIndexFault[] = []
  let [segmentsDone, blocks] = [0, 0]
  const segmentsTotal = starts.length
  onProgress?.({ segmentsDone, segmentsTotal })
  await forEachOnWorkers(datadir, starts, async (first) => {
    throwIfAborted(signal)
    const path = segmentPath(folder, first)
    const checked = await checkSegment(datadir, { path, first, signal })
    if (typeof checked === 'number') blocks += checked
    else faults.push({ path, fromBlock: BigInt(first), reason: checked })
    segmentsDone++
    onProgress?.({ segmentsDone, segmentsTotal })
  })
  faults.sort((a, b) => Number(a.fromBlock - b.fromBlock))
  return { segments: segmentsTotal, blocks, faults }
}

interface SegmentPlace {
  readonly path: string
  readonly first: number
  readonly signal: AbortSignal | undefined
}

/** Number of the segment's blocks if it is right, and else what is wrong. */
async function checkSegment(
  datadir: Datadir,
  { path, first, signal }: SegmentPlace,
): Promise<number | string> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(path)
  } catch (error) {
    const failure = fileError(error, path)
    if (failure instanceof GethReaderError && failure.code === 'DAMAGED') return failure.message
    throw failure
  }
  const header = decodeSegmentHeader(bytes)
  if (header === undefined) return 'it has no header of a segment'
  if (header.first !== first) return `it is the segment of the blocks from ${header.first} on`
  const to = first + header.blocks - 1
  const expected = await datadir.ask((view) => {
    const hash = view.chain.canonicalHash(to)
    if (hash === undefined || !equalBytes(hash, header.lastHash)) return undefined
    return view.run('buildIndexSegment', { from: first, to }, signal ? { signal } : {})
  })
  if (expected === undefined) return `its last block, ${to}, is not in the chain of the directory`
  if (equalBytes(bytes, expected)) return header.blocks
  const at = bytes.findIndex((byte, i) => byte !== expected[i])
  return at < 0
    ? `it ends after ${bytes.length} of ${expected.length} bytes`
    : `byte ${at} is not what its blocks give`
}
