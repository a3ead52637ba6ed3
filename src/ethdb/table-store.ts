// Opens LevelDB and Pebble directories with the project's own reader, which copies, locks and writes nothing, even while a
// node runs. leveldb/FORMAT.md and pebble/FORMAT.md have the formats; table/store-files.ts takes views.
import { realpathSync } from 'node:fs'
import { fileError } from '../file-error.js'
import { type DetectedEngine, detectEngine } from './detect-engine.js'
import type { KeyRange, KeyValueDescriptor, KeyValueEntry, KeyValueReader } from './key-value-reader.js'
import { levelDbEngine } from './leveldb/engine.js'
import { pebbleEngine } from './pebble/engine.js'
import { closedError } from './table/damage.js'
import { describeView } from './table/describe-view.js'
import { openFilesOfThread } from './table/open-file-limit.js'
import { OpenTables } from './table/open-tables.js'
import { type ExtendedView, StoreFiles, type ViewExtent } from './table/store-files.js'
import type { TableEngine } from './table/table-engine.js'
import type { TableView } from './table/table-view.js'
import { type VerifyOptions, type VerifyResult, verifyView } from './table/verify-view.js'
import type { TableStoreDescription } from './table-store-description.js'

interface TableStoreOptions {
  /**
   * Memory of this thread for blocks, indexes and filters of tables, in bytes, shared by all its stores; default 64 MiB.
   * The largest value among the stores of the thread counts. Write-ahead logs take more memory.
   */
  readonly cacheBytes?: number
  /** Table files open at once in this thread, default {@link openFilesOfThread}; the largest value counts. */
  readonly maxOpenFiles?: number
}

/** What another thread needs to take the same view with {@link openTableStoreView}. */
export type TableStoreDescriptor = KeyValueDescriptor &
  Readonly<{ engine: 'leveldb' | 'pebble' }> &
  ViewExtent

/**
 * An immutable view of a LevelDB or Pebble directory. Values stay valid, but may share memory of up to 4 MiB with others, so
 * copy values that you store for long. If the node compacts a table away before it was opened, reads throw VIEW_UNSTABLE
 * with its path: call `refresh()` and retry on the new view.
 */
export interface TableStoreReader extends KeyValueReader {
  readonly descriptor: TableStoreDescriptor
  /**
   * The newest view: this object if nothing has changed, otherwise a new one, which is closed on its own. Reads only what was
   * appended, which takes less than 5 ms if that is little. Throws what {@link openTableStore} throws.
   */
  refresh(): TableStoreReader
  describe(): TableStoreDescription
  /** Checks every block of every table. Throws DAMAGED for the first damage unless `onDamage` is given. */
  verifyTables(options?: VerifyOptions): Promise<VerifyResult>
}

const defaultCacheBytes = 64 * 1024 * 1024

/**
 * Opens the store in `directory` (geth's `chaindata`) as it is now. Throws NOT_A_DATADIR, PERMISSION_DENIED, DAMAGED,
 * MISSING_FILE, UNSUPPORTED_FORMAT, and VIEW_UNSTABLE if it changes too fast for a view. `detected` is the result of a call
 * of {@link detectEngine} just before.
 */
export function openTableStore(
  directory: string,
  options: TableStoreOptions = {},
  detected: DetectedEngine = detectEngine(directory),
): TableStoreReader {
  let path: string
  try {
    path = realpathSync(directory)
  } catch (error) {
    throw fileError(error, directory)
  }
  return openShared(path, detected, options, (files) => files.latest())
}

/** Opens the view of a reader in another thread. Throws as {@link openTableStore}, VIEW_UNSTABLE if a file was replaced. */
export function openTableStoreView(
  descriptor: TableStoreDescriptor,
  options: TableStoreOptions = {},
): TableStoreReader {
  return openShared(descriptor.path, descriptor, options, (files) => files.exact(descriptor))
}

const engines: Readonly<Record<'leveldb' | 'pebble', TableEngine>> = {
  leveldb: levelDbEngine,
  pebble: pebbleEngine,
}

/** The files of a store, and the views of them that are open. */
interface SharedFiles {
  readonly files: StoreFiles
  readonly path: string
  readonly views: Set<TableView>
}

/** Stores open in this thread by path, and the tables they share. */
const stores = new Map<string, SharedFiles>()
let tables: OpenTables | undefined

const noReads = { hits: 0, misses: 0 }

/** `path` is the real path, because stores are shared by path. */
function openShared(
  path: string,
  { engine, found }: Pick<DetectedEngine, 'engine'> & Partial<DetectedEngine>,
  options: TableStoreOptions,
  take: (files: StoreFiles) => ExtendedView,
): TableStoreReader {
  tables ??= new OpenTables()
  tables.allow(options.cacheBytes ?? defaultCacheBytes, options.maxOpenFiles ?? openFilesOfThread())
  const shared = stores.get(path) ?? {
    files: new StoreFiles(path, engines[engine], tables, found),
    path,
    views: new Set(),
  }
  stores.set(path, shared)
  try {
    return new Reader(shared, take(shared.files))
  } catch (error) {
    if (shared.views.size === 0) close(shared)
    throw error
  }
}

/** How often a table block was in the cache when it was needed, over all stores that are open in this thread. */
export function tableBlockReads(): { readonly hits: number; readonly misses: number } {
  return tables?.blockReads ?? noReads
}

function release(shared: SharedFiles, view: TableView): void {
  const { files, views } = shared
  views.delete(view)
  const versions = new Set(Array.from(views, ({ version }) => version))
  if (views.size === 0) close(shared)
  else if (!versions.has(view.version)) files.closeTablesOf(view.version, [...versions])
}

function close(shared: SharedFiles): void {
  shared.files.close()
  if (stores.get(shared.path) === shared) stores.delete(shared.path)
  if (stores.size === 0) tables = undefined
}

class Reader implements TableStoreReader {
  readonly descriptor: TableStoreDescriptor
  readonly #shared: SharedFiles
  readonly #extended: ExtendedView

  constructor(shared: SharedFiles, extended: ExtendedView) {
    this.#shared = shared
    this.#extended = extended
    shared.views.add(extended.view)
    const { engine, directory } = shared.files
    this.descriptor = { engine: engine.name, path: directory, ...extended.extent }
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#extended.view.get(key)
  }

  has(key: Uint8Array): boolean {
    return this.#extended.view.get(key) !== undefined
  }

  scan(range?: KeyRange): IterableIterator<KeyValueEntry> {
    return this.#extended.view.scan(range)
  }

  refresh(): TableStoreReader {
    if (this.#extended.view.isClosed) throw closedError()
    const newest = this.#shared.files.latest(this.#extended)
    if (newest === this.#extended) return this
    return new Reader(this.#shared, newest)
  }

  describe(): TableStoreDescription {
    if (this.#extended.view.isClosed) throw closedError()
    return describeView(this.#extended, this.#shared.files)
  }

  async verifyTables(options: VerifyOptions = {}): Promise<VerifyResult> {
    if (this.#extended.view.isClosed) throw closedError()
    return verifyView(this.#extended.view, this.#shared.files, options)
  }

  async close(): Promise<void> {
    const { view } = this.#extended
    if (view.isClosed) return
    view.isClosed = true
    release(this.#shared, view)
  }
}
