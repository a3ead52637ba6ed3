// Exports datasets as files: the chunks that are still to be done, on all workers, and their manifests. The rows and files of a
// chunk are made by a worker (datasets/export-chunk.ts).
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToHex } from '../bytes.js'
import { optionalCallback, optionalSignal } from '../check.js'
import type { Datadir } from '../datadir/datadir.js'
import { type Chunk, chunkFolder, chunkId, chunkPath, manifestPath } from '../datasets/chunk-plan.js'
import type { Dataset } from '../datasets/dataset.js'
import type { ExportedChunk } from '../datasets/export-chunk.js'
import { uncommitFolder } from '../datasets/export-folder.js'
import { removeChunk, writeManifest } from '../datasets/manifest.js'
import { selectColumns } from '../datasets/output-column.js'
import { makeFolder, nameFile, removeAbandoned, removeUnfinished } from '../output-file.js'
import { checkStateBefore, chunkExecution } from './export-execution.js'
import { checkChain, isDone, manifestOf, replacedChunks } from './export-manifest.js'
import type { ExportOptions, ExportParameters, ExportProgress } from './export-options.js'
import { withHolders } from './export-state.js'
import { checkJob, type ExportJob, readEvents } from './export-work.js'
import { forEachOnWorkers } from './on-workers.js'
import { scanRate } from './scan-rate.js'

/** Chunks whose files and manifests may be on their way to the disk while workers make others. */
const syncedChunks = 4

/** What an export has written: blocks `fromBlock` to `toBlock`, both included. */
export interface ExportResult {
  readonly fromBlock: bigint
  readonly toBlock: bigint
  /** Chunks of the export, skipped ones included. */
  readonly chunks: number
  /** Chunks that were done before. */
  readonly skipped: number
  /** Rows written by this run. */
  readonly rows: number
  /** Bytes of the files that this run wrote. */
  readonly bytes: number
}

/** A chunk of a plan: blocks `fromBlock` to `toBlock`, both included. */
export interface PlannedChunk {
  /** Name of the chunk in the names of its files. */
  readonly id: string
  readonly fromBlock: bigint
  readonly toBlock: bigint
  /** Datasets of which the chunk has a file each. */
  readonly datasets: readonly string[]
  /** Day of the blocks, YYYY-MM-DD in UTC, if files are in folders of days. */
  readonly date?: string
  /** Hash of the last block. */
  readonly hash: string
  /** Gas of the last block times the number of blocks: an estimate of the work. */
  readonly weight: bigint
}

/** The chunks that {@link exportDatasets} would write. */
export async function planExport(
  datadir: Datadir,
  parameters: ExportParameters,
  options: ExportOptions,
): Promise<PlannedChunk[]> {
  const events = await readEvents(options)
  return datadir.ask(async (view) => {
    const { chunks, datasets } = checkJob(datadir, view, { parameters, options, events })
    return chunks.map((chunk) => {
      const { header, hash } = view.chain.header({ number: chunk.to })!
      return {
        id: chunkId(chunk),
        fromBlock: BigInt(chunk.from),
        toBlock: BigInt(chunk.to),
        ...(chunk.date !== undefined && { date: chunk.date }),
        datasets: datasets.map(({ name }) => name),
        hash: bytesToHex(hash),
        weight: header.gasUsed * BigInt(chunk.to - chunk.from + 1),
      }
    })
  })
}

/** Writes the chunks that are not done yet. */
export async function exportDatasets(
  datadir: Datadir,
  parameters: ExportParameters,
  options: ExportOptions,
): Promise<ExportResult> {
  const events = await readEvents(options)
  const checked = await datadir.ask(async (view) => checkJob(datadir, view, { parameters, options, events }))
  const signal = optionalSignal('signal', options.signal)
  optionalCallback('onProgress', options.onProgress)
  const { overwrite = false } = options
  checkChain(checked)
  await checkStates(datadir, checked, { overwrite, signal })
  const toBlock = checked.chunks.at(-1)?.to ?? 0
  const job = { ...checked, states: await withHolders(datadir, checked.states, { toBlock, signal }) }
  openFolder(job)
  const replaced = replacedChunks(job, { overwrite })
  const progress = new Progress(job, options.onProgress)
  await forEachOnWorkers(datadir, job.chunks, {
    signal,
    ahead: syncedChunks,
    work: async (chunk, signal) => {
      const exported = await runChunk(datadir, job, { chunk, overwrite, signal })
      for (const { path, manifest } of replaced.get(chunk.from) ?? []) removeChunk(job.folder, path, manifest)
      progress.add(chunk, exported)
    },
  })
  return progress.result()
}

/** Throws STATE_UNAVAILABLE for a chunk that is to be written if a state that it needs is missing. */
async function checkStates(
  datadir: Datadir,
  job: ExportJob,
  { overwrite, signal }: { readonly overwrite: boolean; readonly signal: AbortSignal | undefined },
): Promise<void> {
  if (job.datasets.every(({ origin }) => origin === 'records')) return
  for (const chunk of job.chunks) {
    const missing = await missingDatasets(datadir, job, { chunk, overwrite })
    const datasets = missing.map(({ name }) => name).filter((name) => job.states.has(name))
    if (datasets.length > 0)
      await datadir.ask(async (view) => view.run('checkStates', { ...chunk, datasets }, { signal }))
    await datadir.ask(async (view) => {
      const execution = chunkExecution(view, job, missing)
      if (execution) checkStateBefore(view, chunk, execution)
    })
  }
}

interface ChunkRun {
  readonly chunk: Chunk
  readonly overwrite: boolean
  readonly signal: AbortSignal
}

/** The datasets of a chunk that are not done. */
async function missingDatasets(
  datadir: Pick<Datadir, 'ask'>,
  job: ExportJob,
  { chunk, overwrite }: Omit<ChunkRun, 'signal'>,
): Promise<readonly Dataset[]> {
  if (overwrite) return job.datasets
  const lastHash = await datadir.ask(async (view) =>
    bytesToHex(view.chain.header({ number: chunk.to })!.hash),
  )
  return job.datasets.filter((dataset) => !isDone(job, dataset, chunk, lastHash))
}

/** Writes the files of a chunk that are not done, and their manifests; undefined if all were done. */
export async function runChunk(
  datadir: Pick<Datadir, 'ask'>,
  job: ExportJob,
  { chunk, overwrite, signal }: ChunkRun,
): Promise<ExportedChunk | undefined> {
  const { folder, format, chainId } = job
  const missing = await missingDatasets(datadir, job, { chunk, overwrite })
  if (missing.length === 0) return undefined
  const tables = missing.map((dataset) => ({
    dataset: dataset.name,
    columns: selectColumns(dataset, job.selection).map(({ name }) => name),
    selection: job.states.get(dataset.name),
    path: join(folder, chunkPath(chainId, dataset.name, chunk, format.format)),
  }))
  if (!chunk.isTip) uncommitFolder(folder)
  try {
    const exported = await datadir.ask(async (view) => {
      const execution = chunkExecution(view, job, missing)
      return view.run('exportChunk', { ...chunk, tables, format, execution }, { signal })
    })
    for (const file of exported.tables) await nameFile(file)
    for (const dataset of missing) {
      const manifest = manifestOf(job, dataset, { chunk, exported })
      await writeManifest(folder, manifestPath(dataset.name, chunk), manifest)
    }
    return exported
  } catch (error) {
    // A worker that is stopped, or dies, may not get to it.
    for (const { path } of tables) removeUnfinished(path)
    throw error
  }
}

/** Makes the folder, and removes what processes that were killed have left in the folders of this job's files. */
export function openFolder({ folder, datasets, chunks }: ExportJob): void {
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new TypeError(`folder: expected a folder, ${folder} is a file`)
  makeFolder(folder)
  const dates = [...new Set(chunks.map(({ date }) => date))]
  const places = datasets.flatMap(({ name }) => [
    join('_manifest', name),
    ...dates.map((date) => chunkFolder(name, date)),
  ])
  const folders = new Set(['', ...places].map((place) => join(folder, place)))
  for (const path of [...folders].filter(existsSync)) removeAbandoned(path)
}

/** Counts chunks. */
class Progress {
  readonly #job: ExportJob
  readonly #onProgress: ((progress: ExportProgress) => void) | undefined
  readonly #start = performance.now()
  readonly #blocksTotal: number
  #chunksDone = 0
  #blocksDone = 0
  #blocksWritten = 0
  #skipped = 0
  #rows = 0
  #bytes = 0

  constructor(job: ExportJob, onProgress: ((progress: ExportProgress) => void) | undefined) {
    this.#job = job
    this.#onProgress = onProgress
    this.#blocksTotal = job.chunks.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  }

  add({ from, to }: Chunk, exported: ExportedChunk | undefined): void {
    const blocks = to - from + 1
    this.#chunksDone++
    this.#blocksDone += blocks
    if (exported === undefined) this.#skipped++
    else this.#blocksWritten += blocks
    for (const { rows, bytes } of exported?.tables ?? []) {
      this.#rows += rows
      this.#bytes += bytes
    }
    this.#onProgress?.({
      chunksDone: this.#chunksDone,
      chunksTotal: this.#job.chunks.length,
      blocksDone: this.#blocksDone,
      blocksTotal: this.#blocksTotal,
      rows: this.#rows,
      bytes: this.#bytes,
      ...scanRate(this.#start, this.#blocksWritten, this.#blocksTotal - this.#blocksDone),
    })
  }

  result(): ExportResult {
    const { range } = this.#job
    return {
      fromBlock: BigInt(range.from),
      toBlock: BigInt(range.to),
      chunks: this.#chunksDone,
      skipped: this.#skipped,
      rows: this.#rows,
      bytes: this.#bytes,
    }
  }
}
