// A freezer: a directory of tables in which geth stores old blocks or histories, as it was at one moment. Items and files
// are left to freezer-table.ts. Follows geth's core/rawdb/freezer.go.
import { type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { GethReaderError } from '../errors.js'
import { fileError } from '../file-error.js'
import { DataFiles } from './data-files.js'
import { type FreezerFiles, FreezerTable, type TableDescription } from './freezer-table.js'
import type { ReadCounter } from './positional-read.js'
import { chainTables, type TableSpec } from './table-spec.js'

/** Structured-cloneable: another thread opens the same view from it ({@link openFreezerFromDescriptor}). */
export interface FreezerDescriptor {
  readonly directory: string
  readonly tables: readonly (TableSpec & { readonly head: number })[]
}

/**
 * Opens the freezer in `directory`, which may be a symbolic link. Optional tables may be absent. If another one is, and those that
 * are there have no items, the freezer is empty. Nothing is locked or written. A running geth first writes a block here and then deletes
 * its keys, so open the key-value store first. Opening takes about 0.2 ms and caches no index, so a newer view is simply
 * opened again.
 *
 * Throws MISSING_FILE for the directory, or for a table if others have items; DAMAGED for an index shorter than its
 * metadata says; UNSUPPORTED_FORMAT; PERMISSION_DENIED; VIEW_UNSTABLE while a running node rewinds.
 */
export function openFreezer(directory: string, tables: readonly TableSpec[]): Freezer {
  // The names are not listed: on mainnet there are some thousand data files, and to list them took 9 of 12 ms of a refresh (2026-11-22).
  if (!isDirectory(directory)) throw missingDirectory(directory)
  const present = tables.filter((spec) => hasIndex(directory, spec))
  const missing = tables.find((spec) => !spec.optional && !present.includes(spec))
  if (missing === undefined) return openTables(directory, present)
  if (holdsItems(directory, present)) {
    const path = join(directory, indexName(missing))
    throw new GethReaderError('MISSING_FILE', `${path} is missing: table ${missing.name} has no index`, {
      path,
      table: missing.name,
    })
  }
  return openTables(directory, [])
}

/** Whether a required table has items. geth creates the tables one by one; if it is killed meanwhile, those that are there are empty. */
function holdsItems(directory: string, specs: readonly TableSpec[]): boolean {
  using created = openTables(
    directory,
    specs.filter(({ optional }) => !optional),
  )
  return created.describe().some(({ head }) => head > 0)
}

/** Opens the view of a descriptor, with the same heads. Throws what {@link openFreezer} throws. */
export function openFreezerFromDescriptor({ directory, tables }: FreezerDescriptor): Freezer {
  return openTables(directory, tables)
}

function openTables(directory: string, specs: readonly (TableSpec & { readonly head?: number })[]): Freezer {
  const reads: ReadCounter = { calls: 0, bytes: 0 }
  const files = new DataFiles(reads)
  const tables: FreezerTable[] = []
  try {
    for (const { head, ...spec } of specs) {
      tables.push(FreezerTable.open(spec, { directory, files, reads }, head))
    }
    return new Freezer({ directory, files, reads }, tables, commonHead(tables))
  } catch (error) {
    for (const table of tables) table.close()
    files.close()
    throw error
  }
}

/**
 * Opens the chain freezer of geth's ancient directory: `chain` in it, or the directory itself, as geth up to 1.10.21 has it;
 * undefined if there is neither. Throws what {@link openFreezer} throws.
 */
export function openChainFreezer(ancientDirectory: string): Freezer | undefined {
  if (!isDirectory(ancientDirectory)) return undefined
  const chain = join(ancientDirectory, 'chain')
  if (isDirectory(chain)) return openFreezer(chain, chainTables)
  const isFlat = chainTables.some((spec) => hasIndex(ancientDirectory, spec))
  return isFlat ? openFreezer(ancientDirectory, chainTables) : undefined
}

/** An immutable view of a freezer. Owns every file descriptor that its tables use. All reads are synchronous. */
export class Freezer implements Disposable {
  readonly directory: string
  /** One more than the highest item that all required tables have; 0 for an empty freezer. */
  readonly head: number
  /** What all tables have read so far. */
  readonly reads: Readonly<ReadCounter>
  readonly #files: DataFiles
  readonly #tables: ReadonlyMap<string, FreezerTable>

  /** Takes over open files and tables; {@link openFreezer} opens them. */
  constructor({ directory, files, reads }: FreezerFiles, tables: readonly FreezerTable[], head: number) {
    this.directory = directory
    this.head = head
    this.reads = reads
    this.#files = files
    this.#tables = new Map(tables.map((table) => [table.name, table]))
  }

  /** The table, or undefined if the directory does not have it. */
  table(name: string): FreezerTable | undefined {
    return this.#tables.get(name)
  }

  get descriptor(): FreezerDescriptor {
    const tables = Array.from(this.#tables.values(), ({ spec, head }) => ({ ...spec, head }))
    return { directory: this.directory, tables }
  }

  /** Every table with its bounds and sizes. */
  describe(): TableDescription[] {
    return Array.from(this.#tables.values(), (table) => table.describe())
  }

  /** Closes every file. May be called twice. Later reads throw CLOSED. */
  close(): void {
    for (const table of this.#tables.values()) table.close()
    this.#files.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

function commonHead(all: readonly FreezerTable[]): number {
  const tables = all.filter(({ spec }) => !spec.optional)
  const heads = tables.map((table) => table.head)
  const highest = Math.max(0, ...heads)
  const empty = tables.find((table) => table.hasEmptyIndex)
  if (empty && highest > 0) {
    // geth writes the first entry when it creates a table, and items only after that.
    throw new GethReaderError(
      'DAMAGED',
      `${empty.indexPath} is empty, but other tables have ${highest} items; restore the file`,
      {
        path: empty.indexPath,
        table: empty.name,
        offset: 0,
        expected: `${highest} items`,
        found: 'no items',
      },
    )
  }
  return tables.length > 0 ? Math.min(...heads) : 0
}

function indexName(spec: TableSpec): string {
  return `${spec.name}.${spec.compressed ? 'cidx' : 'ridx'}`
}

function hasIndex(directory: string, spec: TableSpec): boolean {
  return statOf(join(directory, indexName(spec))) !== undefined
}

function isDirectory(path: string): boolean {
  return statOf(path)?.isDirectory() ?? false
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw fileError(error, path)
  }
}

function missingDirectory(path: string): GethReaderError {
  return new GethReaderError('MISSING_FILE', `${path} is missing`, { path })
}
