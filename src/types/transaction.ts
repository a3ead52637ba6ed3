// Transactions of every type that geth stores, decoded from their EIP-2718 envelopes. Senders are recovered in sender.ts.
// Follows core/types/tx_*.go.
import { GethReaderError } from '../errors.js'
import { keccak256 } from '../kernel/keccak.js'
import { RlpCursor } from '../rlp/cursor.js'
import { RlpError } from '../rlp/rlp-error.js'

export interface AccessListEntry {
  readonly address: Uint8Array
  readonly storageKeys: readonly Uint8Array[]
}

/** Signed authorization of EIP-7702. */
export interface Authorization {
  readonly chainId: bigint
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

/** Transaction types by their EIP-2718 byte. */
type TransactionType = 0 | 1 | 2 | 3 | 4

/** A decoded transaction. A field is absent if its type has none. */
export interface Transaction {
  readonly type: TransactionType
  readonly hash: Uint8Array
  /** Form of EIP-2718, whose keccak is `hash`: the list of a legacy transaction, or a type byte and a list. */
  readonly envelope: Uint8Array
  readonly nonce: bigint
  /** Types 0 and 1. */
  readonly gasPrice?: bigint
  /** Types 2 to 4. */
  readonly maxPriorityFeePerGas?: bigint
  readonly maxFeePerGas?: bigint
  readonly gas: bigint
  /** Absent for contract creation. */
  readonly to?: Uint8Array
  readonly value: bigint
  readonly input: Uint8Array
  /** Types 1 to 4, and legacy transactions with replay protection, which have it in v. */
  readonly chainId?: bigint
  readonly accessList?: readonly AccessListEntry[]
  readonly maxFeePerBlobGas?: bigint
  readonly blobVersionedHashes?: readonly Uint8Array[]
  readonly authorizationList?: readonly Authorization[]
  /** As stored: the parity, 0 or 1, of typed transactions; 27, 28 or the form of EIP-155 of legacy ones. */
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
}

/** The type byte of an envelope, also of an unknown type; 0 for a legacy transaction. */
export function transactionType(envelope: Uint8Array): number {
  const head = envelope[0]
  if (head === undefined) throw new RlpError('expected a transaction, found no bytes', 0)
  return head >= 0xc0 ? 0 : head
}

/** The transaction hash of an envelope, also of an unknown type. */
export function transactionHash(envelope: Uint8Array): Uint8Array {
  return keccak256(envelope)
}

/**
 * Decodes an envelope. Byte fields are views of it. Throws RlpError on damage, and UNSUPPORTED_FORMAT for a type that
 * geth does not know but a fork of it may have. Envelope, type and hash of such a transaction can still be read.
 */
export function decodeTransaction(envelope: Uint8Array): Transaction {
  const type = transactionType(envelope)
  if (envelope[0]! >= 0xc0) return decodeLegacy(envelope)
  if (type !== 1 && type !== 2 && type !== 3 && type !== 4) {
    throw new GethReaderError('UNSUPPORTED_FORMAT', `transaction type ${type} is not known, only 0 to 4`, {
      expected: 'transaction type 0 to 4',
      found: `transaction type ${type}`,
    })
  }
  const cursor = new RlpCursor(envelope, 1)
  const outer = cursor.enterList()
  const chainId = cursor.readBigInt()
  const nonce = cursor.readBigInt()
  const fees =
    type === 1
      ? { gasPrice: cursor.readBigInt() }
      : { maxPriorityFeePerGas: cursor.readBigInt(), maxFeePerGas: cursor.readBigInt() }
  const gas = cursor.readBigInt()
  const to = type >= 3 ? cursor.readBytes(20) : cursor.readOptionalBytes(20)
  const transaction: Transaction = {
    type,
    hash: transactionHash(envelope),
    envelope,
    nonce,
    ...fees,
    gas,
    ...(to !== undefined && { to }),
    value: cursor.readBigInt(),
    input: cursor.readBytes(),
    chainId,
    accessList: readList(cursor, readAccessListEntry),
    ...(type === 3 && {
      maxFeePerBlobGas: cursor.readBigInt(),
      blobVersionedHashes: readList(cursor, readHash),
    }),
    ...(type === 4 && { authorizationList: readList(cursor, readAuthorization) }),
    v: cursor.readBigInt(),
    r: cursor.readBigInt(),
    s: cursor.readBigInt(),
  }
  cursor.leaveList(outer)
  cursor.expectEnd()
  return transaction
}

function decodeLegacy(envelope: Uint8Array): Transaction {
  const cursor = new RlpCursor(envelope)
  const outer = cursor.enterList()
  const nonce = cursor.readBigInt()
  const gasPrice = cursor.readBigInt()
  const gas = cursor.readBigInt()
  const to = cursor.readOptionalBytes(20)
  const value = cursor.readBigInt()
  const input = cursor.readBytes()
  const v = cursor.readBigInt()
  const chainId = legacyChainId(v)
  const transaction: Transaction = {
    type: 0,
    hash: transactionHash(envelope),
    envelope,
    nonce,
    gasPrice,
    gas,
    ...(to !== undefined && { to }),
    value,
    input,
    ...(chainId !== undefined && { chainId }),
    v,
    r: cursor.readBigInt(),
    s: cursor.readBigInt(),
  }
  cursor.leaveList(outer)
  cursor.expectEnd()
  return transaction
}

/** Chain id in the v of a legacy transaction (EIP-155); undefined if v has none. */
export function legacyChainId(v: bigint): bigint | undefined {
  return v >= 35n ? (v - 35n) / 2n : undefined
}

function readList<T>(cursor: RlpCursor, read: (cursor: RlpCursor) => T): T[] {
  const items: T[] = []
  const outer = cursor.enterList()
  while (cursor.hasMore()) items.push(read(cursor))
  cursor.leaveList(outer)
  return items
}

function readHash(cursor: RlpCursor): Uint8Array {
  return cursor.readBytes(32)
}

function readAccessListEntry(cursor: RlpCursor): AccessListEntry {
  const outer = cursor.enterList()
  const entry = { address: cursor.readBytes(20), storageKeys: readList(cursor, readHash) }
  cursor.leaveList(outer)
  return entry
}

function readAuthorization(cursor: RlpCursor): Authorization {
  const outer = cursor.enterList()
  const authorization = {
    chainId: cursor.readBigInt(),
    address: cursor.readBytes(20),
    nonce: cursor.readBigInt(),
    yParity: cursor.readNumber(),
    r: cursor.readBigInt(),
    s: cursor.readBigInt(),
  }
  cursor.leaveList(outer)
  return authorization
}
