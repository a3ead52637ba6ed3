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
import { Segment, SegmentDamage } from '../logs/own-index/segment.js'
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

/** A segment of blocks whose receipts geth has deleted since; both ends are included. */
export interface PrunedLogIndexSegment {
  /** File of the segment. */
  readonly path: string
  readonly fromBlock: bigint
  readonly toBlock: bigint
}

/** What a verification has found. */
export interface LogIndexReport {
  /** Segments of the index, right or wrong. */
  readonly segments: number
  /** Blocks of the segments that are right. */
  readonly blocks: number
  /** By block. Receipts of these segments are pruned, so only their last block and their checksums were compared. */
  readonly pruned: readonly PrunedLogIndexSegment[]
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
  const pruned: PrunedLogIndexSegment[] = []
  let [segmentsDone, blocks] = [0, 0]
  const segmentsTotal = starts.length
  onProgress?.({ segmentsDone, segmentsTotal })
  const check = async (first: number, signal: AbortSignal) => {
    const path = segmentPath(folder, first)
    const fromBlock = BigInt(first)
    const checked = await checkSegment(datadir, { path, first, signal })
    if (typeof checked === 'string') faults.push({ path, fromBlock, reason: checked })
    else if (checked.isCompared) blocks += checked.blocks
    else pruned.push({ path, fromBlock, toBlock: fromBlock + BigInt(checked.blocks - 1) })
    segmentsDone++
    onProgress?.({ segmentsDone, segmentsTotal })
  }
  await forEachOnWorkers(datadir, starts, { signal, work: check })
  const byBlock = (a: { readonly fromBlock: bigint }, b: { readonly fromBlock: bigint }) =>
    Number(a.fromBlock - b.fromBlock)
  return { segments: segmentsTotal, blocks, pruned: pruned.sort(byBlock), faults: faults.sort(byBlock) }
}

interface SegmentPlace {
  readonly path: string
  readonly first: number
  readonly signal: AbortSignal
}

interface CheckedSegment {
  readonly blocks: number
  /** False if receipts of its blocks are pruned. */
  readonly isCompared: boolean
}

/** What is wrong with a segment, as a sentence; else what was found. */
async function checkSegment(
  datadir: Datadir,
  { path, first, signal }: SegmentPlace,
): Promise<CheckedSegment | string> {
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
  const { blocks } = header
  const to = first + blocks - 1
  let expected: Uint8Array | undefined
  try {
    expected = await datadir.ask((view) => {
      const hash = view.chain.canonicalHash(to)
      if (hash === undefined || !equalBytes(hash, header.lastHash)) return undefined
      return view.run('buildIndexSegment', { from: first, to }, { signal })
    })
  } catch (error) {
    if (!(error instanceof GethReaderError && error.code === 'HISTORY_PRUNED')) throw error
    return damageOf(path) ?? { blocks, isCompared: false }
  }
  if (expected === undefined) return `its last block, ${to}, is not in the chain of the directory`
  if (equalBytes(bytes, expected)) return { blocks, isCompared: true }
  const at = bytes.findIndex((byte, i) => byte !== expected[i])
  return at < 0
    ? `it ends after ${bytes.length} of ${expected.length} bytes`
    : `byte ${at} is not what its blocks give`
}

/** What a segment's checksums show to be wrong. */
function damageOf(path: string): string | undefined {
  try {
    using segment = Segment.open(path, { calls: 0, bytes: 0 })
    segment.checkBuckets()
    return undefined
  } catch (error) {
    if (error instanceof SegmentDamage) return error.message
    throw fileError(error, path)
  }
}
