// A block header as geth stores it: shape only for now; decode follows core/types/block.go.

/** Block header. Byte fields are copies or views of the decoded record; optional fields follow the header itself, not the chain config. */
export interface Header {
  readonly parentHash: Uint8Array
  readonly unclesHash: Uint8Array
  readonly miner: Uint8Array
  readonly stateRoot: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  readonly logsBloom: Uint8Array
  readonly difficulty: bigint
  readonly number: number
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
  readonly extraData: Uint8Array
  readonly mixHash: Uint8Array
  /** Eight bytes, a string rather than an integer. */
  readonly nonce: Uint8Array
  readonly baseFeePerGas?: bigint
  readonly withdrawalsRoot?: Uint8Array
  readonly blobGasUsed?: bigint
  readonly excessBlobGas?: bigint
  readonly parentBeaconBlockRoot?: Uint8Array
  readonly requestsHash?: Uint8Array
  readonly blockAccessListHash?: Uint8Array
  readonly slotNumber?: bigint
}
