// Accounts of a state with their code and storage, and the accounts in which two states differ. Follows core/state/dump.go
// and getModifiedAccounts of eth/api_debug.go.
import { equalBytes } from '../bytes.js'
import { emptyCodeHash, emptyRoot } from '../constants.js'
import { GethReaderError } from '../errors.js'
import { readCode, readPreimage } from '../rawdb/state.js'
import type { TaskSignal } from '../stop.js'
import { changedLeaves } from '../trie/changed-leaves.js'
import type { Account } from '../types/account.js'
import type { Header } from '../types/header.js'
import { type DumpedAccount, type StateDump, stateDumpJson } from './dump-json.js'
import { onStateOf } from './nearest-states.js'
import type { View } from './view.js'

/** Which accounts, and what of them. */
export interface DumpRange {
  /** The block after which the state is. */
  readonly header: Pick<Header, 'number' | 'stateRoot'>
  /** First hash of an address, which need not exist. */
  readonly start: Uint8Array
  /** Accounts at most. */
  readonly limit: number
  readonly withCode: boolean
  readonly withStorage: boolean
  /** Whether accounts count whose address is not stored as a preimage. */
  readonly withUnnamed: boolean
}

/** Slots of all accounts of one dump. */
const mostSlots = 65_536

/** Accounts in which two states may differ. */
const mostChanges = 65_536

function tooMany(limit: number): GethReaderError {
  return new GethReaderError('TOO_MANY_RESULTS', `query returned more than ${limit} results`, { limit })
}

/**
 * UTF-8 of the JSON of a list of accounts. Throws STATE_UNAVAILABLE, DAMAGED, and TOO_MANY_RESULTS for more than 65,536 slots.
 */
export function dumpState(view: View, range: DumpRange, signal: TaskSignal): Uint8Array<ArrayBuffer> {
  const listed = onStateOf(view, range.header, () => dump(view, range, signal))
  return new TextEncoder().encode(stateDumpJson(range.header.stateRoot, listed))
}

function dump(view: View, range: DumpRange, signal: TaskSignal): StateDump {
  const { db, states } = view
  const { stateRoot } = range.header
  const listing = states.listingAt(stateRoot)
  const accounts: DumpedAccount[] = []
  let slotsLeft = mostSlots
  for (const entry of listing.accounts(range.start)) {
    signal.throwIfAborted()
    if (accounts.length === range.limit) return { accounts, next: entry.hash }
    const address = readPreimage(db, entry.hash)
    if (address === undefined && !range.withUnnamed) continue
    const slots: [Uint8Array, Uint8Array][] = []
    if (range.withStorage && !equalBytes(entry.account.storageRoot, emptyRoot)) {
      for (const { hash, value } of listing.slots(entry)) {
        signal.throwIfAborted()
        if (slotsLeft-- === 0) throw tooMany(mostSlots)
        const slot = readPreimage(db, hash)
        if (slot !== undefined) slots.push([slot, value])
      }
    }
    const code = range.withCode ? codeOf(view, stateRoot, entry.account) : new Uint8Array()
    accounts.push({ hash: entry.hash, address, account: entry.account, code, slots })
  }
  return { accounts, next: undefined }
}

function codeOf({ db, states }: View, root: Uint8Array, { codeHash }: Account): Uint8Array {
  if (equalBytes(codeHash, emptyCodeHash)) return new Uint8Array()
  return readCode(db, codeHash) ?? states.stateAt(root).code(codeHash)
}

/** Two states, each after a block. */
export interface StatePair {
  readonly before: DumpRange['header']
  readonly after: DumpRange['header']
}

/** Addresses of the accounts that changed, in the order of their hashes, or the first hash whose address is not stored. */
type ChangedAddresses = { readonly addresses: readonly Uint8Array[] } | { readonly unknown: Uint8Array }

/** Lists the accounts of a state that differ from those of another. Throws STATE_UNAVAILABLE, DAMAGED, TOO_MANY_RESULTS. */
export function changedAccounts(
  view: View,
  { before, after }: StatePair,
  signal: TaskSignal,
): ChangedAddresses {
  const trieOf = (header: DumpRange['header']) =>
    onStateOf(view, header, () => {
      const { stateRoot: root } = header
      return { root, reader: view.states.triesAt(root).nodeReader() }
    })
  const old = trieOf(before)
  const addresses: Uint8Array[] = []
  for (const hash of changedLeaves(trieOf(after), old)) {
    signal.throwIfAborted()
    const address = readPreimage(view.db, hash)
    if (address === undefined) return { unknown: hash }
    if (addresses.length === mostChanges) throw tooMany(mostChanges)
    addresses.push(address)
  }
  return { addresses }
}

/** Blocks to be searched: from `from` towards `to`, which is not searched. */
export interface BlockSearch {
  readonly from: number
  readonly to: number
}

/** Number of the first block whose state root is on disk, or why there is none. */
type FoundState = { readonly number: number } | { readonly missingHeader: number } | undefined

/** Searches blocks in either direction for a state of the hash scheme. */
export function findState({ chain, db }: View, { from, to }: BlockSearch, signal: TaskSignal): FoundState {
  const step = from < to ? 1 : -1
  for (let number = from; number !== to; number += step) {
    signal.throwIfAborted()
    const header = chain.header({ number })?.header
    if (header === undefined) return { missingHeader: number }
    if (db.kv.has(header.stateRoot)) return { number }
  }
  return undefined
}
