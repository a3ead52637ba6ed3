// Converts internal types to viem's shapes, field by field as viem's formatters do.
import { bytesToBigInt, bytesToHex, type Hex, quantity } from '../bytes.js'
import type { Block as ChainBlock } from '../chain/block.js'
import type { AccessListResult } from '../evm/engine.js'
import type { StateProof } from '../state/state-proof.js'
import { effectiveGasPrice } from '../types/derived-receipt.js'
import type { Header } from '../types/header.js'
import type * as internal from '../types/receipt.js'
import type { Transaction as InternalTransaction } from '../types/transaction.js'
import type {
  AccountProof,
  Block,
  BlockHeader,
  CreatedAccessList,
  Log,
  Transaction,
  TransactionReceipt,
  TransactionTypeName,
} from './types.js'

const typeNames: readonly TransactionTypeName[] = ['legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702']

/** A header. */
export function toHeader(header: Header, hash: Uint8Array): BlockHeader {
  return {
    baseFeePerGas: header.baseFeePerGas ?? null,
    ...(header.blobGasUsed !== undefined && { blobGasUsed: header.blobGasUsed }),
    difficulty: header.difficulty,
    ...(header.excessBlobGas !== undefined && { excessBlobGas: header.excessBlobGas }),
    extraData: bytesToHex(header.extraData),
    gasLimit: header.gasLimit,
    gasUsed: header.gasUsed,
    hash: bytesToHex(hash),
    logsBloom: bytesToHex(header.logsBloom),
    miner: bytesToHex(header.miner),
    mixHash: bytesToHex(header.mixHash),
    nonce: bytesToHex(header.nonce),
    number: BigInt(header.number),
    ...(header.parentBeaconBlockRoot && { parentBeaconBlockRoot: bytesToHex(header.parentBeaconBlockRoot) }),
    parentHash: bytesToHex(header.parentHash),
    receiptsRoot: bytesToHex(header.receiptsRoot),
    ...(header.requestsHash && { requestsHash: bytesToHex(header.requestsHash) }),
    sha3Uncles: bytesToHex(header.unclesHash),
    stateRoot: bytesToHex(header.stateRoot),
    timestamp: header.timestamp,
    transactionsRoot: bytesToHex(header.transactionsRoot),
    ...(header.withdrawalsRoot && { withdrawalsRoot: bytesToHex(header.withdrawalsRoot) }),
  }
}

/** A block with its transactions as hashes or objects. */
export function toBlock<T extends Hex | Transaction>(block: ChainBlock, transactions: T[]): Block<T> {
  const { header, hash, withdrawals } = block
  return {
    ...toHeader(header, hash),
    size: BigInt(block.size),
    totalDifficulty: block.totalDifficulty ?? null,
    transactions,
    uncles: block.uncleHashes.map(bytesToHex),
    ...(withdrawals && {
      withdrawals: withdrawals.map((withdrawal) => ({
        index: quantity(withdrawal.index),
        validatorIndex: quantity(withdrawal.validatorIndex),
        address: bytesToHex(withdrawal.address),
        amount: quantity(withdrawal.amount),
      })),
    }),
  }
}

/** A transaction of a block, with the gas price that it paid there. */
export function toTransaction(
  transaction: InternalTransaction,
  place: {
    from: Uint8Array
    index: number
    header: Header
    blockHash: Uint8Array
  },
): Transaction {
  const typed = transaction.type !== 0
  return {
    blockHash: bytesToHex(place.blockHash),
    blockNumber: BigInt(place.header.number),
    blockTimestamp: place.header.timestamp,
    from: bytesToHex(place.from),
    gas: transaction.gas,
    gasPrice: effectiveGasPrice(transaction, place.header.baseFeePerGas),
    hash: bytesToHex(transaction.hash),
    input: bytesToHex(transaction.input),
    nonce: Number(transaction.nonce),
    r: quantity(transaction.r),
    s: quantity(transaction.s),
    to: transaction.to ? bytesToHex(transaction.to) : null,
    transactionIndex: place.index,
    type: typeNames[transaction.type]!,
    typeHex: quantity(transaction.type),
    v: transaction.v,
    value: transaction.value,
    ...(transaction.accessList && {
      accessList: transaction.accessList.map((entry) => ({
        address: bytesToHex(entry.address),
        storageKeys: entry.storageKeys.map(bytesToHex),
      })),
    }),
    ...(transaction.authorizationList && {
      authorizationList: transaction.authorizationList.map((authorization) => ({
        address: bytesToHex(authorization.address),
        chainId: Number(authorization.chainId),
        nonce: Number(authorization.nonce),
        r: quantity(authorization.r),
        s: quantity(authorization.s),
        yParity: authorization.yParity,
      })),
    }),
    ...(transaction.blobVersionedHashes && {
      blobVersionedHashes: transaction.blobVersionedHashes.map(bytesToHex),
    }),
    ...(transaction.chainId !== undefined && { chainId: Number(transaction.chainId) }),
    ...(transaction.maxFeePerBlobGas !== undefined && { maxFeePerBlobGas: transaction.maxFeePerBlobGas }),
    ...(transaction.maxFeePerGas !== undefined && { maxFeePerGas: transaction.maxFeePerGas }),
    ...(transaction.maxPriorityFeePerGas !== undefined && {
      maxPriorityFeePerGas: transaction.maxPriorityFeePerGas,
    }),
    ...(typed && { yParity: Number(transaction.v) }),
  }
}

export function toLog(log: internal.Log): Log {
  return {
    address: bytesToHex(log.address),
    blockHash: bytesToHex(log.blockHash),
    blockNumber: BigInt(log.blockNumber),
    blockTimestamp: log.blockTimestamp,
    data: bytesToHex(log.data),
    logIndex: log.logIndex,
    removed: false,
    topics: log.topics.map(bytesToHex) as Log['topics'],
    transactionHash: bytesToHex(log.transactionHash),
    transactionIndex: log.transactionIndex,
  }
}

export function toReceipt(receipt: internal.Receipt): TransactionReceipt {
  return {
    ...(receipt.blobGasPrice !== undefined && { blobGasPrice: receipt.blobGasPrice }),
    ...(receipt.blobGasUsed !== undefined && { blobGasUsed: receipt.blobGasUsed }),
    blockHash: bytesToHex(receipt.blockHash),
    blockNumber: BigInt(receipt.blockNumber),
    contractAddress: receipt.contractAddress ? bytesToHex(receipt.contractAddress) : null,
    cumulativeGasUsed: receipt.cumulativeGasUsed,
    effectiveGasPrice: receipt.effectiveGasPrice,
    from: bytesToHex(receipt.from),
    gasUsed: receipt.gasUsed,
    logs: receipt.logs.map(toLog),
    logsBloom: bytesToHex(receipt.logsBloom),
    ...(receipt.root && { root: bytesToHex(receipt.root) }),
    status: receipt.status === undefined ? null : receipt.status === 1 ? 'success' : 'reverted',
    to: receipt.to ? bytesToHex(receipt.to) : null,
    transactionHash: bytesToHex(receipt.transactionHash),
    transactionIndex: receipt.transactionIndex,
    type: typeNames[receipt.type]!,
  }
}

/** A proof of an account and of its slots. `keys` are the keys of the request. */
export function toProof(
  address: Uint8Array,
  keys: readonly Hex[],
  { account, nodes, slots }: StateProof,
): AccountProof {
  const { balance = 0n, nonce = 0n, codeHash = noHash, storageRoot = noHash } = account ?? {}
  return {
    address: bytesToHex(address),
    balance,
    codeHash: bytesToHex(codeHash),
    nonce: Number(nonce),
    storageHash: bytesToHex(storageRoot),
    accountProof: nodes.map(bytesToHex),
    storageProof: slots.map(({ value, nodes }, i) => ({
      key: keys[i]!.length === 66 ? keys[i]! : quantity(BigInt(keys[i]!)),
      proof: nodes.map(bytesToHex),
      value: bytesToBigInt(value),
    })),
  }
}

const noHash = new Uint8Array(32)

/** An access list in viem's shape. */
export function toAccessList({ accessList, gasUsed, error }: AccessListResult): CreatedAccessList {
  return {
    accessList: accessList.map(({ address, storageKeys }) => ({
      address: bytesToHex(address),
      storageKeys: storageKeys.map(bytesToHex),
    })),
    gasUsed,
    ...(error !== undefined && { error }),
  }
}
