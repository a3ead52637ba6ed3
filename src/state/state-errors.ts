// Errors of reads of state: for a state that is not available, and for damaged bytes, with the account or slot they belong to.

import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { hasKeccak256, keccak256 } from '../kernel/keccak.js'
import type { StateLayout } from './state-values.js'

/** STATE_UNAVAILABLE for a root that is not on disk, worded as geth words it. `available` says why, or what is available. */
export function stateUnavailable(root: Uint8Array, available?: string): GethReaderError {
  const hex = bytesToHex(root)
  return new GethReaderError('STATE_UNAVAILABLE', `historical state ${hex.slice(2)} is not available`, {
    root: hex,
    ...(available !== undefined && { available }),
  })
}

/** STATE_UNAVAILABLE for a root whose values can be read, but not its trie nodes. */
export function triesUnavailable(root: Uint8Array, layout: StateLayout): GethReaderError {
  const source = layout === 'history' ? 'the state history' : 'a snapshot'
  const available = `accounts and slots from ${source}, but not the trie nodes of which proofs consist`
  return stateUnavailable(root, available)
}

/** An error about a file, with the root of the wanted state as one more fact. */
export function withRoot(error: GethReaderError, root: Uint8Array): GethReaderError {
  if (error.facts.root !== undefined) return error
  const { code, message, facts } = error
  return new GethReaderError(code, message, { ...facts, root: bytesToHex(root), cause: error })
}

/**
 * Result of `read`, or the error about the directory that it throws, for parts of a directory that may be unreadable while
 * the rest is not. Other errors are thrown.
 */
export function resultOrError<T>(read: () => T): T | GethReaderError {
  try {
    return read()
  } catch (error) {
    if (error instanceof GethReaderError) return error
    throw error
  }
}

/**
 * Throws DAMAGED if the bytes do not have this hash. Every read from the store is checked, whatever the store checks itself.
 * It takes 2 of the 15 µs of reading an account in a large trie (2026-11, Node 20).
 */
export function checkHash(what: string, bytes: Uint8Array, hash: Uint8Array): void {
  if (hasKeccak256(bytes, hash)) return
  const found = keccak256(bytes)
  const key = bytesToHex(hash)
  throw new GethReaderError('DAMAGED', `${what} ${key}: its bytes have the hash ${bytesToHex(found)}`, {
    key,
    expected: key,
    found: bytesToHex(found),
  })
}

/** The account or slot to which a value belongs. */
interface ValuePlace {
  /** Root of the state. */
  readonly root: Uint8Array
  /** Address of an account, or the hash of one. */
  readonly account: Uint8Array
  /** A slot of it, or the hash of one. */
  readonly slot?: Uint8Array | undefined
}

/** Result of `read`. A RangeError of a decoder becomes DAMAGED with the account or slot. */
export function decodeAt<T>({ root, account, slot }: ValuePlace, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const place = `account ${bytesToHex(account)}${slot ? ` slot ${bytesToHex(slot)}` : ''}`
    const rootHex = bytesToHex(root)
    throw new GethReaderError('DAMAGED', `${place} at state root ${rootHex}: ${error.message}`, {
      root: rootHex,
      key: bytesToHex(slot ?? account),
      cause: error,
    })
  }
}
