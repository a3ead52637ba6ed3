// geth's JSON of decoded blocks, transactions and receipts, to hold decoders against recorded answers.
import { bytesToHex as hex, quantity } from '../../src/bytes.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { uncleRecords } from '../../src/types/body.js'
import { effectiveGasPrice } from '../../src/types/derived-receipt.js'
import type { Header } from '../../src/types/header.js'
import type { Receipt } from '../../src/types/receipt.js'
import { recoverSender } from '../../src/types/sender.js'
import type { Transaction } from '../../src/types/transaction.js'

type Json = Record<string, unknown>

/** Keeps only the fields that are there. */
function present(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const optionalQuantity = (value: bigint | undefined) => (value === undefined ? undefined : quantity(value))
const optionalHex = (bytes: Uint8Array | undefined) => bytes && hex(bytes)

/** The transaction object without its place in the chain. */
export function transactionJson(transaction: Transaction, baseFeePerGas: bigint | undefined): Json {
  return present({
    from: hex(recoverSender(transaction) ?? new Uint8Array(20)),
    gas: quantity(transaction.gas),
    gasPrice: quantity(effectiveGasPrice(transaction, baseFeePerGas)),
    hash: hex(transaction.hash),
    input: hex(transaction.input),
    nonce: quantity(transaction.nonce),
    to: transaction.to ? hex(transaction.to) : null,
    value: quantity(transaction.value),
    type: quantity(transaction.type),
    chainId: optionalQuantity(transaction.chainId),
    maxFeePerGas: optionalQuantity(transaction.maxFeePerGas),
    maxPriorityFeePerGas: optionalQuantity(transaction.maxPriorityFeePerGas),
    maxFeePerBlobGas: optionalQuantity(transaction.maxFeePerBlobGas),
    blobVersionedHashes: transaction.blobVersionedHashes?.map(hex),
    accessList: transaction.accessList?.map((entry) => ({
      address: hex(entry.address),
      storageKeys: entry.storageKeys.map(hex),
    })),
    authorizationList: transaction.authorizationList?.map((authorization) => ({
      chainId: quantity(authorization.chainId),
      address: hex(authorization.address),
      nonce: quantity(authorization.nonce),
      yParity: quantity(authorization.yParity),
      r: quantity(authorization.r),
      s: quantity(authorization.s),
    })),
    v: quantity(transaction.v),
    r: quantity(transaction.r),
    s: quantity(transaction.s),
    yParity: transaction.type === 0 ? undefined : quantity(transaction.v),
  })
}

/** The block object's fields that come from the header. */
export function headerJson(header: Header): Json {
  return present({
    number: quantity(header.number),
    parentHash: hex(header.parentHash),
    nonce: hex(header.nonce),
    mixHash: hex(header.mixHash),
    sha3Uncles: hex(header.unclesHash),
    logsBloom: hex(header.logsBloom),
    stateRoot: hex(header.stateRoot),
    miner: hex(header.miner),
    difficulty: quantity(header.difficulty),
    extraData: hex(header.extraData),
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    transactionsRoot: hex(header.transactionsRoot),
    receiptsRoot: hex(header.receiptsRoot),
    baseFeePerGas: optionalQuantity(header.baseFeePerGas),
    withdrawalsRoot: optionalHex(header.withdrawalsRoot),
    blobGasUsed: optionalQuantity(header.blobGasUsed),
    excessBlobGas: optionalQuantity(header.excessBlobGas),
    parentBeaconBlockRoot: optionalHex(header.parentBeaconBlockRoot),
    requestsHash: optionalHex(header.requestsHash),
  })
}

/** Hashes of a body's uncles. */
export function uncleHashes(bodyRlp: Uint8Array): string[] {
  return uncleRecords(bodyRlp).map((record) => hex(keccak256(record)))
}

/** The receipt object. */
export function receiptJson(receipt: Receipt): Json {
  return present({
    blockHash: hex(receipt.blockHash),
    blockNumber: quantity(receipt.blockNumber),
    contractAddress: receipt.contractAddress ? hex(receipt.contractAddress) : null,
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    effectiveGasPrice: quantity(receipt.effectiveGasPrice),
    from: hex(receipt.from),
    gasUsed: quantity(receipt.gasUsed),
    logs: receipt.logs.map((log) => ({
      address: hex(log.address),
      topics: log.topics.map(hex),
      data: hex(log.data),
      blockNumber: quantity(log.blockNumber),
      transactionHash: hex(log.transactionHash),
      transactionIndex: quantity(log.transactionIndex),
      blockHash: hex(log.blockHash),
      blockTimestamp: quantity(log.blockTimestamp),
      logIndex: quantity(log.logIndex),
      removed: false,
    })),
    logsBloom: hex(receipt.logsBloom),
    root: optionalHex(receipt.root),
    status: receipt.status === undefined ? undefined : quantity(receipt.status),
    to: receipt.to ? hex(receipt.to) : null,
    transactionHash: hex(receipt.transactionHash),
    transactionIndex: quantity(receipt.transactionIndex),
    type: quantity(receipt.type),
    blobGasUsed: optionalQuantity(receipt.blobGasUsed),
    blobGasPrice: optionalQuantity(receipt.blobGasPrice),
  })
}
