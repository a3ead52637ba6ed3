// Traces of transactions, blocks and calls with geth's tracers, as objects.
import { bytesToHex } from '../bytes.js'
import type { HashedHeader } from '../chain/block.js'
import { type Members, milliseconds, optionalSignal, position } from '../check.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import { rejectedArguments } from '../evm/call-errors.js'
import type { TraceSettings } from '../evm/engine.js'
import { throwIfAborted } from '../stop.js'
import type { TraceInput } from '../view/trace.js'
import {
  type CallOptions,
  callOptionMembers,
  callWaiter,
  defaultCallMilliseconds,
  viewCall,
} from './call-options.js'
import { blockMembers, callMembers, checkArguments } from './members.js'
import { fixedBytes } from './parameters.js'
import { blockSelector, existingHeader } from './select-block.js'
import type { TracerChoice, TransactionTrace } from './trace-results.js'
import { tracerMembers, tracerSpec } from './tracers.js'
import type { BlockParameters, CallParameters, TransactionPlace } from './types.js'

/** Limits of a trace. */
export interface TraceLimits {
  /** Time limit for each transaction, after which the trace throws DEADLINE_EXCEEDED; 0 for none. Default 5,000. */
  readonly timeoutMilliseconds?: number
  /** Cancels the trace, which throws ABORTED with the signal's reason as cause. */
  readonly signal?: AbortSignal
}

const limitMembers: Members<TraceLimits> = { timeoutMilliseconds: true, signal: true }
const traceMembers = { ...tracerMembers, ...limitMembers } as const
const placeMembers = { ...blockMembers, hash: true, index: true } as const

/** Characters that a trace may take as JSON: half of what a string may hold in V8. */
export const maxTraceCharacters = 2 ** 28

function traceSettings(options: TracerChoice & TraceLimits): TraceSettings {
  const { timeoutMilliseconds = defaultCallMilliseconds } = options
  return {
    tracer: tracerSpec(options),
    timeoutMilliseconds: milliseconds('timeoutMilliseconds', timeoutMilliseconds),
    limitCharacters: maxTraceCharacters,
  }
}

/** The trace of a transaction; undefined if it is unknown. Throws as `GethChain.traceTransaction`. */
export async function traceOfTransaction(
  datadir: Datadir,
  place: TransactionPlace,
  options: TracerChoice & TraceLimits,
): Promise<unknown> {
  checkArguments([place, placeMembers], [options, traceMembers])
  const settings = traceSettings(options)
  throwIfAborted(optionalSignal('signal', options.signal))
  return datadir.ask(async (view) => {
    const found = await findPlace(view, place)
    if (found === undefined) return undefined
    const { block, index } = found
    return runTrace(
      view,
      { base: parentOf(view, block), input: { settings, block, index } },
      callWaiter(datadir, options),
    )
  })
}

/** Block and index of a transaction; undefined if it is unknown. */
async function findPlace(
  view: ChainView,
  place: TransactionPlace,
): Promise<{ readonly block: HashedHeader; readonly index: number } | undefined> {
  if ('hash' in place) return view.transaction(fixedBytes('hash', place.hash, 32))
  const index = position('index', place.index)
  const selector = blockSelector(view, place)
  return selector && view.chain.transactionAt(selector, index)
}

/** The traces of a block; undefined if it is unknown. Throws as `GethChain.traceBlock`. */
export async function tracesOfBlock(
  datadir: Datadir,
  parameters: BlockParameters,
  options: TracerChoice & TraceLimits,
): Promise<readonly TransactionTrace<unknown>[] | undefined> {
  checkArguments([parameters, blockMembers], [options, traceMembers])
  const settings = traceSettings(options)
  throwIfAborted(optionalSignal('signal', options.signal))
  return datadir.ask(async (view) => {
    const selector = blockSelector(view, parameters)
    const block = selector && view.chain.header(selector)
    if (block === undefined) return undefined
    const work = { base: parentOf(view, block), input: { settings, block } }
    return (await runTrace(view, work, callWaiter(datadir, options))) as readonly TransactionTrace<unknown>[]
  })
}

const callAtBlockMembers = { ...callMembers, ...blockMembers }
const callTraceMembers = { ...tracerMembers, ...callOptionMembers } as const

/** The trace of a call. Throws as `GethChain.traceCall`. */
export async function traceOfCall(
  datadir: Datadir,
  parameters: CallParameters & BlockParameters,
  options: TracerChoice & CallOptions,
): Promise<unknown> {
  checkArguments([parameters, callAtBlockMembers], [options, callTraceMembers])
  const settings = traceSettings(options)
  return datadir.ask(async (view) => {
    const { timeoutMilliseconds: _, ...call } = viewCall(view, parameters, options)
    return runTrace(view, { base: call.header, input: { settings, call } }, callWaiter(datadir, options))
  })
}

/** A trace on top of the state after a block. */
interface TraceWork {
  readonly base: HashedHeader['header']
  readonly input: TraceInput
}

async function runTrace(
  view: ChainView,
  { base, input }: TraceWork,
  waiter: ReturnType<typeof callWaiter>,
): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await view.trace(base, input, waiter))) as unknown
}

/** The block before another. */
function parentOf(view: ChainView, { header }: HashedHeader): HashedHeader['header'] {
  if (header.number === 0) throw rejectedArguments('genesis is not traceable')
  return existingHeader(view, { blockHash: bytesToHex(header.parentHash) }).header
}
