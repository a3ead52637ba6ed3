// debug_traceTransaction, debug_traceBlock… and debug_traceCall. Order of evaluation and texts as in geth's
// eth/tracers/api.go; the work is done in workers.
import { bytesToHex } from '../../bytes.js'
import type { HashedHeader } from '../../chain/block.js'
import type { ChainView } from '../../datadir/chain-view.js'
import type { TraceSettings } from '../../evm/engine.js'
import { readBadBlock } from '../../rawdb/bad-blocks.js'
import type { DecodedCall, EncodedArguments } from '../../view/encoded-arguments.js'
import type { BlockToTrace } from '../../view/trace.js'
import { decodeUploadedBlock } from '../../view/uploaded-block.js'
import type { JsonText } from '../json/json-text.js'
import { serverError } from '../json-rpc-error.js'
import { runEncoded } from '../large-arguments.js'
import type { Limits } from '../limits.js'
import { type MethodContext, method, onWorkers } from '../method.js'
import { type BlockArgument, decodeBlockNumber } from '../parameters/block.js'
import {
  tracedCallOf,
  tracedCallParameters,
  tracedCallSettingParameters,
} from '../parameters/call-parameters.js'
import { decodeBytes, decodeHash } from '../parameters/hex.js'
import { optional, required } from '../parameters/parameter.js'
import {
  decodeTraceConfig,
  type TraceCallConfigArgument,
  type TraceConfigArgument,
} from '../parameters/trace-config.js'
import { schemaOf } from '../schemas.js'
import { isPending, selectBlock, selectNumber, selectPending } from './block-selection.js'
import { gasCap } from './call.js'

/** The config of a trace of transactions. */
export const config = optional(
  required('config', 'TraceConfig', decodeTraceConfig),
  decodeTraceConfig('null'),
)

/** Longest block whose RLP is decoded on the main thread: 16 KiB of transactions take 5 ms (2026-11-24). */
const longestOnMainThread = 16_384

/** What geth takes for each transaction if the config says nothing. */
const defaultMilliseconds = 5_000
/** The shortest limit, for zero and negative ones, which geth takes for over. */
const noMilliseconds = 1e-3

/** How a tracer runs within the limits of the caller. */
export function traceSettings({ tracer, timeout }: TraceConfigArgument, limits: Limits): TraceSettings {
  const { traceMilliseconds: most, traceBytes: limitCharacters } = limits
  const asked = timeout && 'milliseconds' in timeout ? timeout.milliseconds : defaultMilliseconds
  const bounded = most === 0 ? asked : Math.min(asked, most)
  return {
    tracer,
    timeoutMilliseconds: Math.max(bounded, noMilliseconds),
    limitCharacters,
    ...(timeout && 'problem' in timeout && { invalidTimeout: timeout.problem }),
  }
}

/** A block by its number or hash, with geth's text for one that is not there. */
export function headerToTrace(view: ChainView, argument: BlockArgument): HashedHeader {
  const selector = selectBlock(view, argument)
  const found = view.chain.header('hash' in selector ? { hash: selector.hash } : selector)
  if (found !== undefined) return found
  if ('hash' in argument) throw serverError(`block ${bytesToHex(argument.hash)} not found`)
  const number = 'number' in argument ? argument.number : selectNumber(view, argument)
  throw serverError(`block #${number} not found`)
}

/** The block before another. */
export function parentOf(view: ChainView, { number, parentHash }: HashedHeader['header']): HashedHeader {
  if (number === 0) throw serverError('genesis is not traceable')
  return headerToTrace(view, { hash: parentHash, requireCanonical: false })
}

/** What of a block is traced: one transaction, or all of them. */
interface BlockTrace {
  readonly header: HashedHeader['header']
  readonly block: BlockToTrace
  readonly index?: number
}

async function traceOf(
  context: MethodContext,
  { header, block, index }: BlockTrace,
  argument: TraceConfigArgument,
): Promise<JsonText> {
  const { view, limits } = context
  const settings = traceSettings(argument, limits)
  const { header: parent } = parentOf(view, header)
  return [await view.trace(parent, { settings, block, ...(index !== undefined && { index }) }, context)]
}

/** What a call is traced on, and how. */
interface CallTraceSetting {
  readonly settings: TraceSettings
  readonly header: HashedHeader['header']
  readonly gasCap: bigint
  /** The block before one of whose transactions the call runs. */
  readonly before: { readonly block: BlockToTrace; readonly index: number } | undefined
}

/** Throws what is wrong with the block. */
function callTraceSetting(
  { view, limits }: MethodContext,
  at: BlockArgument,
  argument: TraceCallConfigArgument,
): CallTraceSetting {
  if (isPending(at)) throw serverError('tracing on top of pending is not supported')
  const { header, hash } = headerToTrace(view, at)
  const { transactionIndex } = argument
  const before =
    transactionIndex === undefined ? undefined : { block: { hash }, index: Number(transactionIndex) }
  if (before !== undefined && header.number === 0) throw serverError('no transaction in genesis')
  return { settings: traceSettings(argument, limits), header, gasCap: gasCap(view, limits), before }
}

/** Traces a call, which a worker may decode. */
export async function answerCallTrace(
  context: MethodContext,
  call: DecodedCall | { readonly encoded: EncodedArguments<DecodedCall> },
  { settings, before, ...setting }: CallTraceSetting,
): Promise<JsonText> {
  const { view } = context
  const base = before === undefined ? setting.header : parentOf(view, setting.header).header
  return [await view.trace(base, { settings, call: { ...call, ...setting }, before }, context)]
}

/** The header of a block that a caller sends. A worker decodes long ones. */
async function uploadedHeader(context: MethodContext, rlp: Uint8Array): Promise<HashedHeader['header']> {
  if (rlp.length <= longestOnMainThread) return decodeUploadedBlock(rlp).header
  return context.view.run('uploadedHeader', rlp, context)
}

/** Methods of traces by name. */
export const traceMethods = {
  debug_traceTransaction: method({
    summary: 'Trace of a transaction',
    parameters: [required('hash', 'Hash', decodeHash), config],
    result: schemaOf('Trace'),
    ...onWorkers,
    async run(context, hash, argument) {
      const found = await context.view.transaction(hash)
      if (found === undefined) throw serverError('transaction not found')
      const { block, index } = found
      return traceOf(context, { header: block.header, block: { hash: block.hash }, index }, argument)
    },
  }),

  debug_traceBlockByNumber: method({
    summary: 'Traces of the transactions of a block, by its number or name',
    parameters: [required('block', 'BlockNumber', decodeBlockNumber), config],
    result: schemaOf('TransactionTraces'),
    ...onWorkers,
    async run(context, at, argument) {
      if (isPending(at)) {
        selectPending(context)
        // The pending block of a directory has no transactions.
        return '[]'
      }
      const { header, hash } = headerToTrace(context.view, at)
      return traceOf(context, { header, block: { hash } }, argument)
    },
  }),

  debug_traceBlockByHash: method({
    summary: 'Traces of the transactions of a block, by its hash',
    parameters: [required('hash', 'Hash', decodeHash), config],
    result: schemaOf('TransactionTraces'),
    ...onWorkers,
    async run(context, hash, argument) {
      const { header } = headerToTrace(context.view, { hash, requireCanonical: false })
      return traceOf(context, { header, block: { hash } }, argument)
    },
  }),

  debug_traceBlock: method({
    summary: 'Traces of the transactions of a block that the caller sends as RLP',
    parameters: [required('block', 'Data', decodeBytes), config],
    result: schemaOf('TransactionTraces'),
    ...onWorkers,
    async run(context, rlp, argument) {
      const header = await uploadedHeader(context, rlp)
      return traceOf(context, { header, block: { rlp } }, argument)
    },
  }),

  debug_traceBadBlock: method({
    summary: 'Traces of the transactions of a block that geth refused, by its hash',
    parameters: [required('hash', 'Hash', decodeHash), config],
    result: schemaOf('TransactionTraces'),
    ...onWorkers,
    async run(context, hash, argument) {
      const rlp = readBadBlock(context.view.snapshot.db, hash)
      if (rlp === undefined) throw serverError(`bad block ${bytesToHex(hash)} not found`)
      return traceOf(context, { header: await uploadedHeader(context, rlp), block: { rlp } }, argument)
    },
  }),

  debug_traceCall: method({
    summary: 'Trace of a call on the state after a block, or before one of its transactions',
    parameters: tracedCallParameters,
    result: schemaOf('Trace'),
    ...onWorkers,
    run(context, call, at, argument) {
      const decoded = tracedCallOf([call, at, argument])
      return answerCallTrace(context, decoded, callTraceSetting(context, at, argument))
    },
    runLarge(context, args) {
      const prepare = (_: unknown, at: BlockArgument, argument: TraceCallConfigArgument) =>
        callTraceSetting(context, at, argument)
      const large = { decoder: 'tracedCall', args, needed: tracedCallSettingParameters, prepare } as const
      return runEncoded(context, large, (setting, encoded) => answerCallTrace(context, { encoded }, setting))
    },
  }),
}
