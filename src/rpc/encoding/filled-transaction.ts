// A transaction without a signature as JSON, keys in declaration order. Follows SignTransactionResult of geth's
// internal/ethapi/api.go and MarshalJSON of core/types/transaction_marshalling.go.
import { bytesToHex, quantity } from '../../bytes.js'
import type { FilledTransaction } from '../../evm/fill-transaction.js'
import { keccak256 } from '../../kernel/keccak.js'
import type { Authorization } from '../../types/transaction.js'
import { object, schemaOf } from '../schemas.js'

export const filledTransactionSchema = object(
  'Transaction without a signature, as bytes and by its members',
  { raw: schemaOf('Data'), tx: { title: 'Members of the transaction', type: 'object' } },
)

/** The bytes of the transaction, and its members. */
export function filledTransactionJson({ envelope, ...transaction }: FilledTransaction): string {
  const { type, call, chainId, nonce, gas } = transaction
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = call
  const { accessList = [], blobVersionedHashes, authorizationList } = call
  const isLegacy = type === 0
  const tx = {
    type: quantity(type),
    ...(!isLegacy && { chainId: quantity(chainId) }),
    nonce: quantity(nonce),
    to: call.to ? bytesToHex(call.to) : null,
    gas: quantity(gas),
    gasPrice: isLegacy ? quantity(gasPrice ?? 0n) : null,
    maxPriorityFeePerGas: isLegacy ? null : quantity(maxPriorityFeePerGas ?? 0n),
    maxFeePerGas: isLegacy ? null : quantity(maxFeePerGas ?? 0n),
    ...(type === 3 && { maxFeePerBlobGas: quantity(maxFeePerBlobGas ?? 0n) }),
    value: quantity(call.value ?? 0n),
    input: bytesToHex(call.input ?? new Uint8Array()),
    ...(!isLegacy && {
      accessList: accessList.map(({ address, storageKeys }) => ({
        address: bytesToHex(address),
        storageKeys: storageKeys.map(bytesToHex),
      })),
    }),
    ...(type === 3 && { blobVersionedHashes: blobVersionedHashes?.map(bytesToHex) }),
    ...(type === 4 &&
      authorizationList?.length && { authorizationList: authorizationList.map(authorizationOf) }),
    v: '0x0',
    r: '0x0',
    s: '0x0',
    ...(!isLegacy && { yParity: '0x0' }),
    hash: bytesToHex(keccak256(envelope)),
  }
  return JSON.stringify({ raw: bytesToHex(envelope), tx })
}

function authorizationOf({ chainId, address, nonce, yParity, r, s }: Authorization): object {
  return {
    chainId: quantity(chainId),
    address: bytesToHex(address),
    nonce: quantity(nonce),
    yParity: quantity(yParity),
    r: quantity(r),
    s: quantity(s),
  }
}
