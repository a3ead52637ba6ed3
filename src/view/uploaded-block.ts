// A block that a caller sends as RLP: header, transactions, uncles and, from Shanghai on, withdrawals. The texts for what is
// wrong with it follow rlp/decode.go.
import type { GethReaderError } from '../errors.js'
import { rejectedArguments } from '../evm/call-errors.js'
import { keccak256 } from '../kernel/keccak.js'
import { RlpCursor } from '../rlp/cursor.js'
import { encodeList } from '../rlp/encode.js'
import { RlpError } from '../rlp/rlp-error.js'
import { type Body, decodeBody } from '../types/body.js'
import { decodeHeader, type Header } from '../types/header.js'

interface UploadedBlock {
  readonly header: Header
  readonly hash: Uint8Array
  readonly body: Body
}

/** Throws CALL_REJECTED for bytes that are no block. */
export function decodeUploadedBlock(rlp: Uint8Array): UploadedBlock {
  const problem = outerProblem(rlp)
  if (problem !== undefined) throw undecodable(problem)
  try {
    return decodeBlock(rlp)
  } catch (error) {
    throw error instanceof RlpError ? undecodable(`rlp: ${error.message}`) : error
  }
}

function undecodable(problem: string): GethReaderError {
  return rejectedArguments(`could not decode block: ${problem}`)
}

/** What is wrong with the size of the outer list, in geth's words. */
function outerProblem(rlp: Uint8Array): string | undefined {
  const head = rlp[0]
  if (head === undefined) return 'EOF'
  const sizeLength = head >= 0xf8 ? head - 0xf7 : head >= 0xb8 && head < 0xc0 ? head - 0xb7 : 0
  const sizeBytes = rlp.subarray(1, 1 + sizeLength)
  if (sizeBytes.length < sizeLength) return 'rlp: value size exceeds available input length'
  const size = sizeBytes.reduce((sum, byte) => sum * 256 + byte, 0)
  if (sizeLength > 0 && (sizeBytes[0] === 0 || size < 56)) {
    return 'rlp: non-canonical size information for types.extblock'
  }
  if (head < 0xc0) return 'rlp: expected input list for types.extblock'
  const end = 1 + sizeLength + (sizeLength === 0 ? head - 0xc0 : size)
  if (end > rlp.length) return 'rlp: value size exceeds available input length'
  return end < rlp.length ? 'rlp: input contains more than one value' : undefined
}

function decodeBlock(rlp: Uint8Array): UploadedBlock {
  const cursor = new RlpCursor(rlp)
  cursor.enterList()
  if (cursor.countItems() < 3) throw undecodable('rlp: too few elements for types.extblock')
  const headerStart = cursor.position
  cursor.skip()
  const headerRlp = rlp.subarray(headerStart, cursor.position)
  const body = decodeBody(encodeList([rlp.subarray(cursor.position)]))
  return { header: decodeHeader(headerRlp), hash: keccak256(headerRlp), body }
}
