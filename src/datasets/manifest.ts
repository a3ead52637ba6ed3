// The manifest of a file: the proof that a chunk of a dataset is done, and what it is made of. It is written after the file.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import * as v from 'valibot'
import { makeFolder, writeOutputAsync } from '../output-file.js'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** The content of a manifest. */
const manifestSchema = v.object({
  schema_version: count,
  writer: v.string(),
  chain_id: count,
  genesis_hash: v.string(),
  dataset: v.string(),
  from_block: count,
  to_block: count,
  /** Of the first block. */
  parent_hash: v.string(),
  last_hash: v.string(),
  /** Path in the output folder. */
  file: v.pipe(
    v.string(),
    v.check((path) => !isAbsolute(path) && !path.split(/[/\\]/).includes('..')),
  ),
  rows: count,
  bytes: count,
  sha256: v.string(),
  /** Name and type of each column of the file, and how the file is compressed. */
  columns: v.array(v.string()),
  compression: v.string(),
  /** What selects rows, as text; empty for all. */
  filter: v.string(),
  /** Events whose arguments are columns; absent without any. */
  events: v.optional(v.array(v.string())),
  /** Logs that are of none of them. */
  not_decoded: v.optional(count),
  sums: v.object({
    transactions: v.nullish(count),
    logs: v.nullish(count),
    /** Digits from 2^53 on. */
    gas_used: v.union([count, v.string()]),
  }),
  roots_checked: v.array(v.string()),
  source: v.string(),
})
export type ChunkManifest = v.InferOutput<typeof manifestSchema>

/** The manifest at a path in the output folder; undefined if there is none. Throws TypeError if it is not one. */
export function readManifest(folder: string, path: string): ChunkManifest | undefined {
  const absolute = join(folder, path)
  if (!existsSync(absolute)) return undefined
  try {
    return v.parse(manifestSchema, JSON.parse(readFileSync(absolute, 'utf8')))
  } catch (error) {
    throw new TypeError(`${absolute}: expected a manifest of geth-reader; remove it`, {
      cause: error,
    })
  }
}

/** Removes a chunk: first what proves it, then its file. */
export function removeChunk(folder: string, path: string, { file }: Pick<ChunkManifest, 'file'>): void {
  rmSync(join(folder, path), { force: true })
  rmSync(join(folder, file), { force: true })
}

/** Writes a manifest. Throws NO_SPACE and PERMISSION_DENIED. */
export async function writeManifest(folder: string, path: string, manifest: ChunkManifest): Promise<void> {
  const absolute = join(folder, path)
  makeFolder(dirname(absolute))
  await writeOutputAsync(absolute, `${JSON.stringify(manifest, undefined, 2)}\n`)
}
