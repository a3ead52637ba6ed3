// A freezer: the directory of tables in which geth keeps old blocks or histories, seen as it was at one moment.
// Follows core/rawdb/freezer.go.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { GethReaderError } from '../errors.js'
import { fileError } from '../file-error.js'
import { DataFiles } from './data-files.js'
import { FreezerTable, type TableDescription } from './freezer-table.js'
import type { ReadCounter } from './positional-read.js'
import { chainTables, type TableSpec } from './table-spec.js'

/** Structured-cloneable; another thread opens the same view from it with {@link openFreezerFromDescriptor}. */
export interface FreezerDescriptor {
  readonly directory: string
  readonly tables: readonly (TableSpec & { readonly head: number })[]
}

/**
 * Opens the freezer in `directory` (a symbolic link is followed). Optional tables may be absent; a directory without
 * any of the others is an empty freezer. Nothing is locked or written. A running geth moves a block by writing it here
 * first and deleting its keys after that, so open the key-value store first. Opening takes about 0.2 ms and holds nothing
 * of an index in memory: a newer view is opened anew, and a chain that was rewound leaves nothing stale.
 *
 * Throws MISSING_FILE for the directory or one of several tables, DAMAGED for an index shorter than its metadata says,
 * UNSUPPORTED_FORMAT, PERMISSION_DENIED, or VIEW_UNSTABLE beside a node that is just rewinding.
 */
export function openFreezer(directory: string, tables: readonly TableSpec[]): Freezer {
  const names = readNames(directory)
  const present = tables.filter((spec) => names.has(indexName(spec)))
  const required = tables.filter((spec) => !spec.optional)
  const missing = required.find((spec) => !present.includes(spec))
  if (missing && required.some((spec) => present.includes(spec))) {
    const path = join(directory, indexName(missing))
    throw new GethReaderError('MISSING_FILE', `${path} is missing: table ${missing.name} has no index`, {
      path,
      table: missing.name,
    })
  }
  return new Freezer(directory, tables, missing ? [] : present)
}

/** Opens the view that a freezer's descriptor describes, with the same heads. Throws as {@link openFreezer} does. */
export function openFreezerFromDescriptor({ directory, tables }: FreezerDescriptor): Freezer {
  return new Freezer(directory, tables, tables)
}

/**
 * Opens the chain freezer inside geth's ancient directory: `chain` in it, or the directory itself as geth up to 1.10.21
 * has it; undefined where there is neither. Throws as {@link openFreezer} does.
 */
export function openChainFreezer(ancientDirectory: string): Freezer | undefined {
  if (!isDirectory(ancientDirectory)) return undefined
  const chain = join(ancientDirectory, 'chain')
  if (isDirectory(chain)) return openFreezer(chain, chainTables)
  const names = readNames(ancientDirectory)
  const isFlat = chainTables.some((spec) => names.has(indexName(spec)))
  return isFlat ? openFreezer(ancientDirectory, chainTables) : undefined
}

/** An immutable view of a freezer; owns every descriptor that its tables use. All reads are synchronous. */
export class Freezer implements Disposable {
  readonly directory: string
  /** Past the highest item that every table has, optional ones aside; 0 for an empty freezer. */
  readonly head: number
  /** What was read so far, by all tables. */
  readonly reads: Readonly<ReadCounter>
  readonly #specs: readonly TableSpec[]
  readonly #files: DataFiles
  readonly #tables = new Map<string, FreezerTable>()

  /** For {@link openFreezer} and {@link openFreezerFromDescriptor}. */
  constructor(
    directory: string,
    specs: readonly TableSpec[],
    present: readonly (TableSpec & { readonly head?: number })[],
  ) {
    this.directory = directory
    this.#specs = specs
    const counter: ReadCounter = { calls: 0, bytes: 0 }
    this.reads = counter
    this.#files = new DataFiles(counter)
    try {
      for (const spec of present) {
        this.#tables.set(spec.name, new FreezerTable(directory, spec, this.#files, counter, spec.head))
      }
      this.head = commonHead(
        present.filter((spec) => !spec.optional).map(({ name }) => this.#tables.get(name)!),
      )
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Undefined for a table that the directory does not have. */
  table(name: string): FreezerTable | undefined {
    return this.#tables.get(name)
  }

  get descriptor(): FreezerDescriptor {
    const tables = this.#specs.flatMap((spec) => {
      const table = this.#tables.get(spec.name)
      return table ? [{ ...spec, head: table.head }] : []
    })
    return { directory: this.directory, tables }
  }

  /** Every table with its bounds and sizes. */
  describe(): TableDescription[] {
    return Array.from(this.#tables.values(), (table) => table.describe())
  }

  /** Closes every file; may be called twice. Reads throw CLOSED from then on. */
  close(): void {
    for (const table of this.#tables.values()) table.close()
    this.#files.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

function commonHead(tables: readonly FreezerTable[]): number {
  const heads = tables.map((table) => table.head)
  const highest = Math.max(0, ...heads)
  const empty = tables.find((table) => table.hasEmptyIndex)
  if (empty && highest > 0) {
    // geth writes the first entry when it makes a table and items only after that.
    throw new GethReaderError(
      'DAMAGED',
      `${empty.indexPath} is empty where other tables have ${highest} items; restore the file`,
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

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch (error) {
    throw fileError(error, path)
  }
}

function readNames(directory: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(directory))
  } catch (error) {
    throw fileError(error, directory)
  }
}
