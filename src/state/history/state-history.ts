// The state history of the path scheme: for every transition, by its id, the values before it of what it changed. Record
// `id` is item `id - 1` of five tables of a freezer. history-record.ts decodes the items.
import { bytesToHex } from '../../bytes.js'
import { GethReaderError } from '../../errors.js'
import { type StateTable, stateTables } from '../../freezer/table-spec.js'
import { type HistoryItems, type HistoryLocation, openHistoryItems } from './history-items.js'
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

/** Opens the histories; undefined if there are none. Throws as {@link openHistoryItems}. */
export function openStateHistory(location: HistoryLocation): StateHistory | undefined {
  const items = openHistoryItems(location, { folder: 'state', tables: stateTables, cachedBytes })
  return items && new StateHistory(items)
}

/** Records by id. Every read throws DAMAGED with table and item, UNSUPPORTED_FORMAT, MISSING_FILE or CLOSED. */
export class StateHistory {
  readonly items: HistoryItems<StateTable>

  constructor(items: HistoryItems<StateTable>) {
    this.items = items
  }

  /** Undefined if the record does not exist, or not any more. */
  meta(id: number): HistoryMeta | undefined {
    const item = this.items.read('history.meta', id)
    if (item === undefined) return undefined
    const version = historyVersion(item)
    if (version !== undefined) {
      this.items.checkVersion(version, historyVersions, { name: 'state history', table: 'history.meta', id })
    }
    return this.items.decode('history.meta', id, () => decodeHistoryMeta(item))
  }

  /** The change of an account in a record; undefined if it did not change, or the record does not exist any more. */
  accountChange(id: number, address: Uint8Array): AccountChange | undefined {
    const item = this.items.read('account.index', id)
    return item && this.items.decode('account.index', id, () => findAccountChange(item, address))
  }

  /** Slim account before the transition, empty if there was none; undefined as {@link accountChange}. */
  accountBefore(id: number, address: Uint8Array): Uint8Array | undefined {
    const change = this.accountChange(id, address)
    const data = change && this.items.read('account.data', id)
    return data && this.items.decode('account.data', id, () => changeData(data, change))
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
    const index = meta && this.items.read('storage.index', id)
    if (account === undefined || meta === undefined || index === undefined) return undefined
    const key = meta.version === 0 ? slot.hash : slot.slot
    const change = this.items.decode('storage.index', id, () => findSlotChange(index, key, account))
    if (change === undefined) {
      if (isIncomplete(meta, address)) throw incompleteRecord(id, address, meta)
      return undefined
    }
    const data = this.items.read('storage.data', id)
    return data && this.items.decode('storage.data', id, () => changeData(data, change))
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
