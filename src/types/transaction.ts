// A transaction of every type geth stores, in one flat shape.

export interface AccessListEntry {
  readonly address: Uint8Array
  readonly storageKeys: readonly Uint8Array[]
}

/** EIP-7702 authorization tuple as signed. */
export interface Authorization {
  readonly chainId: bigint
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

/** Transaction types by their EIP-2718 byte. */
export type TransactionType = 0 | 1 | 2 | 3 | 4

/** A decoded transaction. A field is absent where its type has none. */
export interface Transaction {
  readonly type: TransactionType
  readonly hash: Uint8Array
  readonly nonce: bigint
  /** Types 0 and 1. */
  readonly gasPrice?: bigint
  /** Types 2 to 4. */
  readonly maxPriorityFeePerGas?: bigint
  readonly maxFeePerGas?: bigint
  readonly gas: bigint
  /** Absent for contract creation. */
  readonly to?: Uint8Array
  readonly value: bigint
  readonly input: Uint8Array
  /** Types 1 to 4, and replay-protected legacy transactions, where it comes from v. */
  readonly chainId?: bigint
  readonly accessList?: readonly AccessListEntry[]
  readonly maxFeePerBlobGas?: bigint
  readonly blobVersionedHashes?: readonly Uint8Array[]
  readonly authorizationList?: readonly Authorization[]
  /** As stored: 27/28 or EIP-155 form for legacy, the parity 0/1 for typed transactions. */
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
}
