// One account of the state overlay: what a call sees of it, and what the overlay alone knows.

/** One address that the call has used, whose account may not have been read. */
export interface OverlayAddress {
  readonly index: number
  /** 20 bytes. */
  readonly address: Uint8Array
  /** Whether it is in the access list. */
  readonly warm: boolean
}

/** One account that the call has read. Only the overlay may change it, as that writes the journal. */
export interface OverlayAccount extends OverlayAddress {
  /** Whether the account exists; if not, the other fields are those of an empty account. */
  readonly exists: boolean
  readonly nonce: bigint
  readonly balance: bigint
  /** 32 bytes. */
  readonly codeHash: Uint8Array
  /** Created as a contract by this call (EIP-6780). */
  readonly created: boolean
  readonly selfDestructed: boolean
  /** Whether the storage from before is hidden, as by overrides. */
  readonly storageReplaced: boolean
  /** Changed or touched: an empty account is deleted at the end of its transaction only if it was. */
  readonly touched: boolean
}

/** An account with what only the overlay sees. */
export type MutableAccount = { -readonly [field in keyof OverlayAccount]: OverlayAccount[field] } & {
  /** Code that the call itself set. Code of the state is not stored here, as a call can read much of it. */
  code: Uint8Array | undefined
  /** Whether slots are read from the state: not for new accounts, nor if all storage was replaced. */
  hasStoredSlots: boolean
  /** Whether `touched` stays true when the change that set it is reverted: see {@link ripemd160Address}. */
  touchOutlivesRevert: boolean
}

/**
 * The precompile RIPEMD160. A touch of it counts even if its frame reverts: a client did so on the main network (block
 * 2,675,119), and it became a rule. See ripemdMagic in geth's core/state/journal.go.
 */
export const ripemd160Address = 3

/** Code hash of an address that is known but whose account was not read. */
export const notLoaded = new Uint8Array()

/** An address whose account is not read yet. */
export function unreadAccount(index: number, address: Uint8Array, warm: boolean): MutableAccount {
  return {
    index,
    address,
    warm,
    exists: false,
    nonce: 0n,
    balance: 0n,
    codeHash: notLoaded,
    created: false,
    selfDestructed: false,
    touched: false,
    storageReplaced: false,
    code: undefined,
    hasStoredSlots: false,
    touchOutlivesRevert: false,
  }
}

/** An address as a number; -1 if it is not below 2^32. */
export function smallAddress(address: Uint8Array): number {
  for (let i = 0; i < 16; i++) if (address[i] !== 0) return -1
  return ((address[16]! << 24) | (address[17]! << 16) | (address[18]! << 8) | address[19]!) >>> 0
}
