// Headers and uncles as JSON, keys in alphabetical order. Follows RPCMarshalHeader in geth's internal/ethapi/api.go.
import { bytesToHex, quantity } from '../../bytes.js'
import type { HashedHeader } from '../../chain/block.js'
import { hashListJson } from '../../hash-list.js'
import { blockSize, emptyBody } from '../../types/body.js'
import { encodeHeader, type Header } from '../../types/header.js'

/** `,"name":"0x…"`, or nothing for an absent value. */
function optionalQuantity(name: string, value: bigint | number | undefined): string {
  return value === undefined ? '' : `,"${name}":"${quantity(value)}"`
}

function optionalBytes(name: string, value: Uint8Array | undefined): string {
  return value === undefined ? '' : `,"${name}":"${bytesToHex(value)}"`
}

/** A header with what a block has more, and that belongs between its members. */
interface SizedHeader extends HashedHeader {
  readonly size?: number
  readonly totalDifficulty?: bigint | undefined
}

/**
 * The members of a header up to the place of the transactions, up to that of the uncles, and the rest. Hash, miner and nonce
 * of the pending block are null, as they are not decided yet.
 */
export function headerMembers(
  { header, hash, size, totalDifficulty }: SizedHeader,
  isPending: boolean,
): readonly [beforeTransactions: string, beforeUncles: string, rest: string] {
  let json =
    optionalQuantity('baseFeePerGas', header.baseFeePerGas) +
    optionalQuantity('blobGasUsed', header.blobGasUsed) +
    optionalBytes('blockAccessListHash', header.blockAccessListHash) +
    optionalQuantity('difficulty', header.difficulty) +
    optionalQuantity('excessBlobGas', header.excessBlobGas)
  json += `,"extraData":"${bytesToHex(header.extraData)}","gasLimit":"${quantity(header.gasLimit)}"`
  json += `,"gasUsed":"${quantity(header.gasUsed)}",`
  json += `"hash":${isPending ? 'null' : `"${bytesToHex(hash)}"`},"logsBloom":"${bytesToHex(header.logsBloom)}"`
  json += `,"miner":${isPending ? 'null' : `"${bytesToHex(header.miner)}"`},"mixHash":"${bytesToHex(header.mixHash)}"`
  json += `,"nonce":${isPending ? 'null' : `"${bytesToHex(header.nonce)}"`},"number":"${quantity(header.number)}"`
  json += optionalBytes('parentBeaconBlockRoot', header.parentBeaconBlockRoot)
  json += `,"parentHash":"${bytesToHex(header.parentHash)}","receiptsRoot":"${bytesToHex(header.receiptsRoot)}"`
  json += optionalBytes('requestsHash', header.requestsHash)
  json += `,"sha3Uncles":"${bytesToHex(header.unclesHash)}"`
  json += optionalQuantity('size', size)
  json += optionalQuantity('slotNumber', header.slotNumber)
  json += `,"stateRoot":"${bytesToHex(header.stateRoot)}","timestamp":"${quantity(header.timestamp)}"`
  json += optionalQuantity('totalDifficulty', totalDifficulty)
  return [
    json.slice(1),
    `,"transactionsRoot":"${bytesToHex(header.transactionsRoot)}"`,
    optionalBytes('withdrawalsRoot', header.withdrawalsRoot),
  ]
}

/** A header alone. */
export function headerJson(block: HashedHeader): string {
  return `{${headerMembers(headerOf(block), false).join('')}}`
}

/** The header of the pending block. */
export function pendingHeaderJson(block: HashedHeader): string {
  return `{${headerMembers(headerOf(block), true).join('')}}`
}

/** Without what a whole block has more. */
function headerOf({ header, hash }: HashedHeader): HashedHeader {
  return { header, hash }
}

/** An uncle: its header as a block of no transactions, because its body is not stored. */
export function uncleJson(header: Header, hash: Uint8Array): string {
  const size = blockSize(encodeHeader(header), emptyBody)
  const [beforeTransactions, beforeUncles, rest] = headerMembers({ header, hash, size }, false)
  return `{${beforeTransactions}${beforeUncles},"uncles":${hashListJson([])}${rest}}`
}
