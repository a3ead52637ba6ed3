// Traces of whole blocks in the form of Parity, as JSON: lists of frames with the rewards of blocks, and replays. Follows
// trace_block, trace_filter and trace_replayBlockTransactions of reth and Erigon.
import { bytesToHex, quantity } from '../bytes.js'
import { blockRewards } from '../evm/block/block-rewards.js'
import { openBlock } from '../evm/block/process-block.js'
import { callBlockContext, supportedRules } from '../evm/block-context.js'
import type { FrameFilter, TraceSettings } from '../evm/engine.js'
import { onEvmThread, withLibraries } from '../evm/evm-thread.js'
import { matchesFilter } from '../evm/tracing/parity/localized-traces.js'
import { traceTransactions } from '../evm/tracing/trace-block.js'
import { TraceBudget } from '../evm/tracing/trace-context.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import type { TaskSignal } from '../stop.js'
import type { Body } from '../types/body.js'
import type { Header } from '../types/header.js'
import { tracedBlock } from './trace.js'
import { traceBlocks } from './trace-range.js'
import type { View } from './view.js'

/** A block of the view, whose state before it is on disk. */
export interface ParityBlock {
  readonly hash: Uint8Array
  readonly settings: Omit<TraceSettings, 'tracer'>
}

/** A replay of a block. */
export interface BlockReplay extends Omit<ParityBlock, 'settings'> {
  readonly settings: TraceSettings
}

/** Frames of a range of canonical blocks that a filter matches, both ends included. */
export interface FrameSearch extends BlockSpan {
  readonly filter: FrameFilter
  /** Frames that are left out at the start. */
  readonly after: number
  /** Frames at most. */
  readonly count: number
  readonly settings: Omit<TraceSettings, 'tracer'>
  /** Blocks that may be executed only for a state that is not on disk. */
  readonly maxLead: number
}

const anyFrame: FrameFilter = { from: undefined, to: undefined, needsBoth: false }

/** UTF-8 of a JSON list of the frames of a block and its rewards. Throws as a trace of a block. */
export async function traceBlockFrames(
  view: View,
  { hash, settings }: ParityBlock,
  signal: TaskSignal,
): Promise<Uint8Array> {
  const tracer = { name: 'localizedTraces' } as const
  const traces = await tracesOfBlock(view, { hash, settings: { ...settings, tracer } }, signal)
  const { header, body } = view.chain.block({ hash })!
  const lists = traces.map((list) => list.slice(1, -1))
  return encoded([...lists, ...rewardsOf(view, { header, body, hash }, anyFrame)])
}

/** UTF-8 of a JSON list of the replays of the transactions of a block. Throws as a trace of a block. */
export async function replayTransactions(
  view: View,
  input: BlockReplay,
  signal: TaskSignal,
): Promise<Uint8Array> {
  const traces = await tracesOfBlock(view, input, signal)
  const hashes = view.chain.block({ hash: input.hash })!.transactionHashes
  return encoded(
    traces.map((json, i) => `${json.slice(0, -1)},"transactionHash":"${bytesToHex(hashes[i]!)}"}`),
  )
}

function tracesOfBlock(
  view: View,
  { hash, settings }: BlockReplay,
  signal: TaskSignal,
): Promise<readonly string[]> {
  return withLibraries(() =>
    onEvmThread((thread) => {
      const block = tracedBlock(view, { hash }, signal)
      const execution = openBlock(block.header, block.environment, thread)
      return traceTransactions(block, execution, { settings, signal }).traces
    }),
  )
}

/** UTF-8 of a JSON list of the frames and rewards that a filter matches. Throws as traceBlocks, CALL_FAILED if it is too long. */
export async function filterFrames(
  view: View,
  { filter, after, count, settings, ...range }: FrameSearch,
  signal: TaskSignal,
): Promise<Uint8Array> {
  const budget = new TraceBudget(settings.limitCharacters)
  const found: string[] = []
  let skipped = 0
  const tracer = { name: 'localizedTraces', filter } as const
  if (count === 0) return encoded(found)
  for await (const { block, traces } of traceBlocks(
    view,
    { ...range, settings: { ...settings, tracer } },
    signal,
  )) {
    for (const text of [...traces.flatMap(elementsOf), ...rewardsOf(view, block, filter)]) {
      if (skipped++ < after) continue
      budget.take(text.length + 1)
      found.push(text)
      if (found.length >= count) return encoded(found)
    }
  }
  return encoded(found)
}

/** The texts of the elements of a JSON list. */
function elementsOf(list: string): string[] {
  return (JSON.parse(list) as unknown[]).map((element) => JSON.stringify(element))
}

/** The rewards of proof of work that a filter matches, of the miner first. */
function rewardsOf(
  { chain: { config } }: View,
  { header, body, hash }: { readonly header: Header; readonly body: Body; readonly hash: Uint8Array },
  filter: FrameFilter,
): string[] {
  if (header.difficulty === 0n) return []
  const rules = supportedRules(config, callBlockContext(header, { config, blockHash: () => undefined }))
  return blockRewards(header, body, { config, rules }).flatMap(({ address, amount }, i) => {
    const author = bytesToHex(address)
    if (!matchesFilter(filter, undefined, author)) return []
    const type = i === 0 ? 'block' : 'uncle'
    return (
      `{"action":{"author":"${author}","rewardType":"${type}","value":"${quantity(amount)}"}` +
      `,"blockHash":"${bytesToHex(hash)}","blockNumber":${header.number},"result":null,"subtraces":0,"traceAddress":[]` +
      ',"transactionHash":null,"transactionPosition":null,"type":"reward"}'
    )
  })
}

function encoded(elements: readonly string[]): Uint8Array {
  return new TextEncoder().encode(`[${elements.join(',')}]`)
}
