// The filter argument of eth_getLogs. Decodes only; the block range is checked against a view in methods/log.ts.
// Follows UnmarshalJSON of FilterCriteria in geth's eth/filters/api.go, without its caps on list lengths.

import { isAscii } from '../../byte-text.js'
import { eachElement, jsonKind } from '../json/cut.js'
import { unquote, unquoteStart } from '../json/strings.js'
import type { Limits } from '../limits.js'
import { type BlockNumberArgument, decodeBlockNumber } from './block.js'
import { decodeHash, parseBytes } from './hex.js'
import { DecodeError, structType, unmarshal } from './unmarshal.js'

const maxTopicPositions = 4

/** A decoded filter. */
export interface LogFilterArgument {
  /** Excludes both ends of the range. */
  readonly blockHash?: Uint8Array
  readonly fromBlock?: BlockNumberArgument
  readonly toBlock?: BlockNumberArgument
  /** Empty for any address. */
  readonly addresses: readonly Uint8Array[]
  /** A position without alternatives stands for any value. */
  readonly topics: readonly (readonly Uint8Array[])[]
}

/** Addresses and topics of a filter. */
export function parameterCount({ addresses, topics }: LogFilterArgument): number {
  return topics.reduce((sum, position) => sum + position.length, addresses.length)
}

interface RawFilter {
  blockHash?: Uint8Array | undefined
  fromBlock?: BlockNumberArgument | undefined
  toBlock?: BlockNumberArgument | undefined
  /** JSON text; Go decodes these two into values of any kind, and looks at them after all members. */
  address?: string
  topics?: string[] | undefined
}

const filterType = structType<RawFilter>('filters.input', {
  blockHash: (target, raw) => {
    target.blockHash = raw === 'null' ? undefined : decodeHash(raw)
  },
  fromBlock: (target, raw) => {
    target.fromBlock = raw === 'null' ? undefined : decodeBlockNumber(raw)
  },
  toBlock: (target, raw) => {
    target.toBlock = raw === 'null' ? undefined : decodeBlockNumber(raw)
  },
  address: (target, raw) => {
    target.address = raw
  },
  topics: (target, raw, state) => {
    target.topics = state.slice(raw, '[]interface {}', (position) => position, maxTopicPositions + 1)
  },
})

/**
 * filters.FilterCriteria; `null` is the empty filter. Lists of more addresses or topics than a filter may have are
 * decoded up to one more than the limit.
 */
export function decodeLogFilter(raw: string, { logParameters }: Limits): LogFilterArgument {
  const filter: RawFilter = {}
  unmarshal((state) => state.struct(raw, filterType, filter))
  const { blockHash, fromBlock, toBlock } = filter
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) {
    throw new DecodeError('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
  }
  const most = logParameters + 1
  return {
    ...(blockHash !== undefined && { blockHash }),
    ...(fromBlock !== undefined && { fromBlock }),
    ...(toBlock !== undefined && { toBlock }),
    addresses: parseAddresses(filter.address ?? 'null', most),
    topics: parseTopics(filter.topics ?? [], most),
  }
}

function parseAddresses(raw: string, most: number): Uint8Array[] {
  const kind = jsonKind(raw)
  if (kind === 'null') return []
  if (kind === 'string') return [parseAddress(hexText(raw), 'invalid address')]
  if (kind !== 'array') throw new DecodeError('invalid addresses in query')
  const addresses: Uint8Array[] = []
  eachElement(raw, (start, end) => {
    const index = addresses.length
    if (jsonKind(raw, start) !== 'string') throw new DecodeError(`non-string address at index ${index}`)
    const address = parseAddress(hexText(raw.slice(start, end)), `invalid address at index ${index}`)
    return addresses.push(address) === most
  })
  return addresses
}

/** The string of an address or a topic. One that is not ASCII is not hex, wherever that shows: its prefix is enough. */
function hexText(quoted: string): string {
  return isAscii(quoted) ? unquote(quoted) : `${unquoteStart(quoted, 2)}\ufffd`
}

function parseAddress(text: string, where: string): Uint8Array {
  try {
    return parseBytes(text, 20, 'address')
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new DecodeError(`${where}: ${error.message}`)
  }
}

function parseTopics(positions: readonly string[], most: number): Uint8Array[][] {
  if (positions.length > maxTopicPositions) throw new DecodeError('exceed max topics')
  return positions.map((raw) => {
    switch (jsonKind(raw)) {
      case 'null':
        return []
      case 'string':
        return [parseTopic(raw)]
      case 'array':
        return parseAlternatives(raw, most)
      default:
        throw new DecodeError('invalid topic(s)')
    }
  })
}

function parseTopic(raw: string): Uint8Array {
  return parseBytes(hexText(raw), 32, 'topic')
}

/** A `null` among the alternatives makes the position a wildcard, and what follows is not read. */
function parseAlternatives(raw: string, most: number): Uint8Array[] {
  const topics: Uint8Array[] = []
  let isWildcard = false
  eachElement(raw, (start, end) => {
    const kind = jsonKind(raw, start)
    isWildcard = kind === 'null'
    if (isWildcard) return true
    if (kind !== 'string') throw new DecodeError('invalid topic(s)')
    return topics.push(parseTopic(raw.slice(start, end))) === most
  })
  return isWildcard ? [] : topics
}
