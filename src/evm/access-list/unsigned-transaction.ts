// A call as a transaction without a signature, whose hash geth prints when it refuses the call. Follows
// ToTransaction of internal/ethapi/transaction_args.go.

import { concatBytes } from '../../bytes.js'
import { noBytes } from '../../constants.js'
import { keccak256 } from '../../kernel/keccak.js'
import { encodeBytes, encodeInteger, encodeList } from '../../rlp/encode.js'
import type { AccessListEntry, Authorization } from '../../types/transaction.js'
import type { CallArguments } from '../engine.js'

/** The other fields of the transaction. */
interface TransactionRest {
  readonly chainId: bigint
  readonly nonce: bigint
  readonly gas: bigint
  readonly accessList: readonly AccessListEntry[]
}

/** Hash of the transaction with r, s and v of zero. */
export function unsignedTransactionHash(call: CallArguments, rest: TransactionRest): Uint8Array {
  return keccak256(unsignedTransaction(call, rest).envelope)
}

/** The transaction with r, s and v of zero; its type follows from the fields that are there. */
export function unsignedTransaction(
  call: CallArguments,
  rest: TransactionRest,
): { readonly type: number; readonly envelope: Uint8Array } {
  const { chainId, nonce, gas, accessList } = rest
  const to = encodeBytes(call.to ?? noBytes)
  const value = encodeInteger(call.value ?? 0n)
  const input = encodeBytes(call.input ?? noBytes)
  const unsigned = [0, 0, 0].map(encodeInteger)
  if (call.gasPrice !== undefined) {
    const numbers = [nonce, call.gasPrice, gas].map(encodeInteger)
    return { type: 0, envelope: encodeList([...numbers, to, value, input, ...unsigned]) }
  }
  const { maxPriorityFeePerGas = 0n, maxFeePerGas = 0n, authorizationList, blobVersionedHashes } = call
  const fields = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas].map(encodeInteger)
  fields.push(to, value, input, encodeList(accessList.map(encodeEntry)))
  let type = 2
  if (authorizationList !== undefined) {
    type = 4
    fields.push(encodeList(authorizationList.map(encodeAuthorization)))
  } else if (blobVersionedHashes !== undefined) {
    type = 3
    fields.push(encodeInteger(call.maxFeePerBlobGas ?? 0n), encodeList(blobVersionedHashes.map(encodeBytes)))
  }
  return { type, envelope: concatBytes(Uint8Array.of(type), encodeList([...fields, ...unsigned])) }
}

function encodeEntry({ address, storageKeys }: AccessListEntry): Uint8Array {
  return encodeList([encodeBytes(address), encodeList(storageKeys.map(encodeBytes))])
}

function encodeAuthorization({ chainId, address, nonce, yParity, r, s }: Authorization): Uint8Array {
  const start = [encodeInteger(chainId), encodeBytes(address), encodeInteger(nonce)]
  return encodeList([...start, encodeInteger(yParity), encodeInteger(r), encodeInteger(s)])
}
