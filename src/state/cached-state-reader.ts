// The reader of one state, for every layout on disk. It caches accounts, slots and code between calls and blocks, reads
// code, and names the account or slot whose bytes are damaged.

import { bytesToHex, equalBytes } from '../bytes.js'
import { emptyCodeHash, emptyRoot, noBytes } from '../constants.js'
import { GethReaderError } from '../errors.js'
import { keccak256 } from '../kernel/keccak.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { readCode } from '../rawdb/state.js'
import type { Account } from '../types/account.js'
import { zeroSlot } from '../types/account.js'
import type { StateCache } from './state-cache.js'
import { checkHash, decodeAt } from './state-errors.js'
import type { StateReader } from './state-source.js'
import type { AccountKey, StateValues } from './state-values.js'

/** Sources of what is not cached. */
interface StateReaderSources {
  readonly db: ChainDatabase
  readonly cache: StateCache
  readonly values: StateValues
  /** Code that is not on disk, by its hash. */
  codeOf?(codeHash: Uint8Array): Uint8Array | undefined
}

/** A state reader over the values of the state with this root. */
export class CachedStateReader implements StateReader {
  readonly root: Uint8Array
  readonly #db: ChainDatabase
  readonly #cache: StateCache
  readonly #values: StateValues
  readonly #codeOf: StateReaderSources['codeOf']
  /** Key of a cached account: the root and the address. */
  readonly #accountKey = new Uint8Array(52)
  /** Key of a cached slot: the storage root, which decides the values of all slots below it, and the slot. */
  readonly #slotKey = new Uint8Array(64)
  /** The account that was read last: its slots are often read next. */
  #last: { readonly account: Account | undefined } | undefined
  readonly #lastAddress = new Uint8Array(20)

  constructor(root: Uint8Array, { db, cache, values, codeOf }: StateReaderSources) {
    this.root = Uint8Array.from(root)
    this.#db = db
    this.#cache = cache
    this.#values = values
    this.#codeOf = codeOf
    this.#accountKey.set(root)
  }

  account(address: Uint8Array): Account | undefined {
    checkLength('address', address, 20)
    if (this.#last !== undefined && equalBytes(this.#lastAddress, address)) return this.#last.account
    const key = this.#accountKey
    key.set(address, 32)
    this.#last = this.#cache.accounts.get(key) ?? this.#readAccount(key, address)
    this.#lastAddress.set(address)
    return this.#last.account
  }

  #readAccount(key: Uint8Array, address: Uint8Array): { readonly account: Account | undefined } {
    const place = { root: this.root, account: address }
    const read = { account: decodeAt(place, () => this.#values.account(accountKey(address))) }
    this.#cache.accounts.offer(key, read)
    return read
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    checkLength('slot', slot, 32)
    const storageRoot = this.account(address)?.storageRoot ?? emptyRoot
    if (equalBytes(storageRoot, emptyRoot)) return zeroSlot
    const key = this.#slotKey
    key.set(storageRoot)
    key.set(slot, 32)
    const cached = this.#cache.slots.get(key)
    if (cached !== undefined) return cached
    const value = decodeAt({ root: this.root, account: address, slot }, () =>
      this.#values.slot({ slot, hash: keccak256(slot) }, accountKey(address), storageRoot),
    )
    this.#cache.slots.offer(key, value)
    return value
  }

  code(codeHash: Uint8Array): Uint8Array {
    if (equalBytes(codeHash, emptyCodeHash)) return noBytes
    const hex = bytesToHex(codeHash)
    const { codes, codeReads } = this.#cache
    const cached = codes.get(hex)
    if (cached !== undefined) {
      codeReads.hits++
      return cached
    }
    codeReads.misses++
    const stored = this.#codeOf?.(codeHash) ?? readCode(this.#db, codeHash)
    if (stored === undefined) {
      throw new GethReaderError('STATE_UNAVAILABLE', `code ${hex.slice(2)} is not on disk`, {
        root: bytesToHex(this.root),
        key: hex,
      })
    }
    checkHash('code', stored, codeHash)
    const code = Uint8Array.from(stored)
    codes.set(hex, code)
    return code
  }
}

function accountKey(address: Uint8Array): AccountKey {
  return { address, hash: keccak256(address) }
}

function checkLength(name: string, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw new RangeError(`${name}: expected ${length} bytes, got ${bytes.length}`)
}
