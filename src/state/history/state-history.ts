// The state history of the path scheme: for every transition, by its id, the values before it of what it changed. Record
// `id` is item `id - 1` of five tables of a freezer. history-record.ts decodes the items.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { bytesToHex } from '../../bytes.js'
import { GethReaderError } from '../../errors.js'
import {
  type Freezer,
  type FreezerDescriptor,
  openFreezer,
  openFreezerFromDescriptor,
} from '../../freezer/freezer.js'
import { stateTables } from '../../freezer/table-spec.js'
import {
  type AccountChange,
  changeData,
  decodeHistoryMeta,
  findAccountChange,
  findSlotChange,
  type HistoryMeta,
  historyVersion,
  historyVersions,
  isIncomplete,
} from './history-record.js'

/** Bytes of cached items, decompressed. Reads of one state need the same ones. */
const cachedBytes = 8 * 2 ** 20

const batchBytes = 2 ** 20

const tableNames = stateTables.map(({ name }) => name)

/** Tables of the freezer. */
type HistoryTable = 'history.meta' | 'account.index' | 'storage.index' | 'account.data' | 'storage.data'

/**
 * Opens the histories in geth's ancient directory; undefined if there are none. Throws MISSING_FILE, DAMAGED,
 * UNSUPPORTED_FORMAT or PERMISSION_DENIED, as {@link openFreezer}.
 */
export function openStateHistory(ancient: string): StateHistory | undefined {
  const directory = join(ancient, 'state')
  const isThere = statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (!isThere) return undefined
  const freezer = openFreezer(directory, stateTables)
  if (freezer.table('history.meta') !== undefined) return new StateHistory(freezer)
  freezer.close()
  return undefined
}

/** Opens the same histories in another thread. */
export function openStateHistoryFromDescriptor(descriptor: FreezerDescriptor): StateHistory {
  return new StateHistory(openFreezerFromDescriptor(descriptor))
}

/** Records by id. Every read throws DAMAGED with table and item, UNSUPPORTED_FORMAT, MISSING_FILE or CLOSED. */
export class StateHistory {
  readonly #freezer: Freezer
  readonly #items: LRUCache<number, Uint8Array>

  constructor(freezer: Freezer) {
    this.#freezer = freezer
    this.#items = new LRUCache({ maxSize: cachedBytes, sizeCalculation: (item) => item.length + 100 })
  }

  get descriptor(): FreezerDescriptor {
    return this.#freezer.descriptor
  }

  /** Id of the oldest state: the one before the oldest record. A running node may delete records, so it may grow. */
  get oldestState(): number {
    return Math.max(...tableNames.map((name) => this.#freezer.table(name)!.tail))
  }

  /** Id of the newest record. */
  get newest(): number {
    return this.#freezer.head
  }

  /** Undefined if the record does not exist, or not any more. */
  meta(id: number): HistoryMeta | undefined {
    const item = this.item('history.meta', id)
    if (item === undefined) return undefined
    const version = historyVersion(item)
    if (version !== undefined && !historyVersions.includes(version)) throw this.#unknownVersion(id, version)
    return this.decode('history.meta', id, () => decodeHistoryMeta(item))
  }

  /** The change of an account in a record; undefined if it did not change, or the record does not exist any more. */
  accountChange(id: number, address: Uint8Array): AccountChange | undefined {
    const item = this.item('account.index', id)
    return item && this.decode('account.index', id, () => findAccountChange(item, address))
  }

  /** Slim account before the transition, empty if there was none; undefined as {@link accountChange}. */
  accountBefore(id: number, address: Uint8Array): Uint8Array | undefined {
    const change = this.accountChange(id, address)
    const data = change && this.item('account.data', id)
    return data && this.decode('account.data', id, () => changeData(data, change))
  }

  /**
   * RLP of a slot before the transition, empty for zero; undefined if it did not change, or the record does not exist any
   * more. Throws STATE_UNAVAILABLE if geth did not record all slots of the account.
   */
  slotBefore(
    id: number,
    address: Uint8Array,
    slot: { readonly slot: Uint8Array; readonly hash: Uint8Array },
  ): Uint8Array | undefined {
    const account = this.accountChange(id, address)
    const meta = account && this.meta(id)
    const index = meta && this.item('storage.index', id)
    if (account === undefined || meta === undefined || index === undefined) return undefined
    const key = meta.version === 0 ? slot.hash : slot.slot
    const change = this.decode('storage.index', id, () => findSlotChange(index, key, account))
    if (change === undefined) {
      if (isIncomplete(meta, address)) throw incompleteRecord(id, address, meta)
      return undefined
    }
    const data = this.item('storage.data', id)
    return data && this.decode('storage.data', id, () => changeData(data, change))
  }

  /** An item of a record; undefined if the record does not exist, or not any more. */
  item(table: HistoryTable, id: number): Uint8Array | undefined {
    const key = id * tableNames.length + tableNames.indexOf(table)
    const cached = this.#items.get(key)
    if (cached !== undefined) return cached
    const item = this.#freezer.table(table)!.read(id - 1)
    if (item !== undefined) this.#items.set(key, item)
    return item
  }

  /** Items of the records from id `first` to id `last`, both included. Ends early if a record does not exist. */
  *items(table: HistoryTable, first: number, last: number): Generator<{ id: number; item: Uint8Array }> {
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
  decode<T>(table: HistoryTable, id: number, decode: () => T): T {
    try {
      return decode()
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new GethReaderError('DAMAGED', `item ${id - 1} of table ${table}: ${error.message}`, {
        path: this.#freezer.directory,
        table,
        item: id - 1,
        cause: error,
      })
    }
  }

  close(): void {
    this.#freezer.close()
  }

  #unknownVersion(id: number, version: number): GethReaderError {
    const expected = historyVersions.join(', ')
    return new GethReaderError(
      'UNSUPPORTED_FORMAT',
      `state history ${id} in ${this.#freezer.directory} has version ${version}; known are ${expected}`,
      {
        path: this.#freezer.directory,
        table: 'history.meta',
        item: id - 1,
        expected,
        found: String(version),
      },
    )
  }
}

/** geth up to 1.13 did not record all slots of very large contracts that destroyed themselves. */
function incompleteRecord(id: number, address: Uint8Array, { parent, block }: HistoryMeta): GethReaderError {
  const contract = bytesToHex(address)
  return new GethReaderError(
    'STATE_UNAVAILABLE',
    `the slots of ${contract} before block ${block} are not all in state history ${id}`,
    { root: bytesToHex(parent), key: contract, item: id - 1, table: 'storage.index' },
  )
}
