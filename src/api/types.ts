// The public shapes: what viem's public actions return, declared here so that viem is no dependency.
// test/api/viem.test.ts checks that they are assignable to viem's own types and equal to its objects.
import type { Hex } from '../bytes.js'

/**
 * `earliest` is the first block whose body is kept (0 unless history was pruned); `safe` equals `finalized`, since geth
 * stores only that one.
 */
export type BlockTag = 'latest' | 'earliest' | 'safe' | 'finalized'

/** One block by number, hash or tag; none of them means `latest`. */
export type BlockParameters =
  | { readonly blockNumber?: bigint; readonly blockHash?: never; readonly blockTag?: never }
  | { readonly blockHash: Hex; readonly blockNumber?: never; readonly blockTag?: never }
  | { readonly blockTag?: BlockTag; readonly blockNumber?: never; readonly blockHash?: never }

/** Blocks `fromBlock` to `toBlock`, both ends included. */
export interface BlockRangeParameters {
  readonly fromBlock?: bigint | BlockTag
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

/** A mined transaction. Fields that its type has not are absent. */
export interface Transaction {
  blockHash: Hex
  blockNumber: bigint
  /** Seconds since 1970. */
  blockTimestamp: bigint
  from: Hex
  gas: bigint
  /** Effective price for types 2 to 4. */
  gasPrice: bigint
  hash: Hex
  input: Hex
  nonce: number
  r: Hex
  s: Hex
  /** null for contract creation. */
  to: Hex | null
  transactionIndex: number
  type: TransactionTypeName
  typeHex: Hex
  v: bigint
  value: bigint
  accessList?: readonly AccessListItem[]
  authorizationList?: readonly SignedAuthorization[]
  blobVersionedHashes?: readonly Hex[]
  chainId?: number
  maxFeePerBlobGas?: bigint
  maxFeePerGas?: bigint
  maxPriorityFeePerGas?: bigint
  yParity?: number
}

/** A withdrawal from the beacon chain. */
export interface Withdrawal {
  index: Hex
  validatorIndex: Hex
  address: Hex
  /** Gwei. */
  amount: Hex
}

/** A block; `transactions` are hashes unless asked for as objects. */
export interface Block<transactions extends Hex | Transaction = Hex | Transaction> {
  baseFeePerGas: bigint | null
  blobGasUsed?: bigint
  difficulty: bigint
  excessBlobGas?: bigint
  extraData: Hex
  gasLimit: bigint
  gasUsed: bigint
  hash: Hex
  logsBloom: Hex
  miner: Hex
  mixHash: Hex
  nonce: Hex
  number: bigint
  parentBeaconBlockRoot?: Hex
  parentHash: Hex
  receiptsRoot: Hex
  requestsHash?: Hex
  sha3Uncles: Hex
  size: bigint
  stateRoot: Hex
  timestamp: bigint
  /** Sum of the difficulties up to this block; null where it cannot be established. */
  totalDifficulty: bigint | null
  transactions: transactions[]
  transactionsRoot: Hex
  uncles: Hex[]
  withdrawals?: Withdrawal[]
  withdrawalsRoot?: Hex
}

/** A log with its place in the chain. `logIndex` counts within the block. */
export interface Log {
  address: Hex
  blockHash: Hex
  blockNumber: bigint
  /** Seconds since 1970. */
  blockTimestamp: bigint
  data: Hex
  logIndex: number
  removed: false
  topics: [] | [Hex, ...Hex[]]
  transactionHash: Hex
  transactionIndex: number
}

/** A receipt with everything geth derives for it. */
export interface TransactionReceipt {
  blobGasPrice?: bigint
  blobGasUsed?: bigint
  blockHash: Hex
  blockNumber: bigint
  contractAddress: Hex | null
  cumulativeGasUsed: bigint
  effectiveGasPrice: bigint
  from: Hex
  gasUsed: bigint
  logs: Log[]
  logsBloom: Hex
  /** State root after the transaction; before Byzantium only, when `status` is null. */
  root?: Hex
  status: 'success' | 'reverted' | null
  to: Hex | null
  transactionHash: Hex
  transactionIndex: number
  type: TransactionTypeName
}

/**
 * Which logs. Addresses and topic alternatives are any of the given; a null topic is any value, and so is an empty list.
 * Up to four topics.
 */
export interface LogFilterParameters {
  readonly address?: Hex | readonly Hex[]
  readonly topics?: readonly (Hex | readonly Hex[] | null)[]
}

/** Arguments of a call, as viem's `call`. */
export interface CallParameters {
  readonly account?: Hex | { readonly address: Hex }
  readonly to?: Hex | null
  readonly data?: Hex
  readonly gas?: bigint
  readonly gasPrice?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly maxFeePerBlobGas?: bigint
  readonly value?: bigint
  readonly accessList?: readonly AccessListItem[]
  readonly authorizationList?: readonly SignedAuthorization[]
  readonly blobVersionedHashes?: readonly Hex[]
  readonly stateOverride?: readonly StateOverrideEntry[]
  readonly blockOverrides?: BlockOverridesParameters
}

/** A slot with its Merkle proof. */
export interface StorageProof {
  /** 32 bytes as they were given, a shorter one as a quantity. */
  key: Hex
  /** RLP of the nodes from the root of the storage trie on; none where the account has no storage. */
  proof: Hex[]
  value: bigint
}

/** An account with its Merkle proof (EIP-1186). An absent one has zeros for hashes. */
export interface AccountProof {
  address: Hex
  balance: bigint
  codeHash: Hex
  nonce: number
  storageHash: Hex
  /** RLP of the nodes from the state root on. */
  accountProof: Hex[]
  storageProof: StorageProof[]
}

/** Arguments of an access list: those of a call without overrides of the block, and a nonce. */
export interface AccessListParameters extends Omit<CallParameters, 'blockOverrides'> {
  /** Default that of the account. */
  readonly nonce?: number
}

/** What viem's `createAccessList` returns, and why the call fails, where it does. */
export interface CreatedAccessList {
  accessList: AccessListItem[]
  /** Gas of the call with that list. */
  gasUsed: bigint
  error?: string
}

/** viem's StateOverride entry. */
export interface StateOverrideEntry {
  readonly address: Hex
  readonly balance?: bigint
  readonly nonce?: number
  readonly code?: Hex
  readonly state?: readonly { readonly slot: Hex; readonly value: Hex }[]
  readonly stateDiff?: readonly { readonly slot: Hex; readonly value: Hex }[]
}

/** viem's BlockOverrides, without what geth refuses for calls. */
export interface BlockOverridesParameters {
  readonly number?: bigint
  readonly time?: bigint
  readonly difficulty?: bigint
  readonly random?: Hex
  readonly gasLimit?: bigint
  readonly feeRecipient?: Hex
  readonly baseFeePerGas?: bigint
  readonly blobBaseFee?: bigint
}
