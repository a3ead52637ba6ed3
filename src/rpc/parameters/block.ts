// Block arguments: a number or tag, or one of those or a hash, as a string or an EIP-1898 object.
// Decodes only; what a tag or a number stands for is decided against a view. Follows geth's rpc/types.go.
import { jsonKind } from '../json/cut.js'
import { unquote, unquoteStart } from '../json/strings.js'
import { decodeHash, parseHash, parseUint64 } from './hex.js'
import { DecodeError, decodeBoolean, MismatchError, structType, unmarshal } from './unmarshal.js'

const tags = ['latest', 'earliest', 'pending', 'safe', 'finalized'] as const

/** Names that stand for a block. */
export type BlockTag = (typeof tags)[number]

/** A block by tag or number; numbers reach to 2^63-1. */
export type BlockNumberArgument = { readonly tag: BlockTag } | { readonly number: bigint }

/** A block by tag, number or hash. */
export type BlockArgument =
  | BlockNumberArgument
  | { readonly hash: Uint8Array; readonly requireCanonical: boolean }

const byTag = new Map<string, { readonly tag: BlockTag }>(tags.map((tag) => [tag, { tag }]))
const maxInt64 = 2n ** 63n - 1n

/** What an absent block argument means. */
export const latestBlock: BlockNumberArgument = { tag: 'latest' }

/** rpc.BlockNumber. Looks at the JSON text as it stands, so a tag spelled with escapes is none. */
export function decodeBlockNumber(raw: string): BlockNumberArgument {
  const text = jsonKind(raw) === 'string' ? raw.slice(1, -1) : raw
  const tag = byTag.get(text)
  if (tag !== undefined) return tag
  const number = parseUint64(text)
  if (number > maxInt64) throw new DecodeError('block number larger than int64')
  return { number }
}

interface SelectorObject {
  number?: BlockNumberArgument | undefined
  hash?: Uint8Array | undefined
  requireCanonical: boolean
}

const selectorObject = structType<SelectorObject>('rpc.erased', {
  blockNumber: (target, raw) => {
    target.number = raw === 'null' ? undefined : decodeBlockNumber(raw)
  },
  blockHash: (target, raw) => {
    target.hash = raw === 'null' ? undefined : decodeHash(raw)
  },
  requireCanonical: (target, raw) => {
    if (raw !== 'null') target.requireCanonical = decodeBoolean(raw)
  },
})

function decodeSelectorObject(raw: string): BlockArgument {
  const object: SelectorObject = { requireCanonical: false }
  try {
    unmarshal((state) => state.struct(raw, selectorObject, object))
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    // geth then tries the value as a string, whose failure hides the cause.
    throw new MismatchError(jsonKind(raw), 'string')
  }
  const { number, hash, requireCanonical } = object
  if (number !== undefined && hash !== undefined) {
    throw new DecodeError('cannot specify both BlockHash and BlockNumber, choose one or the other')
  }
  if (hash !== undefined) return { hash, requireCanonical }
  if (number !== undefined) return number
  throw new DecodeError('must specify either BlockHash or BlockNumber')
}

/** Characters of a selector that are read. What is longer is no block, and its start says why. */
const longestSelector = 256

function parseSelector(text: string): BlockArgument {
  const tag = byTag.get(text)
  if (tag !== undefined) return tag
  if (Buffer.byteLength(text) === 66) return { hash: parseHash(text), requireCanonical: false }
  return checkedNumber(parseUint64(text))
}

function checkedNumber(number: bigint): BlockArgument {
  if (number > maxInt64) throw new DecodeError('blocknumber too high')
  return { number }
}

/** rpc.BlockNumberOrHash. */
export function decodeBlock(raw: string): BlockArgument {
  const kind = jsonKind(raw)
  if (kind === 'string') return parseSelector(unquoteStart(raw, longestSelector))
  if (kind === 'object' || kind === 'null') return decodeSelectorObject(raw)
  throw new MismatchError(kind, 'string')
}

const decimalDigits = /^[0-9]+$/
/** Longer numbers are above 2^63-1 whatever their digits, and converting them would take long. */
const maxDecimalDigits = 19

/** The characters of a string; escapes stay in one that is longer than a number can be without leading zeros. */
function decimalText(quoted: string): string {
  return quoted.length > longestSelector ? quoted.slice(1, -1) : unquote(quoted)
}

/** As {@link decodeBlock}, and decimal integers, as a JSON number or a string of digits: `eth_getBlockReceipts`. */
export function decodeReceiptsBlock(raw: string): BlockArgument {
  const text = jsonKind(raw) === 'string' ? decimalText(raw) : raw
  if (!decimalDigits.test(text)) return decodeBlock(raw)
  let zeros = 0
  while (text[zeros] === '0') zeros++
  return checkedNumber(
    text.length - zeros > maxDecimalDigits ? maxInt64 + 1n : BigInt(text.slice(zeros) || 0),
  )
}
