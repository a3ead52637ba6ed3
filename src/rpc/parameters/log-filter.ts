// The filter argument of eth_getLogs. Decodes only; the block range is checked against a view in methods/log.ts.
// Follows UnmarshalJSON of FilterCriteria in geth's eth/filters/api.go, without its caps on list lengths.
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

interface RawFilter {
  blockHash?: Uint8Array | undefined
  fromBlock?: BlockNumberArgument | undefined
  toBlock?: BlockNumberArgument | undefined
  address?: unknown
  topics?: unknown[] | undefined
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
    target.address = JSON.parse(raw)
  },
  topics: (target, raw, state) => {
    target.topics = state.slice<unknown>(raw, '[]interface {}', JSON.parse)
  },
})

/** filters.FilterCriteria; `null` is the empty filter. */
export function decodeLogFilter(raw: string): LogFilterArgument {
  const filter: RawFilter = {}
  unmarshal((state) => state.struct(raw, filterType, filter))
  const { blockHash, fromBlock, toBlock } = filter
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) {
    throw new DecodeError('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
  }
  return {
    ...(blockHash !== undefined && { blockHash }),
    ...(fromBlock !== undefined && { fromBlock }),
    ...(toBlock !== undefined && { toBlock }),
    addresses: parseAddresses(filter.address),
    topics: parseTopics(filter.topics ?? []),
  }
}

function parseAddresses(value: unknown): Uint8Array[] {
  if (value === undefined || value === null) return []
  if (typeof value === 'string') return [parseAddress(value, 'invalid address')]
  if (!Array.isArray(value)) throw new DecodeError('invalid addresses in query')
  return value.map((element: unknown, index) => {
    if (typeof element !== 'string') throw new DecodeError(`non-string address at index ${index}`)
    return parseAddress(element, `invalid address at index ${index}`)
  })
}

function parseAddress(text: string, where: string): Uint8Array {
  try {
    return parseBytes(text, 20, 'address')
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new DecodeError(`${where}: ${error.message}`)
  }
}

function parseTopics(positions: readonly unknown[]): Uint8Array[][] {
  if (positions.length > maxTopicPositions) throw new DecodeError('exceed max topics')
  return positions.map((position) => {
    if (position === null) return []
    if (typeof position === 'string') return [parseBytes(position, 32, 'topic')]
    if (Array.isArray(position)) return parseAlternatives(position)
    throw new DecodeError('invalid topic(s)')
  })
}

/** A `null` among the alternatives makes the position a wildcard; what follows it is not looked at. */
function parseAlternatives(alternatives: readonly unknown[]): Uint8Array[] {
  const topics: Uint8Array[] = []
  for (const alternative of alternatives) {
    if (alternative === null) return []
    if (typeof alternative !== 'string') throw new DecodeError('invalid topic(s)')
    topics.push(parseBytes(alternative, 32, 'topic'))
  }
  return topics
}
