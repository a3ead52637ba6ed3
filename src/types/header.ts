// A block header and its RLP. The block hash is the keccak of the stored bytes. Follows core/types/block.go.
import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { RlpCursor } from '../rlp/cursor.js'
import { encodeBytes, encodeInteger, encodeList } from '../rlp/encode.js'
import { RlpError } from '../rlp/rlp-error.js'

/**
 * Block header. Byte fields are copies or views of the decoded record. An optional field is present if the header has it,
 * whatever the chain config says.
 */
export interface Header {
  readonly parentHash: Uint8Array
  readonly unclesHash: Uint8Array
  readonly miner: Uint8Array
  readonly stateRoot: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  readonly logsBloom: Uint8Array
  readonly difficulty: bigint
  readonly number: number
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
  readonly extraData: Uint8Array
  readonly mixHash: Uint8Array
  /** Eight bytes, not an integer. */
  readonly nonce: Uint8Array
  readonly baseFeePerGas?: bigint
  readonly withdrawalsRoot?: Uint8Array
  readonly blobGasUsed?: bigint
  readonly excessBlobGas?: bigint
  readonly parentBeaconBlockRoot?: Uint8Array
  readonly requestsHash?: Uint8Array
  readonly blockAccessListHash?: Uint8Array
  readonly slotNumber?: bigint
}

type Mutable<T> = { -readonly [key in keyof T]: T[key] }

/**
 * Decodes one stored header. Byte fields are views of `rlp`. Throws RlpError on damage and UNSUPPORTED_FORMAT if
 * a newer fork has added fields.
 */
export function decodeHeader(rlp: Uint8Array): Header {
  const cursor = new RlpCursor(rlp)
  const header = readHeaderItem(cursor)
  cursor.expectEnd()
  return header
}

/** As {@link decodeHeader}, for the next item of a cursor. */
export function readHeaderItem(cursor: RlpCursor): Header {
  const outer = cursor.enterList()
  const header: Mutable<Header> = {
    parentHash: cursor.readBytes(32),
    unclesHash: cursor.readBytes(32),
    miner: cursor.readBytes(20),
    stateRoot: cursor.readBytes(32),
    transactionsRoot: cursor.readBytes(32),
    receiptsRoot: cursor.readBytes(32),
    logsBloom: cursor.readBytes(256),
    difficulty: cursor.readBigInt(),
    number: cursor.readNumber(),
    gasLimit: cursor.readBigInt(),
    gasUsed: cursor.readBigInt(),
    timestamp: cursor.readBigInt(),
    extraData: cursor.readBytes(),
    mixHash: cursor.readBytes(32),
    nonce: cursor.readBytes(8),
  }
  if (cursor.hasMore()) header.baseFeePerGas = cursor.readBigInt()
  readOptionalHash(cursor, header, 'withdrawalsRoot')
  if (cursor.hasMore()) header.blobGasUsed = cursor.readBigInt()
  if (cursor.hasMore()) header.excessBlobGas = cursor.readBigInt()
  readOptionalHash(cursor, header, 'parentBeaconBlockRoot')
  readOptionalHash(cursor, header, 'requestsHash')
  // geth 1.17.1 and 1.17.2 wrote the slot number here, without an access list hash before it.
  if (!isShortStringLast(cursor)) readOptionalHash(cursor, header, 'blockAccessListHash')
  if (cursor.hasMore()) header.slotNumber = cursor.readBigInt()
  if (cursor.hasMore()) {
    throw new GethReaderError(
      'UNSUPPORTED_FORMAT',
      `header of block ${header.number} has ${23 + cursor.countItems()} fields, this version knows 23`,
      { block: BigInt(header.number), expected: '23 fields', found: `${23 + cursor.countItems()} fields` },
    )
  }
  cursor.leaveList(outer)
  return header
}

type OptionalHash = 'withdrawalsRoot' | 'parentBeaconBlockRoot' | 'requestsHash' | 'blockAccessListHash'

/** geth writes an absent hash as the empty string if a later field is present. */
function readOptionalHash(cursor: RlpCursor, header: Mutable<Header>, field: OptionalHash): void {
  if (!cursor.hasMore()) return
  const hash = cursor.readOptionalBytes(32)
  if (hash !== undefined) header[field] = hash
}

/** Whether one string of at most eight bytes is left. */
function isShortStringLast(cursor: RlpCursor): boolean {
  const length = cursor.limit - cursor.position
  return length === 1 || (length > 1 && length <= 9 && cursor.bytes[cursor.position] !== 0x80)
}

/** RLP of a header, with the optional fields up to the last one that is present. */
export function encodeHeader(header: Header): Uint8Array {
  const items = [
    encodeBytes(header.parentHash),
    encodeBytes(header.unclesHash),
    encodeBytes(header.miner),
    encodeBytes(header.stateRoot),
    encodeBytes(header.transactionsRoot),
    encodeBytes(header.receiptsRoot),
    encodeBytes(header.logsBloom),
    encodeInteger(header.difficulty),
    encodeInteger(header.number),
    encodeInteger(header.gasLimit),
    encodeInteger(header.gasUsed),
    encodeInteger(header.timestamp),
    encodeBytes(header.extraData),
    encodeBytes(header.mixHash),
    encodeBytes(header.nonce),
  ]
  const optional = [
    header.baseFeePerGas,
    header.withdrawalsRoot,
    header.blobGasUsed,
    header.excessBlobGas,
    header.parentBeaconBlockRoot,
    header.requestsHash,
    header.blockAccessListHash,
    header.slotNumber,
  ]
  const present = optional.findLastIndex((value) => value !== undefined) + 1
  for (const value of optional.slice(0, present)) {
    items.push(value instanceof Uint8Array ? encodeBytes(value) : encodeInteger(value ?? 0n))
  }
  return encodeList(items)
}

/** Offset of the logs bloom in the RLP of a header. The fields before it have fixed sizes. */
export const headerBloomOffset = 192

/** The logs bloom of a stored header, a view of `rlp`. Nothing else is decoded. Throws RlpError on damage. */
export function headerBloom(rlp: Uint8Array): Uint8Array {
  const size = headerBloomOffset - 3
  if (
    rlp[0] !== 0xf9 ||
    rlp[size] !== 0xb9 ||
    rlp[size + 1] !== 1 ||
    rlp[size + 2] !== 0 ||
    rlp.length < 448
  ) {
    throw new RlpError(`expected a header, found ${bytesToHex(rlp.subarray(0, 4))}…`, 0)
  }
  return rlp.subarray(headerBloomOffset, headerBloomOffset + 256)
}
