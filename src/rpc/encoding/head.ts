// The header of a new head as geth's notifications have it, with null for members that its fork does not know. Follows
// gen_header_json.go in geth's core/types.
import { bytesToHex, quantity } from '../../bytes.js'
import type { HashedHeader } from '../../chain/block.js'

const orNull = (value: bigint | undefined) => (value === undefined ? 'null' : `"${quantity(value)}"`)
const bytesOrNull = (value: Uint8Array | undefined) =>
  value === undefined ? 'null' : `"${bytesToHex(value)}"`

/** A header as JSON. */
export function headJson({ header, hash }: HashedHeader): string {
  let json = `{"parentHash":"${bytesToHex(header.parentHash)}","sha3Uncles":"${bytesToHex(header.unclesHash)}"`
  json += `,"miner":"${bytesToHex(header.miner)}","stateRoot":"${bytesToHex(header.stateRoot)}"`
  json += `,"transactionsRoot":"${bytesToHex(header.transactionsRoot)}"`
  json += `,"receiptsRoot":"${bytesToHex(header.receiptsRoot)}","logsBloom":"${bytesToHex(header.logsBloom)}"`
  json += `,"difficulty":"${quantity(header.difficulty)}","number":"${quantity(header.number)}"`
  json += `,"gasLimit":"${quantity(header.gasLimit)}","gasUsed":"${quantity(header.gasUsed)}"`
  json += `,"timestamp":"${quantity(header.timestamp)}","extraData":"${bytesToHex(header.extraData)}"`
  json += `,"mixHash":"${bytesToHex(header.mixHash)}","nonce":"${bytesToHex(header.nonce)}"`
  json += `,"baseFeePerGas":${orNull(header.baseFeePerGas)}`
  json += `,"withdrawalsRoot":${bytesOrNull(header.withdrawalsRoot)}`
  json += `,"blobGasUsed":${orNull(header.blobGasUsed)},"excessBlobGas":${orNull(header.excessBlobGas)}`
  json += `,"parentBeaconBlockRoot":${bytesOrNull(header.parentBeaconBlockRoot)}`
  json += `,"requestsHash":${bytesOrNull(header.requestsHash)}`
  json += `,"blockAccessListHash":${bytesOrNull(header.blockAccessListHash)}`
  return `${json},"slotNumber":${orNull(header.slotNumber)},"hash":"${bytesToHex(hash)}"}`
}
