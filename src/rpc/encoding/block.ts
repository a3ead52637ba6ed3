// Blocks as JSON, keys in alphabetical order. Follows RPCMarshalBlock in geth's internal/ethapi/api.go.
import { bytesToHex, quantity } from '../../bytes.js'
import type { Block } from '../../chain/block.js'
import type { Withdrawal } from '../../types/body.js'
import { hashListJson, transactionEncoder } from './transaction.js'

function withdrawalsJson(withdrawals: readonly Withdrawal[]): string {
  let json = '['
  for (const { index, validatorIndex, address, amount } of withdrawals) {
    if (json.length > 1) json += ','
    json += `{"index":"${quantity(index)}","validatorIndex":"${quantity(validatorIndex)}"`
    json += `,"address":"${bytesToHex(address)}","amount":"${quantity(amount)}"}`
  }
  return `${json}]`
}

/** `,"name":"0x…"`, or nothing for an absent value. */
function optionalQuantity(name: string, value: bigint | undefined): string {
  return value === undefined ? '' : `,"${name}":"${quantity(value)}"`
}

function optionalBytes(name: string, value: Uint8Array | undefined): string {
  return value === undefined ? '' : `,"${name}":"${bytesToHex(value)}"`
}

function blockJson(block: Block, transactions: string, isPending: boolean): string {
  const { header, withdrawals } = block
  let json =
    optionalQuantity('baseFeePerGas', header.baseFeePerGas) +
    optionalQuantity('blobGasUsed', header.blobGasUsed) +
    optionalBytes('blockAccessListHash', header.blockAccessListHash) +
    optionalQuantity('difficulty', header.difficulty) +
    optionalQuantity('excessBlobGas', header.excessBlobGas)
  json += `,"extraData":"${bytesToHex(header.extraData)}","gasLimit":"${quantity(header.gasLimit)}"`
  json += `,"gasUsed":"${quantity(header.gasUsed)}",`
  json += `"hash":${isPending ? 'null' : `"${bytesToHex(block.hash)}"`},"logsBloom":"${bytesToHex(header.logsBloom)}"`
  json += `,"miner":${isPending ? 'null' : `"${bytesToHex(header.miner)}"`},"mixHash":"${bytesToHex(header.mixHash)}"`
  json += `,"nonce":${isPending ? 'null' : `"${bytesToHex(header.nonce)}"`},"number":"${quantity(header.number)}"`
  json += optionalBytes('parentBeaconBlockRoot', header.parentBeaconBlockRoot)
  json += `,"parentHash":"${bytesToHex(header.parentHash)}","receiptsRoot":"${bytesToHex(header.receiptsRoot)}"`
  json += optionalBytes('requestsHash', header.requestsHash)
  json += `,"sha3Uncles":"${bytesToHex(header.unclesHash)}","size":"${quantity(block.size)}"`
  json += optionalQuantity('slotNumber', header.slotNumber)
  json += `,"stateRoot":"${bytesToHex(header.stateRoot)}","timestamp":"${quantity(header.timestamp)}"`
  json += optionalQuantity('totalDifficulty', block.totalDifficulty)
  json += `,"transactions":${transactions},"transactionsRoot":"${bytesToHex(header.transactionsRoot)}"`
  json += `,"uncles":${hashListJson(block.uncleHashes)}`
  if (withdrawals !== undefined) json += `,"withdrawals":${withdrawalsJson(withdrawals)}`
  json += optionalBytes('withdrawalsRoot', header.withdrawalsRoot)
  return `{${json.slice(1)}}`
}

/** A block with the hashes of its transactions. */
export function blockWithHashesJson(block: Block): string {
  return blockJson(block, hashListJson(block.transactionHashes), false)
}

/** A block with its transactions; `senders` in their order. */
export function blockWithTransactionsJson(block: Block, senders: readonly Uint8Array[]): string {
  const encode = transactionEncoder(block)
  let transactions = '['
  let index = 0
  for (const transaction of block.body.transactions) {
    if (index > 0) transactions += ','
    transactions += encode(transaction, senders[index]!, index)
    index++
  }
  return blockJson(block, `${transactions}]`, false)
}

/** The pending block, which is empty. Its hash, miner and nonce are null, as they are not decided yet. */
export function pendingBlockJson(block: Block): string {
  return blockJson(block, '[]', true)
}
