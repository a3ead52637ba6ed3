// Whole states for programs: accounts of a block, slots of an account, one by one in the order of their hashes.
import { bytesToHex, type Hex } from '../bytes.js'
import type { Datadir } from '../datadir/datadir.js'
import { keccak256 } from '../kernel/keccak.js'
import { abortSignal, callback, fixedBytes, namedMembers } from './parameters.js'
import { existingHeader } from './select-block.js'
import type { BlockParameters } from './types.js'

/** How a state is scanned. */
export interface ScanStateOptions {
  /** Hash to begin at, which need not exist; default the lowest. To resume, the last hash that was seen, plus one. */
  readonly startHash?: Hex
  /** Ends the scan; it throws the signal's reason. */
  readonly signal?: AbortSignal
  /** Called after every 1,024 entries and at the end. */
  readonly onProgress?: (progress: StateScanProgress) => void
}

/** How far a scan of a state is. */
export interface StateScanProgress {
  /** Entries so far. */
  readonly entries: number
  /** Share of all hashes that is done, from 0 to 1; hashes are spread evenly, so it is that of the entries too. */
  readonly share: number
}

/** An account of a scan. */
export interface ScannedAccount {
  /** Keccak of the address. */
  readonly hash: Hex
  /** Undefined where geth has not kept the address under its hash: it does so in archives and with `--cache.preimages`. */
  readonly address: Hex | undefined
  readonly balance: bigint
  readonly nonce: number
  readonly codeHash: Hex
  readonly storageHash: Hex
}

/** A slot of a scan. */
export interface ScannedSlot {
  /** Keccak of the slot. */
  readonly hash: Hex
  /** Undefined where geth has not kept the slot under its hash, as for {@link ScannedAccount.address}. */
  readonly slot: Hex | undefined
  /** 32 bytes, never zero. */
  readonly value: Hex
}

/** Entries that are read in one go by a worker: about ten milliseconds of work. */
const pieceEntries = 1024

/** Accounts of a block's state. One view is read however long the loop takes. */
export async function* scanAccounts(
  datadir: Datadir,
  block: BlockParameters,
  options: ScanStateOptions,
): AsyncGenerator<ScannedAccount, void, undefined> {
  namedMembers('parameters', block)
  const scan = readOptions(options)
  using view = datadir.view()
  const at = existingHeader(view, block)
  await view.ensureState(at)
  const read = (start: Uint8Array | undefined, signal: AbortSignal | undefined) =>
    view.listAccounts(at, { limit: pieceEntries, ...(start && { start }), ...(signal && { signal }) })
  for await (const { hash, preimage, account } of scanPieces(read, scan)) {
    yield {
      hash: bytesToHex(hash),
      address: preimage && bytesToHex(preimage),
      balance: account.balance,
      nonce: Number(account.nonce),
      codeHash: bytesToHex(account.codeHash),
      storageHash: bytesToHex(account.storageRoot),
    }
  }
}

/** Slots of an account in a block's state, none where it has none. As {@link scanAccounts}. */
export async function* scanStorage(
  datadir: Datadir,
  parameters: { readonly address: Hex } & BlockParameters,
  options: ScanStateOptions,
): AsyncGenerator<ScannedSlot, void, undefined> {
  namedMembers('parameters', parameters)
  const owner = keccak256(fixedBytes('address', parameters.address, 20))
  const scan = readOptions(options)
  using view = datadir.view()
  const at = existingHeader(view, parameters)
  await view.ensureState(at)
  const read = (start: Uint8Array | undefined, signal: AbortSignal | undefined) =>
    view.listSlots(at, owner, { limit: pieceEntries, ...(start && { start }), ...(signal && { signal }) })
  for await (const { hash, preimage, value } of scanPieces(read, scan)) {
    yield { hash: bytesToHex(hash), slot: preimage && bytesToHex(preimage), value: bytesToHex(value) }
  }
}

type ReadPiece<T> = (start: Uint8Array | undefined, signal: AbortSignal | undefined) => Promise<readonly T[]>

interface Scan {
  readonly start: Uint8Array | undefined
  readonly signal: AbortSignal | undefined
  readonly onProgress: ScanStateOptions['onProgress']
}

function readOptions(options: ScanStateOptions): Scan {
  namedMembers('options', options)
  const { startHash, onProgress, signal } = options
  if (onProgress !== undefined) callback('onProgress', onProgress)
  return {
    start: startHash === undefined ? undefined : fixedBytes('startHash', startHash, 32),
    signal: signal && abortSignal('signal', signal),
    onProgress,
  }
}

async function* scanPieces<T extends { readonly hash: Uint8Array }>(
  read: ReadPiece<T>,
  scan: Scan,
): AsyncGenerator<T, void, undefined> {
  const { signal, onProgress } = scan
  let { start } = scan
  let entries = 0
  for (;;) {
    signal?.throwIfAborted()
    const piece = await read(start, signal)
    for (const entry of piece) {
      signal?.throwIfAborted()
      yield entry
    }
    entries += piece.length
    const last = piece.length < pieceEntries ? undefined : piece.at(-1)!.hash
    start = last && hashAfter(last)
    onProgress?.({ entries, share: start ? shareOf(start) : 1 })
    if (start === undefined) return
  }
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
