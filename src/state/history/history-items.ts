// The items of a history: a freezer with a record for each transition of the state, of which each table has one item. Record
// `id` is item `id - 1`. state-history.ts and ../trienode/trienode-history.ts know what the items mean.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { GethReaderError } from '../../errors.js'
import {
  type Freezer,
  type FreezerDescriptor,
  openFreezer,
  openFreezerFromDescriptor,
} from '../../freezer/freezer.js'
import type { TableSpec } from '../../freezer/table-spec.js'

/** geth's ancient directory, or the histories that another thread has opened. */
export type HistoryLocation = { readonly ancient: string } | { readonly descriptor: FreezerDescriptor }

interface HistoryOptions<Table extends string> {
  /** Folder in the ancient directory. */
  readonly folder: string
  readonly tables: readonly (TableSpec & { readonly name: Table })[]
  /** Bytes of cached items, decompressed. Reads of one state need the same ones. */
  readonly cachedBytes: number
}

const batchBytes = 2 ** 20

/**
 * Opens a history; undefined if there is none. Throws MISSING_FILE, DAMAGED, UNSUPPORTED_FORMAT or PERMISSION_DENIED, as
 * {@link openFreezer}.
 */
export function openHistoryItems<Table extends string>(
  location: HistoryLocation,
  options: HistoryOptions<Table>,
): HistoryItems<Table> | undefined {
  if ('descriptor' in location) {
    return new HistoryItems(openFreezerFromDescriptor(location.descriptor), options)
  }
  const directory = join(location.ancient, options.folder)
  const isThere = statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (!isThere) return undefined
  const freezer = openFreezer(directory, options.tables)
  if (freezer.table(options.tables[0]!.name) !== undefined) return new HistoryItems(freezer, options)
  freezer.close()
  return undefined
}

/** Items by table and id. Every read throws DAMAGED with table and item, UNSUPPORTED_FORMAT, MISSING_FILE or CLOSED. */
export class HistoryItems<Table extends string> {
  readonly #freezer: Freezer
  readonly #tables: readonly Table[]
  readonly #cached: LRUCache<number, Uint8Array>

  constructor(freezer: Freezer, { tables, cachedBytes }: Omit<HistoryOptions<Table>, 'folder'>) {
    this.#freezer = freezer
    this.#tables = tables.map(({ name }) => name)
    this.#cached = new LRUCache({ maxSize: cachedBytes, sizeCalculation: ({ length }) => length + 100 })
  }

  get descriptor(): FreezerDescriptor {
    return this.#freezer.descriptor
  }

  /** Id of the state before the oldest record. A running node may delete records, so it may grow. */
  get oldestState(): number {
    return Math.max(...this.#tables.map((name) => this.#freezer.table(name)!.tail))
  }

  /** Id of the newest record. */
  get newest(): number {
    return this.#freezer.head
  }

  /** An item of a record; undefined if the record does not exist, or not any more. */
  read(table: Table, id: number): Uint8Array | undefined {
    const key = id * this.#tables.length + this.#tables.indexOf(table)
    const cached = this.#cached.get(key)
    if (cached !== undefined) return cached
    const item = this.#freezer.table(table)!.read(id - 1)
    if (item !== undefined) this.#cached.set(key, item)
    return item
  }

  /** Items of the records from id `first` to id `last`, both included. Ends early if a record does not exist. */
  *scan(table: Table, first: number, last: number): Generator<{ id: number; item: Uint8Array }> {
    const stored = this.#freezer.table(table)!
    for (let id = first; id <= last; ) {
      const batch = stored.readBatch(id - 1, { maxItems: last - id + 1, maxBytes: batchBytes })
      if (batch === undefined) return
      const { bytes, offsets, count } = batch
      for (let i = 0; i < count; i++, id++) {
        yield { id, item: stored.decodeItem(id - 1, bytes.subarray(offsets[i]!, offsets[i + 1]!)) }
      }
    }
  }

  /** Result of `decode`. Its RangeErrors become DAMAGED at this item. */
  decode<T>(table: Table, id: number, decode: () => T): T {
    try {
      return decode()
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const facts = { path: this.#freezer.directory, table, item: id - 1, cause: error }
      throw new GethReaderError('DAMAGED', `item ${id - 1} of table ${table}: ${error.message}`, facts)
    }
  }

  /** Throws UNSUPPORTED_FORMAT for an item of an unknown version. `name` is that of its record in the message. */
  checkVersion(
    version: number | undefined,
    known: readonly number[],
    { name, table, id }: { readonly name: string; readonly table: Table; readonly id: number },
  ): void {
    if (version !== undefined && known.includes(version)) return
    const path = this.#freezer.directory
    const [expected, found] = [known.join(', '), String(version)]
    const message = `${name} ${id} in ${path} has version ${found}; known ${known.length === 1 ? 'is' : 'are'} ${expected}`
    throw new GethReaderError('UNSUPPORTED_FORMAT', message, { path, table, item: id - 1, expected, found })
  }

  close(): void {
    this.#freezer.close()
  }
}
