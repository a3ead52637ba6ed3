// Scans whole states: the accounts of a block and the slots of an account, one by one in the order of their hashes.
import { bytesToHex, type Hex, hexToBytes } from '../bytes.js'
import { type Members, optionalCallback } from '../check.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import { keccak256 } from '../kernel/keccak.js'
import { throwIfAborted } from '../stop.js'
import type { ListingPiece, NamedAccount, NamedSlot } from '../view/list-state.js'
import { addressMembers, blockMembers, checkArguments } from './members.js'
import { fixedBytes } from './parameters.js'
import { existingHeader } from './select-block.js'
import type { BlockParameters } from './types.js'

/** Options of `scanAccounts` and `scanStorage`. */
export interface ScanStateOptions {
  /** Hash to start at, which need not exist; default the lowest. To resume a scan: the last hash seen, plus one. */
  readonly startHash?: Hex
  /** Cancels the scan, which throws ABORTED with the signal's reason as cause. */
  readonly signal?: AbortSignal
  /** Called after every 1,024 entries and at the end. */
  readonly onProgress?: (progress: StateScanProgress) => void
}

const optionMembers: Members<ScanStateOptions> = { startHash: true, signal: true, onProgress: true }

/** How far a scan of a state is. */
export interface StateScanProgress {
  /** Entries so far. */
  readonly entries: number
  /** Share of all possible hashes that is done, from 0 to 1. Hashes are evenly spread, so it is also the share of entries. */
  readonly share: number
}

/** One account of a scan. */
export interface ScannedAccount {
  /** Keccak of the address. */
  readonly hash: Hex
  /** Undefined if geth has not stored the address of the hash: it stores them in archives and with `--cache.preimages`. */
  readonly address: Hex | undefined
  /** In wei. */
  readonly balance: bigint
  /** Transactions sent; for a contract, contracts created and 1. */
  readonly nonce: number
  /** Keccak of the code; that of no bytes without code. */
  readonly codeHash: Hex
  /** Root of the account's storage trie. */
  readonly storageHash: Hex
}

/** One slot of a scan. */
export interface ScannedSlot {
  /** Keccak of the slot. */
  readonly hash: Hex
  /** Undefined if geth has not stored the slot of the hash, as for the address of {@link ScannedAccount}. */
  readonly slot: Hex | undefined
  /** 32 bytes, never zero. */
  readonly value: Hex
}

/** Entries of one task for a worker, which takes about 10 ms. */
const pieceEntries = 1024

/** Accounts of a block's state. Throws VIEW_UNSTABLE if geth removes that state during the scan. */
export function scanAccounts(
  datadir: Datadir,
  block: BlockParameters,
  options: ScanStateOptions,
): AsyncIterableIterator<ScannedAccount> {
  const check = () => checkArguments([block, blockMembers], [options, optionMembers])
  return scanEntries(datadir, { check, block, options }, async (view, piece, signal) =>
    (await view.run('listAccounts', piece, { signal })).map(toScannedAccount),
  )
}

/** Slots of an account in a block's state; none for an absent account. Throws as {@link scanAccounts}. */
export function scanStorage(
  datadir: Datadir,
  parameters: { readonly address: Hex } & BlockParameters,
  options: ScanStateOptions,
): AsyncIterableIterator<ScannedSlot> {
  let owner: Uint8Array
  const check = () => {
    checkArguments([parameters, addressMembers], [options, optionMembers])
    owner = keccak256(fixedBytes('address', parameters.address, 20))
  }
  return scanEntries(datadir, { check, block: parameters, options }, async (view, piece, signal) =>
    (await view.run('listSlots', { ...piece, owner }, { signal })).map(toScannedSlot),
  )
}

function toScannedAccount({ hash, preimage, account }: NamedAccount): ScannedAccount {
  return {
    hash: bytesToHex(hash),
    address: preimage && bytesToHex(preimage),
    balance: account.balance,
    nonce: Number(account.nonce),
    codeHash: bytesToHex(account.codeHash),
    storageHash: bytesToHex(account.storageRoot),
  }
}

function toScannedSlot({ hash, preimage, value }: NamedSlot): ScannedSlot {
  return { hash: bytesToHex(hash), slot: preimage && bytesToHex(preimage), value: bytesToHex(value) }
}

interface StateScan {
  /** Checks the arguments when the iteration starts. */
  readonly check: () => void
  readonly block: BlockParameters
  readonly options: ScanStateOptions
}

/** Where a scan is. */
interface Position {
  readonly header: ListingPiece['header']
  /** Next hash; undefined for the lowest. */
  start: Uint8Array | undefined
  entries: number
}

/** Entries of one state, piece by piece. A newer view continues after the last entry, on the same state root. */
function scanEntries<T extends { readonly hash: Hex }>(
  datadir: Datadir,
  { check, block, options }: StateScan,
  read: (view: ChainView, piece: ListingPiece, signal: AbortSignal) => Promise<readonly T[]>,
): AsyncIterableIterator<T> {
  let at: Position | undefined
  return datadir.stream(async function* (view, signal) {
    at ??= begin(view, { check, block, options })
    for (;;) {
      throwIfAborted(signal)
      const { header, start } = at
      const piece = await read(view, { header, limit: pieceEntries, ...(start && { start }) }, signal)
      for (const entry of piece) {
        throwIfAborted(signal)
        at.start = hashAfter(hexToBytes(entry.hash))
        at.entries++
        yield entry
      }
      const isLast = piece.length < pieceEntries || at.start === undefined
      options.onProgress?.({ entries: at.entries, share: isLast ? 1 : shareOf(at.start!) })
      if (isLast) return
    }
  }, options?.signal)
}

function begin(view: ChainView, { check, block, options }: StateScan): Position {
  check()
  const { startHash, onProgress } = options
  optionalCallback('onProgress', onProgress)
  const start = startHash === undefined ? undefined : fixedBytes('startHash', startHash, 32)
  const { number, stateRoot } = existingHeader(view, block).header
  return { header: { number, stateRoot }, start, entries: 0 }
}

/** The next hash; undefined after the highest. */
function hashAfter(hash: Uint8Array): Uint8Array | undefined {
  const next = Uint8Array.from(hash)
  for (let i = next.length - 1; i >= 0; i--) {
    if (next[i] !== 0xff) {
      next[i]!++
      return next
    }
    next[i] = 0
  }
  return undefined
}

function shareOf(hash: Uint8Array): number {
  return new DataView(hash.buffer, hash.byteOffset).getUint32(0) / 2 ** 32
}
