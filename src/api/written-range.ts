// Block ranges as people write them: `18_000_000`, `15.5M`, tags, `15M:16M`, `-1000:`, `15M:+1000` (cryo's forms).
// Both ends are included, as in log queries.
import type { Awaitable } from '../awaitable.js'
import { GethReaderError } from '../errors.js'
import type { BlockTag } from './types.js'

/** One end of a range; `count` is a number of blocks counted from the other end. */
export type RangeEnd = { readonly number: bigint } | { readonly tag: BlockTag } | { readonly count: bigint }

/** A range as written, before tags and counts are resolved. */
export interface WrittenRange {
  readonly from: RangeEnd
  readonly to: RangeEnd
}

const tags: readonly BlockTag[] = ['latest', 'earliest', 'safe', 'finalized']
const powers: Readonly<Record<string, number>> = { '': 0, k: 3, m: 6, b: 9 }
const bothCounted = 'expected a count of blocks for one end of the range at most'
const expected = 'expected a block number (18_000_000, 15.5M, 0x10), latest, earliest, safe or finalized'

/** The first block of a range: also `-1000`, the last 1,000 blocks up to the other end. Throws TypeError. */
export function parseFirstBlock(text: string): RangeEnd {
  if (text.startsWith('-')) return { count: parseCount(text) }
  return parseBlock(text, `${expected}, or -1000 for the last 1,000`)
}

/** The last block of a range: also `+1000`, 1,000 blocks starting at the other end. Throws TypeError. */
export function parseLastBlock(text: string): RangeEnd {
  if (text.startsWith('+')) return { count: parseCount(text) }
  return parseBlock(text, `${expected}, or +1000 for 1,000 blocks`)
}

/** A range: two ends with a colon between them, each optional, or one block. Throws TypeError. */
export function parseRange(text: string): WrittenRange {
  const [first = '', last, ...more] = text.split(':')
  if (more.length > 0) throw new TypeError('expected FROM:TO')
  if (last === undefined) {
    const block = parseBlock(first, expected)
    return { from: block, to: block }
  }
  const from = first === '' ? ({ tag: 'earliest' } as const) : parseFirstBlock(first)
  const to = last === '' ? ({ tag: 'latest' } as const) : parseLastBlock(last)
  if ('count' in from && 'count' in to) throw new TypeError(bothCounted)
  if ('number' in from && 'number' in to && from.number > to.number) {
    throw new TypeError(`expected no block before the first, ${from.number}`)
  }
  return { from, to }
}

/** The number of the block of a tag; undefined if the directory does not record it. */
export type TagNumber = (tag: BlockTag) => Awaitable<bigint | undefined>

/**
 * The numbers of a range, both ends included. Throws TypeError if each end is counted from the other, and BLOCK_NOT_FOUND
 * for a tag that the directory does not record. The caller finds out whether the blocks exist.
 */
export async function resolveRange(
  { from, to }: WrittenRange,
  tagNumber: TagNumber,
): Promise<{ fromBlock: bigint; toBlock: bigint }> {
  if ('count' in from) {
    if ('count' in to) throw new TypeError(`first and last block: ${bothCounted}`)
    const toBlock = await numberOf(to, tagNumber)
    const fromBlock = toBlock - from.count + 1n
    return { fromBlock: fromBlock < 0n ? 0n : fromBlock, toBlock }
  }
  const fromBlock = await numberOf(from, tagNumber)
  return { fromBlock, toBlock: 'count' in to ? fromBlock + to.count - 1n : await numberOf(to, tagNumber) }
}

async function numberOf(end: { number: bigint } | { tag: BlockTag }, tagNumber: TagNumber): Promise<bigint> {
  if ('number' in end) return end.number
  const number = await tagNumber(end.tag)
  if (number !== undefined) return number
  throw new GethReaderError('BLOCK_NOT_FOUND', `this directory records no ${end.tag} block`)
}

function parseBlock(text: string, message: string): { number: bigint } | { tag: BlockTag } {
  const tag = tags.find((tag) => tag === text)
  if (tag !== undefined) return { tag }
  const number = parseNumber(text)
  if (number === undefined) throw new TypeError(message)
  return { number }
}

function parseCount(text: string): bigint {
  const count = parseNumber(text.slice(1))
  if (count === undefined || count === 0n) throw new TypeError('expected a number of blocks from 1')
  return count
}

/** A whole number with underscores, a decimal point and k, M or B; or hex. Undefined for anything else. */
function parseNumber(text: string): bigint | undefined {
  if (/^0x[0-9a-f]{1,13}$/i.test(text)) return BigInt(text)
  const match = /^(\d+(?:_\d+)*)(?:\.(\d+))?([kmb]?)$/i.exec(text)
  if (!match) return undefined
  const [, whole = '', fraction = '', suffix = ''] = match
  const power = powers[suffix.toLowerCase()]!
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > power) return undefined
  const number = BigInt(whole.replaceAll('_', '') + digits.padEnd(power, '0'))
  return number <= BigInt(Number.MAX_SAFE_INTEGER) ? number : undefined
}
