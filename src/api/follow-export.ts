// Exports beside a running node: whole chunks of final blocks as files that stay, and the blocks after them as one file of each
// dataset, the tip, that is replaced. At every moment the files of a dataset have each block at most once, and none is missing
// between them.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { bytesToHex } from '../bytes.js'
import { integer, positive } from '../check.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import { chunkPath, manifestPath } from '../datasets/chunk-plan.js'
import { readExports } from '../datasets/export-folder.js'
import { fileFormats } from '../datasets/formats/open-writer.js'
import { removeChunk } from '../datasets/manifest.js'
import { throwIfAborted } from '../stop.js'
import { exportDatasets, openFolder, runChunk } from './export.js'
import { checkChain, checkIdentity, type FoundManifest } from './export-manifest.js'
import type { ExportOptions, ExportParameters } from './export-options.js'
import { checkJob, type ExportJob, readEvents } from './export-work.js'
import { rangeEnd } from './select-block.js'

/** What `followExport` writes, and where. */
export interface FollowExportParameters extends Omit<ExportParameters, 'toBlock'> {}

/** Options of `followExport`. */
export interface FollowExportOptions
  extends Omit<ExportOptions, 'overwrite' | 'shard' | 'chunks' | 'partitionBy'> {}

/** How far the files of `followExport` go. Both ends of ranges are included. */
export interface FollowedExport {
  /** Last block of the whole chunks; undefined if there is none yet. */
  readonly finishedBlock: bigint | undefined
  /** Blocks and rows of the tip; undefined without blocks after the last whole chunk. */
  readonly tip: { readonly fromBlock: bigint; readonly toBlock: bigint; readonly rows: number } | undefined
}

/** The tip is written again after at least so many times the time that it took, so that a node has the processor to itself. */
const pauseFactor = 4

/** The tip in names of files: its blocks are not in them. */
const tipChunk = { from: 0, to: 0, isTip: true } as const

/** Yields after each time that files were written. */
export function followExport(
  datadir: Datadir,
  parameters: FollowExportParameters,
  options: FollowExportOptions,
): AsyncGenerator<FollowedExport, void, undefined> {
  let place: FollowPlace | undefined
  return datadir.follow<FollowedExport>(async function* (view, signal) {
    const started = performance.now()
    place ??= await openPlace(datadir, view, { parameters, options })
    yield await place.advance(view, signal)
    await delay(pauseFactor * (performance.now() - started), undefined, { signal }).catch(() => {})
    throwIfAborted(signal)
  }, options.signal)
}

interface FollowRequest {
  readonly parameters: FollowExportParameters
  readonly options: FollowExportOptions
}

async function openPlace(
  datadir: Datadir,
  view: ChainView,
  { parameters, options }: FollowRequest,
): Promise<FollowPlace> {
  for (const name of ['overwrite', 'shard', 'chunks', 'partitionBy'] as const) {
    if ((options as ExportOptions)[name] !== undefined)
      throw new TypeError(`${name}: expected none in an export that follows the chain`)
  }
  const events = await readEvents(options)
  const from = rangeEnd(view, 'fromBlock', parameters.fromBlock ?? 'earliest')
  const head = view.chain.head().header.number
  if (from > head) throw new RangeError(`fromBlock: expected at most the head, ${head}, got ${from}`)
  const first = { ...parameters, fromBlock: BigInt(from), toBlock: BigInt(from) }
  const job = checkJob(datadir, view, {
    parameters: first,
    options: { ...options, reorgBuffer: 0 },
    events,
  })
  const ofState = job.datasets.find(({ origin }) => origin === 'state')
  if (ofState) throw new TypeError(`datasets: ${ofState.name} is made of states, which no export follows`)
  const chunkSize = positive('chunkSize', options.chunkSize ?? 1000)
  checkChain(job)
  openFolder(job)
  return new FollowPlace(datadir, { parameters, options }, { job, from, chunkSize })
}

interface FollowedFolder {
  /** The export of the first block: all of them have its folder, datasets, columns and rows. */
  readonly job: ExportJob
  /** The first block. */
  readonly from: number
  readonly chunkSize: number
}

/** The files of a folder, and how far their whole chunks go. */
class FollowPlace {
  readonly #datadir: Datadir
  readonly #request: FollowRequest
  readonly #folder: FollowedFolder
  /** The last block of the whole chunks, and its hash. */
  #finished: number
  #hash: string | undefined
  #isLooked = false

  constructor(datadir: Datadir, request: FollowRequest, folder: FollowedFolder) {
    this.#datadir = datadir
    this.#request = request
    this.#folder = folder
    this.#finished = folder.from - 1
  }

  /** Writes what a view has more, or instead. */
  async advance(view: ChainView, signal: AbortSignal): Promise<FollowedExport> {
    const { chunkSize, from } = this.#folder
    const end =
      Math.floor((finalBlock(view, this.#request.options.reorgBuffer) + 1) / chunkSize) * chunkSize - 1
    if (!this.#isLooked || (this.#hash !== undefined && hashOf(view, this.#finished) !== this.#hash)) {
      this.#removeReplaced(view)
      this.#removeOtherTips()
    }
    if (end > this.#finished) {
      // The rows of the tip are in the next chunk: without a tip there is never a row twice.
      this.#removeTip()
      await this.#export(BigInt(this.#finished + 1), BigInt(end), signal)
      this.#finished = end
      this.#hash = hashOf(view, end)
    }
    const head = headOf(view)
    const tip = head > this.#finished ? await this.#writeTip(view, head, signal) : this.#removeTip()
    return { finishedBlock: this.#finished < from ? undefined : BigInt(this.#finished), tip }
  }

  async #export(fromBlock: bigint, toBlock: bigint, signal: AbortSignal): Promise<void> {
    const { parameters, options } = this.#request
    await exportDatasets(
      this.#datadir,
      { ...parameters, fromBlock, toBlock },
      { ...options, reorgBuffer: 0, signal },
    )
  }

  async #writeTip(view: ChainView, head: number, signal: AbortSignal): Promise<FollowedExport['tip']> {
    const { parameters, options } = this.#request
    const from = this.#finished + 1
    const range = { fromBlock: BigInt(from), toBlock: BigInt(head) }
    const events = await readEvents(options)
    const job = checkJob(this.#datadir, view, {
      parameters: { ...parameters, ...range },
      options: { ...options, reorgBuffer: 0 },
      events,
    })
    const source = { ask: async <T>(work: (view: ChainView) => T | Promise<T>) => work(view) }
    const exported = await runChunk(source as Pick<Datadir, 'ask'>, job, {
      chunk: { from, to: head, isTip: true },
      overwrite: true,
      signal,
    })
    const rows = exported!.tables.reduce((sum, table) => sum + table.rows, 0)
    return { ...range, rows }
  }

  /** Removes the tips, also one that was written before a kill and that nothing proves. */
  #removeTip(): undefined {
    const { folder, chainId, datasets, format } = this.#folder.job
    for (const { name } of datasets)
      removeChunk(folder, manifestPath(name, tipChunk), {
        file: chunkPath(chainId, name, tipChunk, format.format),
      })
  }

  /** Removes tips that an export in another format has left: their rows would be there twice. */
  #removeOtherTips(): void {
    const { folder, chainId, datasets, format } = this.#folder.job
    for (const { name } of datasets) {
      for (const other of fileFormats.filter((other) => other !== format.format))
        rmSync(join(folder, chunkPath(chainId, name, tipChunk, other)), { force: true })
    }
  }

  /**
   * Removes chunks whose last block is canonical no longer, and the unfinished end that an export without following has left.
   * Throws TypeError for chunks of another size, and for those with other columns or rows.
   */
  #removeReplaced(view: ChainView): void {
    const { job, from, chunkSize } = this.#folder
    const { folder } = job
    this.#isLooked = true
    this.#hash = undefined
    if (!existsSync(join(folder, '_manifest'))) return
    // All chunks are checked before the first is removed.
    const replaced: FoundManifest[] = []
    let finished = this.#finished
    for (const { dataset: name, manifests } of readExports(folder)) {
      const dataset = job.datasets.find((dataset) => dataset.name === name)
      if (dataset === undefined) continue
      for (const manifest of manifests.filter(({ to_block }) => to_block >= from)) {
        const { from_block, to_block, last_hash } = manifest
        const found = { path: manifestPath(name, { from: from_block, to: to_block }), manifest }
        checkIdentity(job, dataset, found)
        const start = from_block - (from_block % chunkSize)
        const end = start + chunkSize - 1
        const isBegin = from_block === Math.max(from, start)
        const isWhole = isBegin && to_block === end
        const isCanonical = hashOf(view, to_block) === last_hash
        if (isWhole && isCanonical) continue
        const isUnfinished = isBegin && to_block < end && manifest === manifests.at(-1)
        if (isCanonical && !isUnfinished)
          throw new TypeError(
            `${join(folder, manifest.file)}: expected chunks of ${chunkSize} blocks from ${from} on; use the same chunk size and first block, or another folder`,
          )
        replaced.push(found)
        if (isWhole) finished = Math.min(finished, from_block - 1)
      }
    }
    for (const { path, manifest } of replaced) removeChunk(folder, path, manifest)
    this.#finished = finished
    if (this.#finished >= from) this.#hash = hashOf(view, this.#finished)
  }
}

function headOf(view: ChainView): number {
  return view.chain.head().header.number
}

/** Undefined for a block above the head. */
function hashOf(view: ChainView, number: number): string | undefined {
  const found = view.chain.header({ number })
  return found && bytesToHex(found.hash)
}

/** The newest block that becomes part of a chunk; -1 if there is none. */
function finalBlock(view: ChainView, reorgBuffer: number | undefined): number {
  const head = headOf(view)
  if (reorgBuffer === undefined) return Math.min(head, view.chain.tagNumber('finalized') ?? head)
  return head - integer('reorgBuffer', reorgBuffer, { from: 0 })
}
