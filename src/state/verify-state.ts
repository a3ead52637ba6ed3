// Recomputes the root of a state from its accounts, and the storage root of each account from its slots, in one pass.

import { setImmediate } from 'node:timers/promises'
import { bytesToHex, equalBytes } from '../bytes.js'
import { emptyCodeHash, emptyRoot } from '../constants.js'
import { GethReaderError } from '../errors.js'
import { throwIfAborted } from '../stop.js'
import { RootBuilder } from '../trie/root-builder.js'
import { encodeAccount, encodeSlot } from '../types/account.js'
import { resultOrError } from './state-errors.js'
import { CheckedListing } from './state-listing.js'
import type { StateSource } from './state-source.js'
import type { ListedAccount, StateListing } from './state-values.js'

/** What was checked. */
interface StateTotals {
  readonly accounts: number
  readonly slots: number
  readonly codes: number
  /** `flat` values, nodes of the `trie`, or both, one after the other. */
  readonly sources: readonly ('flat' | 'trie')[]
}

export interface VerifyStateOptions {
  readonly signal?: AbortSignal
  /** Called from time to time with the share that is done, from 0 to 1. */
  onProgress?(share: number): void
  /** Called for each difference. Throws it to end the check at the first one. */
  onDamage(damage: GethReaderError): void
}

/** Leaves between two pauses, in which the thread checks the signal and does other work. */
const leavesBetweenPauses = 4096

/**
 * Checks the state with this root: that its accounts give the root, the slots of each account its storage root, and the
 * bytes of each code its hash. If flat values and trie nodes are both on disk, both are checked, and the first difference
 * between them is named. Throws STATE_UNAVAILABLE if there is no such state, and what damage makes unreadable.
 */
export async function verifyState(
  states: StateSource,
  root: Uint8Array,
  options: VerifyStateOptions,
): Promise<StateTotals> {
  const values = states.listingAt(root)
  const tries = resultOrError(() => states.triesAt(root))
  const trie = tries instanceof GethReaderError ? undefined : new CheckedListing(root, tries)
  const passes = [
    ...(values.isTrie ? [] : [{ name: 'flat' as const, listing: values }]),
    ...(trie ? [{ name: 'trie' as const, listing: trie }] : []),
  ]
  const totals = { accounts: 0, slots: 0, codes: 0, sources: passes.map(({ name }) => name) }
  const codes = new Set<string>()
  for (const [i, { listing }] of passes.entries()) {
    const found = await recompute(listing, {
      ...options,
      reference: listing === trie ? undefined : trie,
      codeOf: (hash) => {
        const hex = bytesToHex(hash)
        if (codes.has(hex)) return
        codes.add(hex)
        states.stateAt(root).code(hash)
      },
      onProgress: (share) => options.onProgress?.((i + share) / passes.length),
    })
    totals.accounts = found.accounts
    totals.slots = found.slots
  }
  totals.codes = codes.size
  return totals
}

interface Recomputation extends VerifyStateOptions {
  /** The same state from another source, to find what differs. */
  readonly reference: StateListing | undefined
  codeOf(hash: Uint8Array): void
}

async function recompute(
  listing: CheckedListing,
  { reference, codeOf, signal, onProgress, onDamage }: Recomputation,
): Promise<{ accounts: number; slots: number }> {
  const { root } = listing
  const builder = new RootBuilder()
  let accounts = 0
  let slots = 0
  let leaves = 0
  const pause = async (hash: Uint8Array) => {
    if (++leaves % leavesBetweenPauses !== 0) return
    onProgress?.((hash[0]! * 256 + hash[1]!) / 65_536)
    await setImmediate()
    throwIfAborted(signal)
  }
  for (const found of listing.accounts()) {
    const { hash, account } = found
    builder.add(hash, encodeAccount(account))
    accounts++
    if (!equalBytes(account.codeHash, emptyCodeHash)) codeOf(account.codeHash)
    if (!equalBytes(account.storageRoot, emptyRoot)) {
      const storage = new RootBuilder()
      for (const slot of listing.slots(found)) {
        storage.add(slot.hash, encodeSlot(slot.value))
        slots++
        await pause(hash)
      }
      const computed = storage.finish()
      if (!equalBytes(computed, account.storageRoot)) {
        const difference = reference && differentSlot(listing, reference, found)
        onDamage(damagedStorage({ root, found, computed, difference }))
      }
    }
    await pause(hash)
  }
  const computed = builder.finish()
  if (!equalBytes(computed, root)) {
    const difference = reference && firstDifference(listing.accounts(), reference.accounts(), accountLeaf)
    onDamage(damagedRoot(root, computed, difference))
  }
  onProgress?.(1)
  return { accounts, slots }
}

const accountLeaf = ({ account }: ListedAccount) => encodeAccount(account)

/** Hash of the first entry that differs between two listings; undefined if they are equal. */
function firstDifference<T extends { readonly hash: Uint8Array }>(
  ours: Iterable<T>,
  theirs: Iterable<T>,
  leafOf: (entry: T) => Uint8Array,
): Uint8Array | undefined {
  const others = theirs[Symbol.iterator]()
  for (const entry of ours) {
    const other = others.next()
    if (other.done) return entry.hash
    const order = Buffer.compare(entry.hash, other.value.hash)
    if (order !== 0) return order < 0 ? entry.hash : other.value.hash
    if (!equalBytes(leafOf(entry), leafOf(other.value))) return entry.hash
  }
  const rest = others.next()
  return rest.done ? undefined : rest.value.hash
}

function differentSlot(
  listing: StateListing,
  reference: StateListing,
  found: ListedAccount,
): Uint8Array | undefined {
  const [other] = reference.accounts(found.hash)
  if (!other || !equalBytes(accountLeaf(other), accountLeaf(found))) return undefined
  return firstDifference(listing.slots(found), reference.slots(other), ({ value }) => value)
}

interface StorageDamage {
  readonly root: Uint8Array
  readonly found: ListedAccount
  readonly computed: Uint8Array
  readonly difference: Uint8Array | undefined
}

function damagedStorage({ root, found, computed, difference }: StorageDamage): GethReaderError {
  const owner = bytesToHex(found.hash)
  const expected = bytesToHex(found.account.storageRoot)
  const which = difference ? `, the first one that differs in the trie is ${bytesToHex(difference)}` : ''
  const message = `account hash ${owner}: its slots give the storage root ${bytesToHex(computed)}, the account has ${expected}${which}`
  return new GethReaderError('DAMAGED', message, {
    root: bytesToHex(root),
    key: difference ? bytesToHex(difference) : owner,
    expected,
    found: bytesToHex(computed),
  })
}

function damagedRoot(
  root: Uint8Array,
  computed: Uint8Array,
  difference: Uint8Array | undefined,
): GethReaderError {
  const expected = bytesToHex(root)
  const which = difference
    ? `, the first account that differs in the trie has the hash ${bytesToHex(difference)}`
    : ''
  const message = `accounts give the state root ${bytesToHex(computed)}, expected ${expected}${which}`
  return new GethReaderError('DAMAGED', message, {
    root: expected,
    ...(difference && { key: bytesToHex(difference) }),
    expected,
    found: bytesToHex(computed),
  })
}
