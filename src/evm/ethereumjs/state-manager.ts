// The state of a call for EthereumJS: accounts, code and storage in maps that are copied at checkpoints, over an overlay
// that is only read. It does not use the overlay's journal, so that tests can compare the two.
import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import { Account, type Address, unpadBytes } from '@ethereumjs/util'
import { bytesToHex, concatBytes } from '../../bytes.js'
import { keccak256 } from '../../kernel/keccak.js'
import type { StateOverlay } from '../overlay/state-overlay.js'
import { wordBytes, wordLength } from '../overlay/word-table.js'

/** What the call changed; keys are hex. A deleted account is undefined. */
interface Changes {
  readonly accounts: Map<string, Account | undefined>
  readonly codes: Map<string, Uint8Array>
  /** By address, then slot; a value of no bytes is zero. */
  readonly storage: Map<string, Map<string, Uint8Array>>
}

const emptyStorageRoot = keccak256(Uint8Array.of(0x80))

export class CallStateManager implements StateManagerInterface {
  readonly originalStorageCache = {
    get: async (address: Address, key: Uint8Array) => this.#originalStorage(address, key),
    clear() {},
  }
  readonly #overlay: StateOverlay
  #changes: Changes = { accounts: new Map(), codes: new Map(), storage: new Map() }
  readonly #checkpoints: Changes[] = []

  constructor(overlay: StateOverlay) {
    this.#overlay = overlay
  }

  /** The changes of the call. */
  get changes(): Changes {
    return this.#changes
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const key = bytesToHex(address.bytes)
    if (this.#changes.accounts.has(key)) {
      const changed = this.#changes.accounts.get(key)
      return changed && copyAccount(changed)
    }
    const { exists, nonce, balance, codeHash } = this.#overlay.account(address.bytes)
    return exists ? new Account(nonce, balance, emptyStorageRoot, codeHash) : undefined
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    this.#changes.accounts.set(bytesToHex(address.bytes), account && copyAccount(account))
  }

  async deleteAccount(address: Address): Promise<void> {
    const key = bytesToHex(address.bytes)
    this.#changes.accounts.set(key, undefined)
    this.#changes.codes.set(key, new Uint8Array())
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const account = (await this.getAccount(address)) ?? new Account()
    account.nonce = fields.nonce ?? account.nonce
    account.balance = fields.balance ?? account.balance
    account.storageRoot = fields.storageRoot ?? account.storageRoot
    account.codeHash = fields.codeHash ?? account.codeHash
    await this.putAccount(address, account)
  }

  async putCode(address: Address, value: Uint8Array): Promise<void> {
    this.#changes.codes.set(bytesToHex(address.bytes), value)
    await this.modifyAccountFields(address, { codeHash: keccak256(value) })
  }

  async getCode(address: Address): Promise<Uint8Array> {
    const changed = this.#changes.codes.get(bytesToHex(address.bytes))
    return changed ?? this.#overlay.code(this.#overlay.account(address.bytes))
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length
  }

  async getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    const changed = this.#changes.storage.get(bytesToHex(address.bytes))?.get(bytesToHex(key))
    return changed ?? this.#originalStorage(address, key)
  }

  async putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    const account = bytesToHex(address.bytes)
    const slots = this.#changes.storage.get(account) ?? new Map<string, Uint8Array>()
    slots.set(bytesToHex(key), unpadBytes(value))
    this.#changes.storage.set(account, slots)
  }

  async clearStorage(address: Address): Promise<void> {
    // The address of a new contract had no storage before, and writes of the call itself are reverted with its frame.
    this.#changes.storage.delete(bytesToHex(address.bytes))
  }

  async checkpoint(): Promise<void> {
    const { accounts, codes, storage } = this.#changes
    this.#checkpoints.push({
      accounts: new Map(accounts),
      codes: new Map(codes),
      storage: new Map([...storage].map(([address, slots]) => [address, new Map(slots)])),
    })
  }

  async commit(): Promise<void> {
    this.#checkpoints.pop()
  }

  async revert(): Promise<void> {
    this.#changes = this.#checkpoints.pop() ?? this.#changes
  }

  async getStateRoot(): Promise<Uint8Array> {
    throw new RangeError('a call has no state root')
  }

  async setStateRoot(): Promise<void> {
    throw new RangeError('a call has no state root')
  }

  async hasStateRoot(): Promise<boolean> {
    return false
  }

  clearCaches(): void {}

  shallowCopy(): StateManagerInterface {
    return new CallStateManager(this.#overlay)
  }

  #originalStorage(address: Address, key: Uint8Array): Uint8Array {
    const account = this.#overlay.account(address.bytes)
    const slot = this.#overlay.slot(account, padded(key))
    this.#overlay.loadSlot(slot)
    return unpadBytes(wordBytes(this.#overlay.slotValues, slot * wordLength))
  }
}

function copyAccount({ nonce, balance, storageRoot, codeHash }: Account): Account {
  return new Account(nonce, balance, storageRoot, codeHash)
}

function padded(key: Uint8Array): Uint8Array {
  return key.length === 32 ? key : concatBytes(new Uint8Array(32 - key.length), key)
}
