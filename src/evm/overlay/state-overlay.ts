// Accounts, storage and logs as one call changes them, over a StateReader that does not change. Follows
// core/state/statedb.go and journal.go, without what only a block or a commit needs.
import { equalBytes } from '../../bytes.js'
import { emptyCodeHash, noBytes } from '../../constants.js'
import { keccak256 } from '../../kernel/keccak.js'
import type { StateReader } from '../../state/state-source.js'
import type { StoredLog } from '../../types/receipt.js'
import { copyWord, type JournaledWords } from './journaled-words.js'
import {
  type MutableAccount,
  notLoaded,
  type OverlayAccount,
  type OverlayAddress,
  ripemd160Address,
  smallAddress,
  unreadAccount,
} from './overlay-account.js'
import { OverlayBuffers, slotLoaded, slotWarm } from './overlay-buffers.js'
import { changedSlots, loadedSlots, type OverlaySlot } from './overlay-slots.js'
import { type WordTable, wordBytes, wordLength } from './word-table.js'

/** A state of the overlay that {@link StateOverlay.revertTo} restores. */
export interface Checkpoint {
  readonly undo: number
  readonly storage: number
  readonly transient: number
  readonly logs: number
  readonly refund: number
}

export class StateOverlay {
  /** Logs in order of emission. */
  readonly logs: StoredLog[] = []
  /** Gas to be refunded at the end. */
  refund = 0
  readonly #reader: StateReader
  readonly #onCode: StateReader['onCode']
  readonly #buffers: OverlayBuffers
  readonly #addresses: WordTable
  readonly #accounts: MutableAccount[] = []
  readonly #undo: (() => void)[] = []
  readonly #storage: JournaledWords
  readonly #transient: JournaledWords
  #isInitiallyWarm: (smallAddress: number) => boolean = () => false
  readonly #key: Uint32Array
  readonly #keyBytes: Uint8Array

  /** Clears the buffers. No other overlay may use them while this one is in use. */
  constructor(reader: StateReader, buffers = new OverlayBuffers()) {
    buffers.clear()
    this.#reader = reader
    this.#onCode = reader.onCode
    this.#buffers = buffers
    this.#addresses = buffers.addresses
    this.#storage = buffers.storage
    this.#transient = buffers.transient
    this.#key = buffers.key
    this.#keyBytes = buffers.keyBytes
  }

  /** The account at a 20-byte address, existing or not. */
  account(address: Uint8Array): OverlayAccount {
    this.#keyBytes.set(address, 12)
    return this.accountAt(this.#key, 0)
  }

  /** The account whose address is in the last 20 bytes of the big-endian word at `words[at]`. The rest is cleared. */
  accountAt(words: Uint32Array, at: number): OverlayAccount {
    return this.#load(this.#entryAt(words, at))
  }

  /** As {@link accountAt}, but reads nothing: the account is read when the call has paid for that. */
  addressAt(words: Uint32Array, at: number): OverlayAddress {
    return this.#entryAt(words, at)
  }

  /** The account of an address, which is read if it was not before. */
  read(address: OverlayAddress): OverlayAccount {
    // Every address of an overlay is the entry itself; a look into the list of accounts took a tenth of a nested call.
    const entry = address as MutableAccount
    return entry.codeHash === notLoaded ? this.#load(entry) : entry
  }

  /** All accounts that the call has used. */
  accounts(): readonly OverlayAccount[] {
    return this.#accounts.filter((account) => account.codeHash !== notLoaded)
  }

  /** Code of an account; the bytes must not be changed. */
  code(account: OverlayAccount): Uint8Array {
    const { code, codeHash } = this.#accounts[account.index]!
    if (code !== undefined) return code
    return codeHash === emptyCodeHash ? noBytes : this.#reader.code(codeHash)
  }

  /** As {@link code}, for the rules: who asked for the codes that a transaction uses receives it. */
  usedCode(account: OverlayAccount): Uint8Array {
    const code = this.code(account)
    this.#onCode?.(code)
    return code
  }

  /** Says that a transaction uses the code of an account, which is at hand already. */
  useCode(account: OverlayAccount): void {
    if (this.#onCode !== undefined) this.#onCode(this.code(account))
  }

  /** No nonce, no balance, no code (EIP-161). An account that does not exist is empty. */
  isEmpty(account: OverlayAccount): boolean {
    return account.nonce === 0n && account.balance === 0n && account.codeHash === emptyCodeHash
  }

  /** Creates an account, which must not exist. */
  create(account: OverlayAccount): void {
    const entry = this.#accounts[account.index]!
    this.#touch(entry)
    this.#undo.push(() => {
      entry.exists = false
    })
    entry.exists = true
  }

  /** Adds to a balance; by zero it only touches an empty account. Creates the account. */
  addBalance(account: OverlayAccount, amount: bigint): void {
    const entry = this.#existing(account)
    if (amount !== 0n) this.#setBalance(entry, BigInt.asUintN(256, entry.balance + amount))
    else if (this.isEmpty(entry)) {
      this.#touch(entry)
      if (smallAddress(entry.address) === ripemd160Address) entry.touchOutlivesRevert = true
    }
  }

  /** Subtracts from a balance, which must suffice. Creates the account. */
  subtractBalance(account: OverlayAccount, amount: bigint): void {
    const entry = this.#existing(account)
    if (amount !== 0n) this.#setBalance(entry, BigInt.asUintN(256, entry.balance - amount))
  }

  setBalance(account: OverlayAccount, balance: bigint): void {
    this.#setBalance(this.#existing(account), balance)
  }

  setNonce(account: OverlayAccount, nonce: bigint): void {
    const entry = this.#existing(account)
    const { nonce: previous } = entry
    this.#touch(entry)
    this.#undo.push(() => {
      entry.nonce = previous
    })
    entry.nonce = nonce
  }

  setCode(account: OverlayAccount, code: Uint8Array): void {
    const entry = this.#existing(account)
    const { code: previousCode, codeHash: previousHash } = entry
    this.#touch(entry)
    this.#undo.push(() => {
      entry.code = previousCode
      entry.codeHash = previousHash
    })
    entry.code = code
    entry.codeHash = code.length === 0 ? emptyCodeHash : keccak256(code)
  }

  /** Marks an account as a contract created by this call. */
  markCreated(account: OverlayAccount): void {
    const entry = this.#accounts[account.index]!
    if (entry.created) return
    this.#undo.push(() => {
      entry.created = false
    })
    entry.created = true
  }

  /** Marks an account for deletion at the end of the transaction. */
  selfDestruct(account: OverlayAccount): void {
    const entry = this.#accounts[account.index]!
    if (entry.selfDestructed) return
    this.#touch(entry)
    this.#undo.push(() => {
      entry.selfDestructed = false
    })
    entry.selfDestructed = true
  }

  /** Whether an account is in the access list. */
  isWarm({ index }: OverlayAddress): boolean {
    return this.#accounts[index]!.warm
  }

  /** Adds an account to the access list; false if it was there already. */
  warmAddress({ index }: OverlayAddress): boolean {
    return this.#warm(this.#accounts[index]!)
  }

  /** As {@link warmAddress} for a 20-byte address; reads nothing. */
  warmAddressBytes(address: Uint8Array): boolean {
    this.#keyBytes.set(address, 12)
    return this.#warm(this.#entryAt(this.#key, 0))
  }

  /** Index of a storage slot, which methods take as `slot`. */
  slot(account: OverlayAccount, key: Uint8Array): number {
    this.#keyBytes.set(key)
    return this.slotAt(account, this.#key, 0)
  }

  /** As {@link slot} for the big-endian word at `words[at]`. */
  slotAt(account: OverlayAccount, words: Uint32Array, at: number): number {
    const known = this.#storage.table.size
    const slot = this.#storage.findOrAdd(account.index, words, at)
    if (slot === known) this.#buffers.addSlot(slot)
    return slot
  }

  /** Reads a slot from the state if it was not read before. Its values are available afterwards. */
  loadSlot(slot: number): void {
    if ((this.#buffers.slotFlags[slot]! & slotLoaded) !== 0) return
    this.#buffers.slotFlags[slot]! |= slotLoaded
    const account = this.#accounts[this.#storage.table.owner(slot)]!
    if (!account.hasStoredSlots) return
    this.#keyBytes.set(this.#reader.storage(account.address, this.#storage.table.wordBytes(slot)))
    copyWord(this.#storage.values, slot * wordLength, this.#key, 0)
    copyWord(this.#buffers.slotOriginals, slot * wordLength, this.#key, 0)
  }

  /** A copy of the current value of a slot, 32 bytes. */
  slotValue(account: OverlayAccount, key: Uint8Array): Uint8Array {
    const slot = this.slot(account, key)
    this.loadSlot(slot)
    return wordBytes(this.#storage.values, slot * wordLength)
  }

  /** Current values of loaded slots, 8 elements each. A new array replaces it when slots are loaded. */
  get slotValues(): Uint32Array {
    return this.#storage.values
  }

  /** Values of loaded slots before the transaction, 8 elements each. A new array replaces it when slots are loaded. */
  get slotOriginals(): Uint32Array {
    return this.#buffers.slotOriginals
  }

  /** Sets a loaded slot to the word at `words[at]`. */
  setSlot(account: OverlayAccount, slot: number, words: Uint32Array, at: number): void {
    this.#touch(this.#existing(account))
    this.#storage.write(slot, words, at)
  }

  /** Adds a slot to the access list; false if it was there already. */
  warmSlot(slot: number): boolean {
    if ((this.#buffers.slotFlags[slot]! & slotWarm) !== 0) return false
    this.#undo.push(() => {
      this.#buffers.slotFlags[slot]! &= ~slotWarm
    })
    this.#buffers.slotFlags[slot]! |= slotWarm
    return true
  }

  /** As {@link warmSlot} for the 32-byte key of a slot of a 20-byte address; reads nothing. */
  warmSlotBytes(address: Uint8Array, key: Uint8Array): boolean {
    this.#keyBytes.set(address, 12)
    return this.warmSlot(this.slot(this.#entryAt(this.#key, 0), key))
  }

  /** All slots whose value is not that from before the transaction. */
  changedSlots(): Iterable<OverlaySlot> {
    return changedSlots(this.#buffers, this.#accounts)
  }

  /** All slots that were read or written, also in frames that were reverted. */
  loadedSlots(): Iterable<OverlaySlot> {
    return loadedSlots(this.#buffers, this.#accounts)
  }

  /** Hides the storage that an account has in the state. Creates the account. */
  replaceStorage(account: OverlayAccount): void {
    const entry = this.#existing(account)
    entry.hasStoredSlots = false
    entry.storageReplaced = true
  }

  /** Index of a transient slot for {@link transientValues} and {@link setTransient}. */
  transientAt(account: OverlayAccount, words: Uint32Array, at: number): number {
    return this.#transient.findOrAdd(account.index, words, at)
  }

  /** Values of all transient slots, 8 elements each. A new array replaces it when slots are added. */
  get transientValues(): Uint32Array {
    return this.#transient.values
  }

  setTransient(slot: number, words: Uint32Array, at: number): void {
    this.#transient.write(slot, words, at)
  }

  checkpoint(): Checkpoint {
    return {
      undo: this.#undo.length,
      storage: this.#storage.checkpoint(),
      transient: this.#transient.checkpoint(),
      logs: this.logs.length,
      refund: this.refund,
    }
  }

  /** Reverts all changes since the checkpoint, including those of the access list. */
  revertTo(checkpoint: Checkpoint): void {
    while (this.#undo.length > checkpoint.undo) this.#undo.pop()!()
    this.#storage.revertTo(checkpoint.storage)
    this.#transient.revertTo(checkpoint.transient)
    this.logs.length = checkpoint.logs
    this.refund = checkpoint.refund
  }

  /** Keeps all changes so far: nothing reverts them. What would takes 300 bytes for an account with another balance. */
  keepChanges(): void {
    this.#undo.length = 0
  }

  /** Makes the current state the one from which the transaction starts. */
  startTransaction(): void {
    this.#buffers.slotOriginals.set(this.#storage.values.subarray(0, this.#storage.table.size * wordLength))
    for (const account of this.#accounts) {
      account.touched = false
      account.touchOutlivesRevert = false
    }
    this.keepChanges()
  }

  /**
   * Starts the access list. `isInitiallyWarm` says which addresses below 2^32 are in it from the start: the
   * precompiles, which would take longer to add one by one.
   */
  startAccessList(isInitiallyWarm: (smallAddress: number) => boolean): void {
    this.#isInitiallyWarm = isInitiallyWarm
    for (const account of this.#accounts) account.warm = isInitiallyWarm(smallAddress(account.address))
  }

  /** Of the word at `words[at]`, whose first 12 bytes are cleared. */
  #entryAt(words: Uint32Array, at: number): MutableAccount {
    words[at] = 0
    words[at + 1] = 0
    words[at + 2] = 0
    const index = this.#addresses.findOrAdd(0, words, at)
    const known = this.#accounts[index]
    if (known !== undefined) return known
    const address = this.#addresses.wordBytes(index, 12)
    const warm = this.#isInitiallyWarm(smallAddress(address))
    const entry = unreadAccount(index, address, warm)
    this.#accounts.push(entry)
    return entry
  }

  #load(entry: MutableAccount): MutableAccount {
    if (entry.codeHash !== notLoaded) return entry
    const stored = this.#reader.account(entry.address)
    entry.codeHash = emptyCodeHash
    if (stored === undefined) return entry
    entry.exists = true
    entry.hasStoredSlots = true
    entry.nonce = stored.nonce
    entry.balance = stored.balance
    // One object for the hash of no code, so that emptiness is a comparison of references.
    if (!equalBytes(stored.codeHash, emptyCodeHash)) entry.codeHash = stored.codeHash
    return entry
  }

  #existing(account: OverlayAccount): MutableAccount {
    const entry = this.#accounts[account.index]!
    if (!entry.exists) this.create(entry)
    return entry
  }

  #setBalance(entry: MutableAccount, balance: bigint): void {
    const { balance: previous } = entry
    this.#touch(entry)
    this.#undo.push(() => {
      entry.balance = previous
    })
    entry.balance = balance
  }

  #touch(entry: MutableAccount): void {
    if (entry.touched) return
    this.#undo.push(() => {
      entry.touched = entry.touchOutlivesRevert
    })
    entry.touched = true
  }

  #warm(entry: MutableAccount): boolean {
    if (entry.warm) return false
    this.#undo.push(() => {
      entry.warm = false
    })
    entry.warm = true
    return true
  }
}
