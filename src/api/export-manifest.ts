// Manifests of exported files: what is written about a chunk, and whether one says that the chunk is done.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describeEvent } from '../abi/event-shape.js'
import { bytesToHex } from '../bytes.js'
import { describe } from '../check.js'
import { accountsFor } from '../datasets/account-filter.js'
import { type Chunk, chunkPath, manifestPath } from '../datasets/chunk-plan.js'
import { type Dataset, hasWholeState, isMadeOfLogs } from '../datasets/dataset.js'
import { type ExportedChunk, type ExportFormat, schemaVersion } from '../datasets/export-chunk.js'
import { manifestFolders, manifestNames } from '../datasets/export-folder.js'
import { type ChunkManifest, readManifest } from '../datasets/manifest.js'
import { outputColumns, selectColumns } from '../datasets/output-column.js'
import { describeSelection } from '../datasets/state-selection.js'
import { firstNotBelow } from '../first-not-below.js'
import type { ExportJob } from './export-work.js'

/** Whether the file of a chunk is there with its manifest. Throws TypeError if it is of another chain or has other columns. */
export function isDone(job: ExportJob, dataset: Dataset, chunk: Chunk, lastHash: string): boolean {
  const path = manifestPath(dataset.name, chunk)
  const manifest = readManifest(job.folder, path)
  if (manifest === undefined || !existsSync(join(job.folder, manifest.file))) return false
  const file = chunkPath(job.chainId, dataset.name, chunk, job.format.format)
  if (dirname(manifest.file) !== dirname(file))
    throw new TypeError(
      `${join(job.folder, path)}: expected the file ${file}, found ${manifest.file}; use the same partitions, or another folder`,
    )
  checkIdentity(job, dataset, { path, manifest })
  // The block may have been replaced since, if it was not finalized.
  return manifest.last_hash === lastHash && manifest.file === file
}

/** A manifest with its path. */
export interface FoundManifest {
  /** Relative to the folder. */
  readonly path: string
  readonly manifest: ChunkManifest
}

/** Throws TypeError if a file is of another chain, or has other columns or rows. */
export function checkIdentity(job: ExportJob, dataset: Dataset, { path, manifest }: FoundManifest): void {
  const expected = identityOf(job, dataset)
  for (const [name, value] of Object.entries(expected)) {
    const found = manifest[name as keyof typeof expected]
    if (JSON.stringify(found) === JSON.stringify(value)) continue
    throw new TypeError(
      `${join(job.folder, path)}: expected ${name} ${describe(value)}, found ${describe(found)}; use --overwrite, or another folder`,
    )
  }
}

/** Throws TypeError if the folder has files of another chain. Reads one manifest of each dataset. */
export function checkChain({ folder, chainId, genesisHash }: ExportJob): void {
  for (const dataset of manifestFolders(folder)) {
    const [name = 'tip.json'] = manifestNames(folder, dataset)
    const path = `_manifest/${dataset}/${name}`
    const found = readManifest(folder, path)
    if (!found || (found.chain_id === Number(chainId) && found.genesis_hash === genesisHash)) continue
    throw new TypeError(
      `folder: expected files of chain ${chainId} with genesis ${genesisHash}; ${join(folder, path)} is of chain ${found.chain_id} with genesis ${found.genesis_hash}; use another folder`,
    )
  }
}

/**
 * Chunks in the folder that are within a chunk of the job, by the first block of that one: the chain ended there when they were
 * written, or chunks were smaller. Throws TypeError if they have other columns or rows, and for a chunk of which a part would be
 * written again: its rows would be there twice.
 */
export function replacedChunks(
  job: ExportJob,
  { overwrite }: { readonly overwrite: boolean },
): ReadonlyMap<number, readonly FoundManifest[]> {
  const replaced = new Map<number, readonly FoundManifest[]>()
  const chunks = job.chunks.toSorted((a, b) => a.from - b.from)
  const ends = chunks.map(({ to }) => to)
  for (const dataset of job.datasets) {
    // Single blocks, each with the whole state.
    if (hasWholeState(dataset)) continue
    for (const name of manifestNames(job.folder, dataset.name)) {
      const [from = 0, to = 0] = name.split('_to_').map((text) => Number.parseInt(text, 10))
      const chunk = chunks[firstNotBelow(ends, from)]
      if (chunk === undefined || to < chunk.from || (chunk.from === from && chunk.to === to)) continue
      const path = `_manifest/${dataset.name}/${name}`
      const found = { path, manifest: readManifest(job.folder, path)! }
      if (!found.manifest.file.endsWith(`.${job.format.format}`)) continue
      if (from < chunk.from || to > chunk.to)
        throw new TypeError(
          `${join(job.folder, path)}: expected no chunk with a part of blocks ${chunk.from} to ${chunk.to}, whose rows would be there twice; use the same range, chunk size and partitions, or another folder`,
        )
      if (!overwrite) checkIdentity(job, dataset, found)
      replaced.set(chunk.from, [...(replaced.get(chunk.from) ?? []), found])
    }
  }
  return replaced
}

/** What the files of one dataset in a folder have in common. */
function identityOf({ chainId, genesisHash, selection, format, states }: ExportJob, dataset: Dataset) {
  const state = states.get(dataset.name)
  const events = dataset.name === 'logs' ? format.events : []
  return {
    schema_version: schemaVersion,
    chain_id: Number(chainId),
    genesis_hash: genesisHash,
    columns: outputColumns(selectColumns(dataset, selection), format).map(
      ({ name, type }) => `${name} ${type}`,
    ),
    filter: state ? describeSelection(state) : filterText(dataset, format),
    events: events.length > 0 ? events.map(describeEvent) : undefined,
  }
}

export function manifestOf(
  job: ExportJob,
  dataset: Dataset,
  { chunk, exported }: { readonly chunk: Chunk; readonly exported: ExportedChunk },
): ChunkManifest {
  const { rows, bytes, sha256 } = exported.tables.find((table) => table.dataset === dataset.name)!
  const { columns, filter, events, ...identity } = identityOf(job, dataset)
  const { format } = job
  const notDecoded = exported.notDecoded.get(dataset.name)
  return {
    ...identity,
    writer: format.writer,
    dataset: dataset.name,
    from_block: chunk.from,
    to_block: chunk.to,
    parent_hash: exported.parentHash,
    last_hash: exported.lastHash,
    file: chunkPath(job.chainId, dataset.name, chunk, format.format),
    rows,
    bytes,
    sha256,
    columns,
    compression: format.format === 'parquet' ? format.compression : 'none',
    filter,
    ...(events && { events }),
    ...(notDecoded !== undefined && { not_decoded: notDecoded }),
    sums: exported.sums,
    roots_checked: [...exported.rootsChecked],
    source: 'files of geth',
  }
}

/** What selects the rows of a dataset, as text; empty for all of them. */
function filterText(dataset: Dataset, { filter, accounts }: ExportFormat): string {
  const own = accountsFor(dataset, accounts)
  const lists = {
    addresses: isMadeOfLogs(dataset) ? filter.addresses : own.addresses,
    topics: isMadeOfLogs(dataset) ? filter.topics : [],
    from: own.from,
    to: own.to,
  }
  // A log has at least as many topics as the filter, even if any will do.
  if (Object.values(lists).every((values) => values.length === 0)) return ''
  const hex = (values: readonly Uint8Array[]) => [...new Set(values.map(bytesToHex))].sort()
  return JSON.stringify({
    addresses: hex(lists.addresses),
    topics: lists.topics.map(hex),
    ...(lists.from.length > 0 && { from: hex(lists.from) }),
    ...(lists.to.length > 0 && { to: hex(lists.to) }),
  })
}
