// Senders of transactions and authorizations, recovered from their signatures. The chain has checked the signatures, so
// the rules of the block's fork (low s, chain id) are not checked again. Follows core/types/transaction_signing.go and
// tx_setcode.go.
import { bigIntToBytes, concatBytes } from '../bytes.js'
import { keccak256 } from '../kernel/keccak.js'
import { recoverPublicKey, recoverPublicKeys, type SignedHash } from '../kernel/secp256k1/public-key.js'
import { RlpCursor } from '../rlp/cursor.js'
import { encodeBytes, encodeInteger, encodeList } from '../rlp/encode.js'
import { type Authorization, legacyChainId, transactionType } from './transaction.js'

/** Number of fields before the signature, by transaction type. */
const unsignedFields: readonly number[] = [6, 8, 9, 11, 10]

/** The signed hash, r and s in 64 bytes, and the recovery bit, undefined if v has none. */
interface TransactionSignature {
  readonly hash: Uint8Array
  readonly signature: Uint8Array
  readonly recoveryBit: 0 | 1 | undefined
}

/**
 * Signature of an envelope of type 0 to 4. The signed fields are hashed as they are encoded in it. Throws RlpError on
 * damage, RangeError for another type.
 */
export function transactionSignature(envelope: Uint8Array): TransactionSignature {
  const type = transactionType(envelope)
  const fields = unsignedFields[type]
  if (fields === undefined || (type === 0 && envelope[0] === 0)) {
    throw new RangeError(`envelope: expected a transaction of type 0 to 4, got type ${type}`)
  }
  const cursor = new RlpCursor(envelope, type === 0 ? 0 : 1)
  cursor.enterList()
  const start = cursor.position
  for (let i = 0; i < fields; i++) cursor.skip()
  const signed = [envelope.subarray(start, cursor.position)]
  const v = cursor.readBigInt()
  const [r, s] = [new Uint8Array(32), new Uint8Array(32)]
  cursor.readIntegerInto(r)
  cursor.readIntegerInto(s)
  cursor.expectEnd()
  const signature = concatBytes(r, s)

  if (type > 0) {
    const hash = keccak256(concatBytes(Uint8Array.of(type), encodeList(signed)))
    return { hash, signature, recoveryBit: v === 0n ? 0 : v === 1n ? 1 : undefined }
  }
  const chainId = legacyChainId(v)
  if (chainId !== undefined) signed.push(encodeInteger(chainId), encodeInteger(0), encodeInteger(0))
  return { hash: keccak256(encodeList(signed)), signature, recoveryBit: legacyRecoveryBit(v) }
}

function legacyRecoveryBit(v: bigint): 0 | 1 | undefined {
  if (v === 27n || v === 28n) return v === 27n ? 0 : 1
  if (v < 35n) return undefined
  return (v & 1n) === 1n ? 0 : 1
}

/**
 * The 20-byte sender of a transaction; undefined if its signature recovers no key. Takes 0.03 to 0.05 ms, for a public key
 * recovery.
 */
export function recoverSender(transaction: { readonly envelope: Uint8Array }): Uint8Array | undefined {
  const { hash, signature, recoveryBit } = transactionSignature(transaction.envelope)
  return recoveryBit === undefined ? undefined : recoverAddress(hash, signature, recoveryBit)
}

const zeroAddress = new Uint8Array(20)

/** As {@link recoverSender}, but the zero address if the signature recovers no key, as geth answers. */
export function senderOrZero(transaction: { readonly envelope: Uint8Array }): Uint8Array {
  return recoverSender(transaction) ?? zeroAddress
}

/** Senders of many envelopes, as {@link senderOrZero}: 0.006 to 0.05 ms each. */
export function sendersOrZero(envelopes: readonly Uint8Array[]): Uint8Array[] {
  const senders: Uint8Array[] = new Array(envelopes.length).fill(zeroAddress)
  const signed: SignedHash[] = []
  const indexes: number[] = []
  for (const [index, envelope] of envelopes.entries()) {
    const { hash, signature, recoveryBit } = transactionSignature(envelope)
    if (recoveryBit === undefined) continue
    signed.push({ hash, signature, recoveryBit })
    indexes.push(index)
  }
  for (const [i, key] of recoverPublicKeys(signed).entries()) {
    if (key !== undefined) senders[indexes[i]!] = publicKeyAddress(key)
  }
  return senders
}

/**
 * The account that signed an EIP-7702 authorization; undefined if the signature is not valid, which is allowed: the tuple
 * then has no effect. A high s is not valid here.
 */
export function recoverAuthority(authorization: Authorization): Uint8Array | undefined {
  const { chainId, address, nonce, yParity, r, s } = authorization
  if ((yParity !== 0 && yParity !== 1) || s > maxLowS || r > maxScalar) return undefined
  const list = encodeList([encodeInteger(chainId), encodeBytes(address), encodeInteger(nonce)])
  const hash = keccak256(concatBytes(Uint8Array.of(0x05), list))
  return recoverAddress(hash, concatBytes(bigIntToBytes(r, 32), bigIntToBytes(s, 32)), yParity)
}

const maxScalar = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140n
const maxLowS = maxScalar / 2n

function recoverAddress(hash: Uint8Array, signature: Uint8Array, recoveryBit: 0 | 1): Uint8Array | undefined {
  const key = recoverPublicKey(hash, signature, recoveryBit)
  return key && publicKeyAddress(key)
}

/** Address of a 64-byte public key. */
export function publicKeyAddress(key: Uint8Array): Uint8Array {
  return keccak256(key).slice(12)
}
