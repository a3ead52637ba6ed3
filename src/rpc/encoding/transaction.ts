// Transactions as JSON. Key order and presence follow RPCTransaction in geth's internal/ethapi/api.go.
import { bytesToHex, quantity } from '../../bytes.js'
import type { HashedHeader } from '../../chain/block.js'
import { effectiveGasPrice } from '../../types/derived-receipt.js'
import type { AccessListEntry, Authorization, Transaction } from '../../types/transaction.js'

/** A list of hashes: `["0x…","0x…"]`. */
export function hashListJson(hashes: readonly Uint8Array[]): string {
  if (hashes.length === 0) return '[]'
  let json = `["${bytesToHex(hashes[0]!)}`
  for (let i = 1; i < hashes.length; i++) json += `","${bytesToHex(hashes[i]!)}`
  return `${json}"]`
}

function accessListJson(list: readonly AccessListEntry[]): string {
  let json = '['
  for (const { address, storageKeys } of list) {
    if (json.length > 1) json += ','
    json += `{"address":"${bytesToHex(address)}","storageKeys":${hashListJson(storageKeys)}}`
  }
  return `${json}]`
}

function authorizationListJson(list: readonly Authorization[]): string {
  let json = '['
  for (const { chainId, address, nonce, yParity, r, s } of list) {
    if (json.length > 1) json += ','
    json += `{"chainId":"${quantity(chainId)}","address":"${bytesToHex(address)}","nonce":"${quantity(nonce)}"`
    json += `,"yParity":"${quantity(yParity)}","r":"${quantity(r)}","s":"${quantity(s)}"}`
  }
  return `${json}]`
}

/** Encoder for transactions of one block; what they share is encoded once. */
export function transactionEncoder(
  block: HashedHeader,
): (transaction: Transaction, from: Uint8Array, index: number) => string {
  const { number, timestamp, baseFeePerGas } = block.header
  const start =
    `{"blockHash":"${bytesToHex(block.hash)}","blockNumber":"${quantity(number)}"` +
    `,"blockTimestamp":"${quantity(timestamp)}","from":"`
  return (transaction, from, index) => {
    const { type, to, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = transaction
    const { accessList, chainId, blobVersionedHashes, authorizationList } = transaction
    let json = `${start}${bytesToHex(from)}","gas":"${quantity(transaction.gas)}`
    json += `","gasPrice":"${quantity(effectiveGasPrice(transaction, baseFeePerGas))}`
    if (maxFeePerGas !== undefined) json += `","maxFeePerGas":"${quantity(maxFeePerGas)}`
    if (maxPriorityFeePerGas !== undefined)
      json += `","maxPriorityFeePerGas":"${quantity(maxPriorityFeePerGas)}`
    if (maxFeePerBlobGas !== undefined) json += `","maxFeePerBlobGas":"${quantity(maxFeePerBlobGas)}`
    json += `","hash":"${bytesToHex(transaction.hash)}","input":"${bytesToHex(transaction.input)}`
    json += `","nonce":"${quantity(transaction.nonce)}","to":`
    json += to === undefined ? 'null' : `"${bytesToHex(to)}"`
    json += `,"transactionIndex":"${quantity(index)}","value":"${quantity(transaction.value)}`
    json += `","type":"${quantity(type)}"`
    if (accessList !== undefined) json += `,"accessList":${accessListJson(accessList)}`
    // A legacy transaction signed for chain 0 counts as unprotected.
    if (chainId !== undefined && (type !== 0 || chainId !== 0n)) json += `,"chainId":"${quantity(chainId)}"`
    if (blobVersionedHashes?.length) json += `,"blobVersionedHashes":${hashListJson(blobVersionedHashes)}`
    if (authorizationList?.length) json += `,"authorizationList":${authorizationListJson(authorizationList)}`
    json += `,"v":"${quantity(transaction.v)}","r":"${quantity(transaction.r)}","s":"${quantity(transaction.s)}"`
    return type === 0 ? `${json}}` : `${json},"yParity":"${transaction.v === 0n ? '0x0' : '0x1'}"}`
  }
}
