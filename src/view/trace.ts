// Traces of calls, transactions and blocks on a view, as JSON. The state they need must be there.
import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import type { BlockExecution } from '../evm/block/system-calls.js'
import type { CallContext, CallRequest, TraceSettings } from '../evm/engine.js'
import { type EvmThread, onEvmThread, withLibraries } from '../evm/evm-thread.js'
import { executeBefore, type TracedBlock, traceBlock, traceTransaction } from '../evm/tracing/trace-block.js'
import { traceCall } from '../evm/tracing/trace-call.js'
import type { TaskSignal } from '../stop.js'
import type { Header } from '../types/header.js'
import { sendersOrZero } from '../types/sender.js'
import { CarriedStates } from './carried-states.js'
import { type DecodedCall, decodeInModule, type EncodedArguments } from './encoded-arguments.js'
import { isDaoFork } from './trace-range.js'
import { decodeUploadedBlock } from './uploaded-block.js'
import type { View } from './view.js'

/** A block by its hash, or as RLP. */
export type BlockToTrace = { readonly hash: Uint8Array } | { readonly rlp: Uint8Array }

type TracedCall = Omit<CallRequest, 'timeoutMilliseconds'>

/** A call with arguments that a worker decodes. */
type EncodedTracedCall = Omit<TracedCall, keyof DecodedCall> & {
  readonly encoded: EncodedArguments<DecodedCall>
}

/** What is to be traced. */
export type TraceInput = { readonly settings: TraceSettings } & (
  | {
      /** All transactions of a block, or the one with an index. */
      readonly block: BlockToTrace
      readonly index?: number
      /** Of all transactions: as in BlockTracing. */
      readonly showsErrors?: boolean
    }
  | {
      readonly call: TracedCall | EncodedTracedCall
      /** The block before one of whose transactions the call runs; default after the block of the call. */
      readonly before?: { readonly block: BlockToTrace; readonly index: number } | undefined
    }
)

/**
 * UTF-8 of the JSON of a trace. Throws STATE_UNAVAILABLE if the state is not on disk; CALL_REJECTED, DEADLINE_EXCEEDED and
 * CALL_FAILED with geth's texts.
 */
export async function trace(view: View, input: TraceInput, signal: TaskSignal): Promise<Uint8Array> {
  const decoded = await decodedInput(input)
  const json = await withLibraries(() =>
    onEvmThread((thread) => traceOnThread(view, decoded, { thread, signal })),
  )
  return encoded(json)
}

type DecodedInput =
  | Exclude<TraceInput, { readonly call: unknown }>
  | (TraceInput & { readonly call: TracedCall })

async function decodedInput(input: TraceInput): Promise<DecodedInput> {
  if ('block' in input) return input
  const { call } = input
  return { ...input, call: 'encoded' in call ? { ...call, ...(await decodeInModule(call.encoded)) } : call }
}

interface TraceTools {
  readonly thread: EvmThread
  readonly signal: TaskSignal
}

function traceOnThread(view: View, input: DecodedInput, { thread, signal }: TraceTools): string {
  const { settings } = input
  const tools = { settings, thread, signal }
  if ('block' in input) {
    const block = blockOnCarriedState(view, input.block, { thread, signal })
    if (input.index !== undefined) return traceTransaction(block, input.index, tools)
    return traceBlock(block, { ...tools, showsErrors: input.showsErrors })
  }
  const { call, before } = input
  const context = callContextOf(view, call.header)
  return traceCall(
    { ...call, settings },
    {
      context,
      thread,
      signal,
      before: before && openedBefore(tracedBlock(view, before.block, signal), before.index, thread),
    },
  )
}

/** As {@link tracedBlock}; a stored block runs on the state of {@link CarriedStates}, and moves it on. */
function blockOnCarriedState(view: View, block: BlockToTrace, { thread, signal }: TraceTools): TracedBlock {
  const traced = tracedBlock(view, block, signal)
  if ('rlp' in block) return traced
  const { header, hash, environment } = traced
  const states = CarriedStates.of(view)
  const state = states.after(header.parentHash, environment.state, { ...environment, thread })
  return {
    ...traced,
    environment: { ...environment, state },
    onExecuted(execution: BlockExecution, gasUsed: bigint) {
      // As geth, a trace does not move what the fork of the DAO moves.
      if (gasUsed === header.gasUsed && !isDaoFork(view, header.number))
        states.executed({ header, hash, execution })
    },
  }
}

function openedBefore(block: TracedBlock, index: number, thread: EvmThread) {
  const { execution, logCount } = executeBefore(block, index, thread)
  return { state: execution.state, logCount }
}

/** A block of the view, or an uploaded one, with the state before it. */
export function tracedBlock(view: View, block: BlockToTrace, signal: TaskSignal): TracedBlock {
  const { chain, states } = view
  const { header, hash, transactions, senderOf } =
    'rlp' in block ? uploadedBlock(block.rlp) : storedBlock(view, block.hash)
  const parent = chain.header({ hash: header.parentHash })
  if (parent === undefined) throw blockNotFound(header.parentHash)
  const environment = {
    config: chain.config,
    state: states.stateAt(parent.header.stateRoot),
    blockHash: (number: number) => chain.canonicalHash(number),
    checkTime: () => signal.throwIfAborted(),
  }
  return { header, hash, transactions, senderOf, environment }
}

type BlockContents = Omit<TracedBlock, 'environment'>

function storedBlock({ chain }: View, hash: Uint8Array): BlockContents {
  const block = chain.block({ hash })
  if (block === undefined) throw blockNotFound(hash)
  const { header, body } = block
  let senders: readonly Uint8Array[] | undefined
  const senderOf = (index: number) => {
    senders ??= chain.senders(block)
    return senders[index]!
  }
  return { header, hash, transactions: body.transactions, senderOf }
}

function uploadedBlock(rlp: Uint8Array): BlockContents {
  const { header, hash, body } = decodeUploadedBlock(rlp)
  let senders: readonly Uint8Array[] | undefined
  const senderOf = (index: number) => {
    senders ??= sendersOrZero(body.transactions.map(({ envelope }) => envelope))
    return senders[index]!
  }
  return { header, hash, transactions: body.transactions, senderOf }
}

function callContextOf({ chain, states }: View, header: Header): CallContext {
  return {
    config: chain.config,
    state: states.stateAt(header.stateRoot),
    blockHash: (number) => chain.canonicalHash(number),
  }
}

/** BLOCK_NOT_FOUND for a hash. */
export function blockNotFound(hash: Uint8Array): GethReaderError {
  return new GethReaderError('BLOCK_NOT_FOUND', `block ${bytesToHex(hash)} not found`, {
    blockHash: bytesToHex(hash),
  })
}

/** UTF-8 in a buffer of its own, so that it can be moved to another thread. */
function encoded(json: string): Uint8Array {
  return new TextEncoder().encode(json)
}
