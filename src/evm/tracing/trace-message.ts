// Runs one transaction or call under a tracer. Follows traceTx of eth/tracers/api.go.
import { GethReaderError } from '../../errors.js'
import type { TaskSignal } from '../../stop.js'
import type { StoredLog } from '../../types/receipt.js'
import { applyTransaction } from '../block/apply-transaction.js'
import type { BlockExecution } from '../block/system-calls.js'
import { callClock } from '../call-clock.js'
import { rejectedArguments, TransactionError } from '../call-errors.js'
import type { TraceSettings } from '../engine.js'
import type { Message } from '../message.js'
import type { PrecompileSet } from '../precompiles/precompile-set.js'
import { makeTracer } from './make-tracer.js'
import type { TraceContext } from './trace-context.js'

/** How a message is traced. */
interface MessageTracing {
  readonly settings: TraceSettings
  readonly context: TraceContext
  readonly signal: TaskSignal | undefined
  /** Default those of the fork. */
  readonly precompiles?: PrecompileSet
}

/** A trace as JSON, with logs and gas of the transaction: none if its time was over. */
export interface MessageTrace {
  readonly json: string
  readonly logs: readonly StoredLog[]
  readonly gasUsed: bigint
}

/**
 * Traces a message and adds its changes to the state of the block. A transaction that fails has a trace too. Throws
 * CALL_REJECTED for one that is refused before execution and for a tracer that cannot be made, DEADLINE_EXCEEDED with
 * `execution timeout`, and NotLoadedError if a precompile needs a library that this thread has not loaded.
 */
export function traceMessage(
  execution: BlockExecution,
  message: Message,
  { settings, context, signal, precompiles }: MessageTracing,
): MessageTrace {
  const tracer = makeTracer(settings.tracer, context)
  if (settings.invalidTimeout !== undefined) throw rejectedArguments(settings.invalidTimeout)
  try {
    return inTraceTime(() => {
      const { checkTime } = callClock(settings, signal)
      const options = { tracer, ...(precompiles && { precompiles }) }
      const { logs, gasUsed } = applyTransaction({ ...execution, checkTime }, message, options)
      return { json: tracer.result(), logs, gasUsed }
    })
  } catch (error) {
    const isOver = error instanceof GethReaderError && error.code === 'DEADLINE_EXCEEDED'
    if (!isOver || !tracer.ignoresTimeout) throw error
    return { json: tracer.result(), logs: [], gasUsed: 0n }
  }
}

/** Does a part of a trace, with geth's texts for what ends it. */
export function inTraceTime<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof TransactionError) throw rejectedArguments(`tracing failed: ${error.message}`)
    if (!(error instanceof GethReaderError) || error.code !== 'DEADLINE_EXCEEDED') throw error
    throw new GethReaderError('DEADLINE_EXCEEDED', 'execution timeout', { ...error.facts, cause: error })
  }
}
