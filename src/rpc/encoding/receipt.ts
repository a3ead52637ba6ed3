// Receipts, keys in alphabetical order, and logs, in declaration order, as JSON. Follows MarshalReceipt in geth's
// internal/ethapi/api.go and core/types/gen_log_json.go.
import { bytesToHex, quantity } from '../../bytes.js'
import type { Log, Receipt } from '../../types/receipt.js'
import { hashListJson } from './transaction.js'

/**
 * A list of logs. Neighbours of one transaction and one block usually share their hashes, by reference; those are
 * encoded once.
 */
export function logsJson(logs: readonly Log[]): string {
  let json = '['
  let blockHash: Uint8Array | undefined
  let transactionHash: Uint8Array | undefined
  let block = ''
  let transaction = ''
  for (const log of logs) {
    if (log.transactionHash !== transactionHash || log.blockHash !== blockHash) {
      transactionHash = log.transactionHash
      transaction =
        `","blockNumber":"${quantity(log.blockNumber)}","transactionHash":"${bytesToHex(transactionHash)}` +
        `","transactionIndex":"${quantity(log.transactionIndex)}","blockHash":"`
    }
    if (log.blockHash !== blockHash) {
      blockHash = log.blockHash
      block = `${bytesToHex(blockHash)}","blockTimestamp":"${quantity(log.blockTimestamp)}","logIndex":"`
    }
    if (json.length > 1) json += ','
    json += `{"address":"${bytesToHex(log.address)}","topics":${hashListJson(log.topics)},"data":"${bytesToHex(log.data)}`
    json += `${transaction}${block}${quantity(log.logIndex)}","removed":false}`
  }
  return `${json}]`
}

function addressOrNull(address: Uint8Array | undefined): string {
  return address === undefined ? 'null' : `"${bytesToHex(address)}"`
}

/** One receipt. */
export function receiptJson(receipt: Receipt): string {
  let json = '{'
  if (receipt.blobGasPrice !== undefined) json += `"blobGasPrice":"${quantity(receipt.blobGasPrice)}",`
  if (receipt.blobGasUsed !== undefined) json += `"blobGasUsed":"${quantity(receipt.blobGasUsed)}",`
  json += `"blockHash":"${bytesToHex(receipt.blockHash)}","blockNumber":"${quantity(receipt.blockNumber)}"`
  json += `,"contractAddress":${addressOrNull(receipt.contractAddress)}`
  json += `,"cumulativeGasUsed":"${quantity(receipt.cumulativeGasUsed)}"`
  json += `,"effectiveGasPrice":"${quantity(receipt.effectiveGasPrice)}","from":"${bytesToHex(receipt.from)}"`
  json += `,"gasUsed":"${quantity(receipt.gasUsed)}","logs":${logsJson(receipt.logs)}`
  json += `,"logsBloom":"${bytesToHex(receipt.logsBloom)}"`
  json +=
    receipt.root === undefined ? `,"status":"0x${receipt.status}"` : `,"root":"${bytesToHex(receipt.root)}"`
  json += `,"to":${addressOrNull(receipt.to)},"transactionHash":"${bytesToHex(receipt.transactionHash)}"`
  return `${json},"transactionIndex":"${quantity(receipt.transactionIndex)}","type":"${quantity(receipt.type)}"}`
}

/** The receipts of one block. */
export function receiptsJson(receipts: readonly Receipt[]): string {
  let json = '['
  for (const receipt of receipts) {
    if (json.length > 1) json += ','
    json += receiptJson(receipt)
  }
  return `${json}]`
}
