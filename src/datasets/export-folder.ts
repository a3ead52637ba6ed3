// Checks a folder of exports from its manifests and files: that chunks have no gap, join by parent hashes, are of one chain and
// have one schema, and that files are what their manifests say.
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata } from 'hyparquet'
import { writeOutput } from '../output-file.js'
import { columnSchemas, datasetsOf } from './choose-dataset.js'
import { chunkFileName, manifestPath } from './chunk-plan.js'
import { hasWholeState } from './dataset.js'
import { datasets } from './dataset-table.js'
import { arrowRows } from './formats/arrow-rows.js'
import { type ChunkManifest, readManifest } from './manifest.js'

const indexPath = join('_manifest', 'index.json')
const successPath = '_SUCCESS'
/** Bytes that are hashed at a time. */
const readBytes = 1 << 20
const dayFolder = /^date=[\d-]+$/
const lineEnd = 10
const quote = 34

/** The manifests of one dataset, ascending. */
export interface ExportedDataset {
  readonly dataset: string
  readonly manifests: readonly ChunkManifest[]
}

/**
 * The datasets of a folder that have manifests, by name. Throws TypeError if the folder has no `_manifest`, or a manifest that cannot
 * be read; with `onDamaged` the latter is left out, and `onDamaged` gets a sentence about it.
 */
export function readExports(folder: string, onDamaged?: (problem: string) => void): ExportedDataset[] {
  if (!existsSync(join(folder, '_manifest')))
    throw new TypeError(`${folder}: expected a folder of an export, found no _manifest in it`)
  const read = (path: string): ChunkManifest[] => {
    try {
      return [readManifest(folder, path)!]
    } catch (error) {
      if (!onDamaged || !(error instanceof TypeError)) throw error
      onDamaged(error.message)
      return []
    }
  }
  return manifestFolders(folder)
    .map((dataset) => {
      const manifests = manifestNames(folder, dataset).flatMap((name) => read(`_manifest/${dataset}/${name}`))
      return { dataset, manifests: manifests.sort((a, b) => a.from_block - b.from_block) }
    })
    .filter(({ manifests }) => manifests.length > 0)
}

/** Names of the datasets of which a folder has manifests. */
export function manifestFolders(folder: string): string[] {
  const root = join(folder, '_manifest')
  return existsSync(root) ? foldersIn(root).sort() : []
}

function foldersIn(path: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return entries.map(({ name }) => name)
}

/** Names of the manifests of whole chunks of a dataset, in no order. */
export function manifestNames(folder: string, dataset: string): string[] {
  const path = join(folder, '_manifest', dataset)
  return existsSync(path) ? readdirSync(path).filter((name) => /^\d.*\.json$/.test(name)) : []
}

/** Files of chunks in the folder that no manifest names, which readers of the folder would take for finished ones. */
export function strayFiles(folder: string, exports: readonly ExportedDataset[]): string[] {
  const known = new Set(exports.flatMap(({ manifests }) => manifests.map(({ file }) => file)))
  return chunkFiles(folder)
    .filter((file) => !known.has(file))
    .map((file) => `${file}: no manifest proves it; run the export again, or remove it`)
}

/** Paths in the folder of files that are named as chunks, also in folders of days. Other folders in it are not read. */
function chunkFiles(folder: string): string[] {
  const names = columnSchemas.flatMap((schema) => datasetsOf(schema).map(({ name }) => name))
  const days = foldersIn(folder)
    .filter((name) => names.includes(name))
    .flatMap((name) =>
      foldersIn(join(folder, name))
        .filter((day) => dayFolder.test(day))
        .map((day) => join(name, day)),
    )
  return ['', ...days].flatMap((place) =>
    readdirSync(join(folder, place))
      .filter((name) => chunkFileName.test(name))
      .map((name) => join(place, name)),
  )
}

/** What is wrong with the manifests, a sentence for each; nothing if all is well. */
export function manifestProblems(exports: readonly ExportedDataset[]): string[] {
  const [first] = exports.flatMap(({ manifests }) => manifests)
  if (first === undefined) return ['there are no manifests']
  return exports.flatMap(({ dataset, manifests }) => {
    // Single blocks, of which a folder has any.
    const mayHaveGaps = datasets.some((one) => one.name === dataset && hasWholeState(one))
    return manifests.flatMap((manifest, i) => {
      const problems: string[] = []
      const place = `${dataset} ${manifest.from_block} to ${manifest.to_block}`
      const same = (
        name: 'chain_id' | 'genesis_hash' | 'columns' | 'schema_version' | 'filter' | 'events',
        as: ChunkManifest,
      ) => {
        const [found, expected] = [manifest[name], as[name]].map((value) => JSON.stringify(value))
        if (found !== expected) problems.push(`${place}: ${name} is ${found}, in other chunks ${expected}`)
      }
      same('chain_id', first)
      same('genesis_hash', first)
      same('schema_version', manifests[0]!)
      same('columns', manifests[0]!)
      same('filter', manifests[0]!)
      same('events', manifests[0]!)
      const before = manifests[i - 1]
      if (before && before.to_block + 1 < manifest.from_block && !mayHaveGaps)
        problems.push(`${dataset}: blocks ${before.to_block + 1} to ${manifest.from_block - 1} are missing`)
      if (before && before.to_block >= manifest.from_block)
        problems.push(`${place}: overlaps the chunk ${before.from_block} to ${before.to_block}`)
      if (before && before.to_block + 1 === manifest.from_block && before.last_hash !== manifest.parent_hash)
        problems.push(
          `${place}: its parent is ${manifest.parent_hash}, the chunk before ends with ${before.last_hash}`,
        )
      return problems
    })
  })
}

/** What is wrong with the file of a manifest: its size, hash, or number of rows. */
export function fileProblems(folder: string, manifest: ChunkManifest): string[] {
  const path = join(folder, manifest.file)
  if (!existsSync(path)) return [`${manifest.file}: it is missing`]
  const { size } = statSync(path)
  if (size !== manifest.bytes)
    return [`${manifest.file}: it has ${size} bytes, its manifest says ${manifest.bytes}`]
  const { sha256, lines } = hashFile(path, path.endsWith('.csv'))
  if (sha256 !== manifest.sha256)
    return [`${manifest.file}: its sha256 is ${sha256}, its manifest says ${manifest.sha256}`]
  const rows = rowsOf(path, { size, lines })
  return rows === manifest.rows
    ? []
    : [`${manifest.file}: it has ${rows} rows, its manifest says ${manifest.rows}`]
}

/** Whether the files of all manifests are there with their sizes. */
export function missingFiles(folder: string, exports: readonly ExportedDataset[]): string[] {
  return exports
    .flatMap(({ manifests }) => manifests)
    .filter(({ file, bytes }) => statSync(join(folder, file), { throwIfNoEntry: false })?.size !== bytes)
    .map(({ file }) => `${file}: it is missing, or has another size than its manifest says`)
}

/** Writes `_manifest/index.json`, the list of all files, and `_SUCCESS`. */
export function commitFolder(folder: string, exports: readonly ExportedDataset[]): void {
  const [first] = exports.flatMap(({ manifests }) => manifests)
  const index = {
    chain_id: first!.chain_id,
    genesis_hash: first!.genesis_hash,
    datasets: Object.fromEntries(
      exports.map(({ dataset, manifests }) => [
        dataset,
        {
          schema_version: manifests[0]!.schema_version,
          columns: manifests[0]!.columns,
          from_block: manifests[0]!.from_block,
          to_block: manifests.at(-1)!.to_block,
          last_hash: manifests.at(-1)!.last_hash,
          rows: manifests.reduce((sum, { rows }) => sum + rows, 0),
          files: manifests.map((manifest) => ({
            file: manifest.file,
            manifest: manifestPath(dataset, { from: manifest.from_block, to: manifest.to_block }),
            rows: manifest.rows,
            sha256: manifest.sha256,
          })),
        },
      ]),
    ),
  }
  writeOutput(join(folder, indexPath), `${JSON.stringify(index, undefined, 2)}\n`)
  writeOutput(join(folder, successPath), '')
}

/** Removes what {@link commitFolder} has written, before the files are others. */
export function uncommitFolder(folder: string): void {
  for (const path of [successPath, indexPath]) rmSync(join(folder, path), { force: true })
}

/** Hash of a file, and the number of its lines. `hasQuotes`: line ends between quotes are part of a value, as in CSV. */
function hashFile(path: string, hasQuotes: boolean): { readonly sha256: string; readonly lines: number } {
  const hash = createHash('sha256')
  const buffer = Buffer.alloc(readBytes)
  const descriptor = openSync(path, 'r')
  let lines = 0
  let isQuoted = false
  try {
    for (let length = readSync(descriptor, buffer); length > 0; length = readSync(descriptor, buffer)) {
      const part = buffer.subarray(0, length)
      hash.update(part)
      for (const byte of part) {
        if (byte === quote && hasQuotes) isQuoted = !isQuoted
        else if (byte === lineEnd && !isQuoted) lines++
      }
    }
  } finally {
    closeSync(descriptor)
  }
  return { sha256: hash.digest('hex'), lines }
}

/** Number of rows of a file, by what its extension says that it is. */
function rowsOf(path: string, { size, lines }: { readonly size: number; readonly lines: number }): number {
  if (path.endsWith('.csv')) return lines - 1
  if (path.endsWith('.jsonl')) return lines
  const descriptor = openSync(path, 'r')
  const read = (position: number, length: number) => {
    const bytes = new Uint8Array(length)
    readSync(descriptor, bytes, 0, length, position)
    return new DataView(bytes.buffer)
  }
  try {
    return path.endsWith('.arrow') ? arrowRows(read, size) : parquetRows(read, size)
  } finally {
    closeSync(descriptor)
  }
}

/** Number of rows in the footer of a Parquet file. */
function parquetRows(read: (position: number, length: number) => DataView, size: number): number {
  const length = read(size - 8, 8).getUint32(0, true) + 8
  return Number(parquetMetadata(read(size - length, length).buffer as ArrayBuffer).num_rows)
}
