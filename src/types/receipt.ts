// Receipts and logs: what geth stores, and what it derives from the block around them.

/** The three stored parts of a log. */
export interface StoredLog {
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

/** A receipt as stored since geth 1.9: outcome, cumulative gas, logs. */
export interface StoredReceipt {
  /** 0 failed, 1 succeeded; absent before Byzantium, where `root` is the state after the transaction. */
  readonly status?: 0 | 1
  readonly root?: Uint8Array
  readonly cumulativeGasUsed: bigint
  readonly logs: readonly StoredLog[]
}

/** A log with its place in the chain. */
export interface Log extends StoredLog {
  readonly blockNumber: number
  readonly blockHash: Uint8Array
  readonly blockTimestamp: bigint
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
  /** Counts through the whole block. */
  readonly logIndex: number
}

/** A receipt with every derived field. */
export interface Receipt extends Omit<StoredReceipt, 'logs'> {
  readonly type: number
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
  readonly blockNumber: number
  readonly blockHash: Uint8Array
  readonly from: Uint8Array
  readonly to?: Uint8Array
  readonly contractAddress?: Uint8Array
  readonly gasUsed: bigint
  readonly effectiveGasPrice: bigint
  readonly blobGasUsed?: bigint
  readonly blobGasPrice?: bigint
  readonly logsBloom: Uint8Array
  readonly logs: readonly Log[]
}
