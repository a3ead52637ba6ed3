// The trace_ methods of OpenEthereum in the form that reth gives, which explorers ask for. geth does not have them; they are on
// if the namespace `trace` is. The work is done in workers.
import type { HashedHeader } from '../../chain/block.js'
import type { FrameFilter, ParityTraceType, TracerSpec } from '../../evm/engine.js'
import type { JsonText } from '../json/json-text.js'
import { invalidParams, serverError } from '../json-rpc-error.js'
import { runEncoded } from '../large-arguments.js'
import { absentJson, type MethodContext, method, onWorkers } from '../method.js'
import { type BlockArgument, type BlockNumberArgument, decodeBlock } from '../parameters/block.js'
import {
  parityCallOf,
  parityCallParameters,
  parityCallSettingParameters,
} from '../parameters/call-parameters.js'
import { decodeHash } from '../parameters/hex.js'
import { required } from '../parameters/parameter.js'
import {
  decodeTraceFilter,
  decodeTraceIndex,
  decodeTraceTypes,
  type TraceFilterArgument,
} from '../parameters/parity-trace.js'
import { listOf, listOrNull, orNull, schemaOf } from '../schemas.js'
import { isPending, selectBlock, selectNumber } from './block-selection.js'
import { gasCap } from './call.js'
import { answerCallTrace, headerToTrace, parentOf, traceSettings } from './trace.js'

/** Blocks from the first to the last one of a filter, as in reth. */
const mostFilteredBlocks = 100

const hashParameter = required('hash', 'Hash', decodeHash)
const typesParameter = required('types', 'TraceTypes', decodeTraceTypes)
const blockParameter = required('block', 'Block', decodeBlock)

const emptyList = '[]'

function settingsOf({ limits }: MethodContext, tracer: TracerSpec) {
  return traceSettings({ tracer, timeout: undefined }, limits)
}

/** JSON of the trace of a canonical transaction; undefined if it is unknown. */
async function traceByHash(
  context: MethodContext,
  hash: Uint8Array,
  tracer: TracerSpec,
): Promise<Uint8Array | undefined> {
  const { view } = context
  const found = await view.transaction(hash)
  if (found === undefined) return undefined
  const { block, index } = found
  const settings = settingsOf(context, tracer)
  const input = { settings, block: { hash: block.hash }, index }
  return view.trace(parentOf(view, block.header).header, input, context)
}

/** A block of which all transactions are traced; undefined if it is unknown. The pending one has no transactions. */
function findBlock(context: MethodContext, at: BlockArgument): HashedHeader | undefined {
  const selector = selectBlock(context.view, at)
  return context.view.chain.header('hash' in selector ? { hash: selector.hash } : selector)
}

async function replayBlock(
  context: MethodContext,
  at: BlockArgument,
  types: readonly ParityTraceType[],
): Promise<JsonText> {
  if (isPending(at)) return emptyList
  const { view } = context
  const block = findBlock(context, at)
  if (block === undefined) return absentJson
  if (block.header.number === 0) return emptyList
  const settings = settingsOf(context, { name: 'parityResults', types })
  const { header: parent } = parentOf(view, block.header)
  return [await view.runOnState('replayTransactions', { hash: block.hash, settings }, parent, context)]
}

async function filterFrames(
  context: MethodContext,
  { fromBlock, toBlock, filter, after, count }: TraceFilterArgument,
): Promise<JsonText> {
  const { view } = context
  const numberOf = (argument: BlockNumberArgument) =>
    headerToTrace(view, { number: BigInt(selectNumber(view, argument)) }).header.number
  const from = fromBlock === undefined ? 0 : numberOf(fromBlock)
  const to = numberOf(toBlock ?? { tag: 'latest' })
  if (from > to) throw invalidParams('invalid parameters: fromBlock cannot be greater than toBlock')
  if (to - from > mostFilteredBlocks) {
    throw invalidParams(`Block range too large; currently limited to ${mostFilteredBlocks} blocks`)
  }
  const { tracer: _, ...settings } = settingsOf(context, localized())
  const input = { from, to, filter, after, count, settings, maxLead: view.mostReplayedBlocks }
  return [await view.run('filterFrames', input, context)]
}

/** What a call is traced on, and how. Throws what is wrong with the block. */
function callTraceSetting(context: MethodContext, types: readonly ParityTraceType[], at: BlockArgument) {
  const { view, limits } = context
  const { header } = headerToTrace(view, at)
  const settings = settingsOf(context, { name: 'parityResults', types })
  return { settings, header, gasCap: gasCap(view, limits), before: undefined }
}

function localized(filter?: FrameFilter): TracerSpec {
  return { name: 'localizedTraces', filter }
}

/** Methods by name. */
export const parityTraceMethods = {
  trace_block: method({
    summary: 'Frames of the transactions of a block, and its rewards',
    parameters: [blockParameter],
    result: listOrNull('ParityFrame'),
    ...onWorkers,
    async run(context, at): Promise<JsonText> {
      if (isPending(at)) return emptyList
      const { view } = context
      const block = findBlock(context, at)
      if (block === undefined) return absentJson
      if (block.header.number === 0) return emptyList
      const { tracer: _, ...settings } = settingsOf(context, localized())
      const { header: parent } = parentOf(view, block.header)
      return [await view.runOnState('traceBlockFrames', { hash: block.hash, settings }, parent, context)]
    },
  }),

  trace_transaction: method({
    summary: 'Frames of a transaction',
    parameters: [hashParameter],
    result: listOrNull('ParityFrame'),
    ...onWorkers,
    async run(context, hash): Promise<JsonText> {
      const json = await traceByHash(context, hash, localized())
      return json === undefined ? absentJson : [json]
    },
  }),

  trace_get: method({
    summary: 'One frame of a transaction, by its index in the list of trace_transaction',
    parameters: [hashParameter, required('indexes', 'TraceIndexes', decodeTraceIndex)],
    result: orNull('ParityFrame'),
    ...onWorkers,
    async run(context, hash, index): Promise<JsonText> {
      if (index === undefined) return absentJson
      const json = await traceByHash(context, hash, { name: 'localizedTraces', only: index })
      return json === undefined ? absentJson : [json]
    },
  }),

  trace_filter: method({
    summary: 'Frames of a range of blocks by sender and target',
    parameters: [required('filter', 'TraceFilter', decodeTraceFilter)],
    result: listOf('ParityFrame'),
    ...onWorkers,
    run: (context, filter) => filterFrames(context, filter),
  }),

  trace_call: method({
    summary: 'Frames, changes and opcodes of a call on the state after a block',
    parameters: parityCallParameters,
    result: schemaOf('ParityResults'),
    ...onWorkers,
    run(context, ...values) {
      const [, types, at] = values
      return answerCallTrace(context, parityCallOf(values), callTraceSetting(context, types, at))
    },
    runLarge(context, args) {
      const prepare = (_: unknown, types: readonly ParityTraceType[], at: BlockArgument) =>
        callTraceSetting(context, types, at)
      const large = { decoder: 'parityCall', args, needed: parityCallSettingParameters, prepare } as const
      return runEncoded(context, large, (setting, encoded) => answerCallTrace(context, { encoded }, setting))
    },
  }),

  trace_replayTransaction: method({
    summary: 'Frames, changes and opcodes of a transaction',
    parameters: [hashParameter, typesParameter],
    result: schemaOf('ParityResults'),
    ...onWorkers,
    async run(context, hash, types): Promise<JsonText> {
      const json = await traceByHash(context, hash, { name: 'parityResults', types })
      if (json === undefined) throw serverError('transaction not found')
      return [json]
    },
  }),

  trace_replayBlockTransactions: method({
    summary: 'Frames, changes and opcodes of each transaction of a block',
    parameters: [blockParameter, typesParameter],
    result: listOrNull('ParityResults'),
    ...onWorkers,
    run: (context, at, types) => replayBlock(context, at, types),
  }),
}
