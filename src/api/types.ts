// The public shapes: what viem's public actions return, declared here so that viem is no dependency.
// test/api/viem.test.ts checks that they are assignable to viem's own types and equal to its objects.
import type { Hex } from '../bytes.js'

/**
 * `latest` is the head. `earliest` is the first block whose body is on disk (0 unless history was pruned). `safe` equals
 * `finalized`, the only one of the two that geth stores.
 */
export type BlockTag = 'latest' | 'earliest' | 'safe' | 'finalized'

/** One block by number, hash or tag; `latest` if none is given. */
export type BlockParameters =
  | { readonly blockNumber?: bigint; readonly blockHash?: never; readonly blockTag?: never }
  | { readonly blockHash: Hex; readonly blockNumber?: never; readonly blockTag?: never }
  | { readonly blockTag?: BlockTag; readonly blockNumber?: never; readonly blockHash?: never }

/** Blocks `fromBlock` to `toBlock`, both ends included. A scan defaults to `earliest` and `latest`. */
export interface BlockRangeParameters {
  /** First block of the range. */
  readonly fromBlock?: bigint | BlockTag
  /** Last block of the range. */
  readonly toBlock?: bigint | BlockTag
}

/** One address of an access list with its storage slots. */
export interface AccessListItem {
  readonly address: Hex
  readonly storageKeys: readonly Hex[]
}

/** One entry of a set-code transaction (EIP-7702). */
export interface SignedAuthorization {
  readonly address: Hex
  readonly chainId: number
  readonly nonce: number
  readonly r: Hex
  readonly s: Hex
  readonly yParity: number
}

/** Transaction types 0 to 4 under viem's names. */
export type TransactionTypeName = 'legacy' | 'eip2930' | 'eip1559' | 'eip4844' | 'eip7702'

/** A mined transaction. Members that its type does not have are absent. */
export interface Transaction {
  blockHash: Hex
  blockNumber: bigint
  /** Seconds since 1970. */
  blockTimestamp: bigint
  from: Hex
  /** Gas limit. */
  gas: bigint
  /** In wei; the effective price for types 2 to 4. */
  gasPrice: bigint
  hash: Hex
  /** Input of the call, or init code. */
  input: Hex
  nonce: number
  r: Hex
  s: Hex
  /** null for a contract creation. */
  to: Hex | null
  /** Position in the block, from 0. */
  transactionIndex: number
  type: TransactionTypeName
  typeHex: Hex
  v: bigint
  /** In wei. */
  value: bigint
  accessList?: readonly AccessListItem[]
  authorizationList?: readonly SignedAuthorization[]
  blobVersionedHashes?: readonly Hex[]
  chainId?: number
  /** In wei. */
  maxFeePerBlobGas?: bigint
  /** In wei. */
  maxFeePerGas?: bigint
  /** In wei. */
  maxPriorityFeePerGas?: bigint
  yParity?: number
}

/** A withdrawal from the beacon chain. */
export interface Withdrawal {
  /** Number of the withdrawal since the first one. */
  index: Hex
  validatorIndex: Hex
  address: Hex
  /** Gwei. */
  amount: Hex
}

/** The header of a block. */
export interface BlockHeader {
  /** In wei; null before London. */
  baseFeePerGas: bigint | null
  blobGasUsed?: bigint
  difficulty: bigint
  /** What the price of blob gas is computed from. */
  excessBlobGas?: bigint
  extraData: Hex
  gasLimit: bigint
  gasUsed: bigint
  hash: Hex
  logsBloom: Hex
  /** The receiver of fees. */
  miner: Hex
  /** Since the merge the random value of the beacon chain. */
  mixHash: Hex
  /** Of proof of work, 8 bytes. */
  nonce: Hex
  number: bigint
  parentBeaconBlockRoot?: Hex
  parentHash: Hex
  receiptsRoot: Hex
  requestsHash?: Hex
  sha3Uncles: Hex
  stateRoot: Hex
  /** Seconds since 1970. */
  timestamp: bigint
  transactionsRoot: Hex
  withdrawalsRoot?: Hex
}

/** A block, with transaction hashes, or with objects if `includeTransactions` is set. */
export interface Block<transactions extends Hex | Transaction = Hex | Transaction> extends BlockHeader {
  /** Bytes of the RLP of the block. */
  size: bigint
  /** Sum of the difficulties up to this block; null if the directory does not have it. */
  totalDifficulty: bigint | null
  transactions: transactions[]
  uncles: Hex[]
  withdrawals?: Withdrawal[]
}

/** Fees of consecutive blocks. The lists of fees have one entry more, for the block after the last one. */
export interface FeeHistory {
  /** In wei; zero before London. */
  baseFeePerGas: bigint[]
  /** In wei; zero before Cancun. */
  baseFeePerBlobGas: bigint[]
  /** Gas used, as a share of the gas limit. */
  gasUsedRatio: number[]
  /** Blob gas used, as a share of its limit. */
  blobGasUsedRatio: number[]
  /** Number of the first block. */
  oldestBlock: bigint
  /** Tips of each block at the percentiles, in wei; absent if none are asked for. */
  reward?: bigint[][]
}

/** A log with its place in the chain. `logIndex` is its index in the block. */
export interface Log {
  address: Hex
  blockHash: Hex
  blockNumber: bigint
  /** Seconds since 1970. */
  blockTimestamp: bigint
  data: Hex
  /** Position in the block, from 0. */
  logIndex: number
  /** Never true: what is read is canonical. */
  removed: false
  /** 0 to 4 of them. */
  topics: [] | [Hex, ...Hex[]]
  transactionHash: Hex
  transactionIndex: number
}

/** A receipt with all members that geth derives for it. */
export interface TransactionReceipt {
  /** In wei. */
  blobGasPrice?: bigint
  blobGasUsed?: bigint
  blockHash: Hex
  blockNumber: bigint
  /** The created contract; null for other transactions. */
  contractAddress: Hex | null
  /** Gas of the block up to and including this transaction. */
  cumulativeGasUsed: bigint
  /** In wei. */
  effectiveGasPrice: bigint
  from: Hex
  /** By this transaction. */
  gasUsed: bigint
  logs: Log[]
  logsBloom: Hex
  /** State root after the transaction; only before Byzantium, when `status` is null. */
  root?: Hex
  /** null before Byzantium. */
  status: 'success' | 'reverted' | null
  to: Hex | null
  transactionHash: Hex
  transactionIndex: number
  type: TransactionTypeName
}

/**
 * Which logs. A log matches one of the addresses, and at each position of `topics` (up to four) one of the values there.
 * null and an empty list match any value.
 */
export interface LogFilterParameters {
  /** One contract or any of several; default any. */
  readonly address?: Hex | readonly Hex[]
  /** For each position a topic, alternatives, or null for any; default any. */
  readonly topics?: readonly (Hex | readonly Hex[] | null)[]
}

/** Arguments of a call, as for viem's `call`. */
export interface CallParameters {
  /** The sender; default the zero address. */
  readonly account?: Hex | { readonly address: Hex }
  /** What is called; null or absent for a creation. */
  readonly to?: Hex | null
  /** Input of the call, or init code. */
  readonly data?: Hex
  /** Gas limit; default the gas cap of the options. */
  readonly gas?: bigint
  /** In wei; default 0, with which no base fee is charged. */
  readonly gasPrice?: bigint
  /** In wei. */
  readonly maxFeePerGas?: bigint
  /** In wei. */
  readonly maxPriorityFeePerGas?: bigint
  /** In wei. */
  readonly maxFeePerBlobGas?: bigint
  /** In wei. */
  readonly value?: bigint
  readonly accessList?: readonly AccessListItem[]
  readonly authorizationList?: readonly SignedAuthorization[]
  readonly blobVersionedHashes?: readonly Hex[]
  /** Accounts that are different for this call. */
  readonly stateOverride?: readonly StateOverrideEntry[]
  /** Members of the block that are different for this call. */
  readonly blockOverrides?: BlockOverridesParameters
}

/** A slot with its Merkle proof. */
export interface StorageProof {
  /** The key of the request: 32 bytes unchanged, a shorter key as a quantity. */
  key: Hex
  /** RLP of the nodes from the root of the storage trie down; none if the account has no storage. */
  proof: Hex[]
  /** Zero if the slot is not set. */
  value: bigint
}

/** An account with its Merkle proof (EIP-1186). An absent account has zeros as hashes. */
export interface AccountProof {
  address: Hex
  /** In wei. */
  balance: bigint
  codeHash: Hex
  nonce: number
  storageHash: Hex
  /** RLP of the nodes from the state root down. */
  accountProof: Hex[]
  storageProof: StorageProof[]
}

/** Arguments of `createAccessList`: those of a call, without block overrides and with a nonce. */
export interface AccessListParameters extends Omit<CallParameters, 'blockOverrides'> {
  /** Default: the nonce of the account. */
  readonly nonce?: number
}

/** What viem's `createAccessList` returns, and why the call fails if it does. */
export interface CreatedAccessList {
  /** Accounts and slots, in the order of geth. */
  accessList: AccessListItem[]
  /** Gas of the call with that list. */
  gasUsed: bigint
  /** Why the call fails; absent if it does not. */
  error?: string
}

/** State of one account for a call, as an entry of viem's StateOverride. */
export interface StateOverrideEntry {
  readonly address: Hex
  /** In wei. */
  readonly balance?: bigint
  readonly nonce?: number
  readonly code?: Hex
  /** Replaces all storage of the account. */
  readonly state?: readonly { readonly slot: Hex; readonly value: Hex }[]
  /** Replaces only these slots. */
  readonly stateDiff?: readonly { readonly slot: Hex; readonly value: Hex }[]
}

/** Members of the block in which a call runs, as viem's BlockOverrides without those that geth refuses for calls. */
export interface BlockOverridesParameters {
  readonly number?: bigint
  /** Seconds since 1970. */
  readonly time?: bigint
  readonly difficulty?: bigint
  /** The value of PREVRANDAO. */
  readonly random?: Hex
  readonly gasLimit?: bigint
  /** The value of COINBASE. */
  readonly feeRecipient?: Hex
  /** In wei. */
  readonly baseFeePerGas?: bigint
  /** In wei. */
  readonly blobBaseFee?: bigint
}

/** A transaction by its hash, or by its block and its index from 0. */
export type TransactionPlace = { readonly hash: Hex } | (BlockParameters & { readonly index: number })
