// The parameters of the trace_ methods, which geth does not have. Follows reth's TraceFilter and TraceType.
import { bytesToHex } from '../../bytes.js'
import type { FrameFilter, ParityTraceType } from '../../evm/engine.js'
import { jsonKind } from '../json/cut.js'
import { type BlockNumberArgument, decodeBlockNumber } from './block.js'
import { decodeAddress, decodeUint64 } from './hex.js'
import { DecodeError, decodeString, type FieldDecoder, structType, unmarshal } from './unmarshal.js'

const traceTypes: readonly ParityTraceType[] = ['trace', 'stateDiff', 'vmTrace']

/** Characters of a word that are looked at. */
const longestWord = 32

/** A list of trace types. */
export function decodeTraceTypes(raw: string): readonly ParityTraceType[] {
  const words = unmarshal((state) =>
    state.slice(raw, '[]string', (word) => decodeString(word, 'string', longestWord), 64),
  )
  return (words ?? []).map((word) => {
    const type = traceTypes.find((each) => each === word)
    if (type === undefined) throw new DecodeError(`unrecognized trace type: ${word}`)
    return type
  })
}

/** A count as a JSON number or as hex. */
function decodeCount(raw: string): number {
  const value = jsonKind(raw) === 'number' ? Number(raw) : Number(decodeUint64(raw))
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new DecodeError(`expected a count from 0, got ${raw.slice(0, longestWord)}`)
}

/** The one index of a list; undefined if it has none or several, which stand for no frame. */
export function decodeTraceIndex(raw: string): number | undefined {
  const indexes = unmarshal((state) => state.slice(raw, '[]uint64', decodeCount, 2))
  return indexes?.length === 1 ? indexes[0] : undefined
}

/** A filter as the caller gave it. */
export interface TraceFilterArgument {
  readonly fromBlock: BlockNumberArgument | undefined
  readonly toBlock: BlockNumberArgument | undefined
  readonly filter: FrameFilter
  readonly after: number
  readonly count: number
}

interface FilterDraft {
  fromBlock?: BlockNumberArgument | undefined
  toBlock?: BlockNumberArgument | undefined
  from?: readonly Uint8Array[] | undefined
  to?: readonly Uint8Array[] | undefined
  mode?: string | undefined
  after?: number | undefined
  count?: number | undefined
}

/** Addresses that one side of a filter may name. */
const mostAddresses = 1_000

function field<K extends keyof FilterDraft>(
  key: K,
  decode: (raw: string) => FilterDraft[K],
): FieldDecoder<FilterDraft> {
  return (target, raw) => {
    target[key] = raw === 'null' ? undefined : decode(raw)
  }
}

function addresses(key: 'from' | 'to'): FieldDecoder<FilterDraft> {
  return (target, raw, state) => {
    const found = state.slice(raw, '[]common.Address', decodeAddress, mostAddresses + 1)
    if (found && found.length > mostAddresses) throw new DecodeError(`more than ${mostAddresses} addresses`)
    target[key] = found
  }
}

const filterType = structType<FilterDraft>('TraceFilter', {
  fromBlock: field('fromBlock', decodeBlockNumber),
  toBlock: field('toBlock', decodeBlockNumber),
  fromAddress: addresses('from'),
  toAddress: addresses('to'),
  mode: field('mode', (raw) => decodeString(raw, 'string', longestWord)),
  after: field('after', decodeCount),
  count: field('count', decodeCount),
})

/** The filter of trace_filter. An absent or empty list of addresses matches any. */
export function decodeTraceFilter(raw: string): TraceFilterArgument {
  const draft: FilterDraft = {}
  unmarshal((state) => state.struct(raw, filterType, draft))
  const { fromBlock, toBlock, from, to, mode = 'union', after = 0, count = Number.MAX_SAFE_INTEGER } = draft
  if (mode !== 'union' && mode !== 'intersection') {
    throw new DecodeError(`unknown mode ${JSON.stringify(mode)}, expected union or intersection`)
  }
  const filter = { from: setOf(from), to: setOf(to), needsBoth: mode === 'intersection' }
  return { fromBlock, toBlock, filter, after, count }
}

function setOf(list: readonly Uint8Array[] | undefined): ReadonlySet<string> | undefined {
  return list === undefined || list.length === 0 ? undefined : new Set(list.map(bytesToHex))
}
