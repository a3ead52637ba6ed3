// Traces the transactions of a block, each on the state after the one before. Follows traceBlock and StateAtTransaction.
import { bytesToHex } from '../../bytes.js'
import { GethReaderError } from '../../errors.js'
import { quoteJson } from '../../quote-json.js'
import type { TaskSignal } from '../../stop.js'
import type { Header } from '../../types/header.js'
import type { Transaction } from '../../types/transaction.js'
import { applyTransaction, transactionMessage } from '../block/apply-transaction.js'
import { type BlockEnvironment, openBlock } from '../block/process-block.js'
import type { BlockExecution } from '../block/system-calls.js'
import { rejectedArguments, TransactionError } from '../call-errors.js'
import type { TraceSettings } from '../engine.js'
import type { EvmThread } from '../evm-thread.js'
import { TraceBudget } from './trace-context.js'
import { type MessageTrace, traceMessage } from './trace-message.js'

/** A block with the state before it. */
export interface TracedBlock {
  readonly header: Header
  readonly hash: Uint8Array
  readonly transactions: readonly Transaction[]
  /** Sender of the transaction with an index. */
  readonly senderOf: (index: number) => Uint8Array
  readonly environment: BlockEnvironment
  /** Called after all transactions were traced, before what follows them in the block. */
  readonly onExecuted?: (execution: BlockExecution, gasUsed: bigint) => void
}

/** How a block is traced. */
interface BlockTracing {
  readonly settings: TraceSettings
  readonly thread: EvmThread
  readonly signal: TaskSignal | undefined
  /**
   * Whether the error of a trace is in the place of its transaction, with null for those after it, as in geth's traces of a
   * chain; else it is thrown.
   */
  readonly showsErrors?: boolean | undefined
}

/** The traces of all transactions as a JSON list with an object for each. Throws as traceMessage. */
export function traceBlock(block: TracedBlock, tracing: BlockTracing): string {
  const execution = openBlock(block.header, block.environment, tracing.thread)
  const { settings, showsErrors } = tracing
  const { tracer } = settings
  // geth goes on after the failure of a script.
  if (tracer.name === 'invalid' && tracer.isScript && !showsErrors) {
    const error = `"error":${quoteJson(tracer.message)}`
    return `[${block.transactions.map(({ hash }) => `{"txHash":"${bytesToHex(hash)}",${error}}`).join(',')}]`
  }
  const { traces, gasUsed, failure } = traceTransactions(block, execution, tracing)
  if (failure === undefined) block.onExecuted?.(execution, gasUsed)
  return namedTraces(block, traces, failure)
}

/**
 * A JSON list of the traces of a block, each with the hash of its transaction. A failure is that of the transaction after the
 * traces; it has no trace, nor have those after it.
 */
export function namedTraces(
  { transactions }: Pick<TracedBlock, 'transactions'>,
  traces: readonly string[],
  failure?: Error,
): string {
  const items = transactions.map(({ hash }, i) => {
    const name = `{"txHash":"${bytesToHex(hash)}"`
    if (i < traces.length) return `${name},"result":${traces[i]}}`
    return i === traces.length && failure ? `${name},"error":${quoteJson(failure.message)}}` : 'null'
  })
  return `[${items.join(',')}]`
}

/** The traces of a block. */
interface BlockTraces {
  /** JSON of the trace of each transaction. */
  readonly traces: readonly string[]
  readonly gasUsed: bigint
  /** Why the transaction after them has none. */
  readonly failure?: Error
}

/** Executes and traces all transactions of a block that was opened. Throws as traceMessage. */
export function traceTransactions(
  block: TracedBlock,
  execution: BlockExecution,
  { settings, signal, showsErrors }: Omit<BlockTracing, 'thread'>,
): BlockTraces {
  const { config } = block.environment
  const budget = new TraceBudget(settings.limitCharacters)
  const traces: string[] = []
  let firstLogIndex = 0
  let gasUsed = 0n
  for (const index of block.transactions.keys()) {
    const context = { config, place: placeOf(block, index), firstLogIndex, budget }
    let traced: MessageTrace
    try {
      traced = traceMessage(execution, messageOf(block, index), { settings, context, signal })
    } catch (error) {
      if (!showsErrors || !isOfTrace(error)) throw error
      return { traces, gasUsed, failure: error }
    }
    traces.push(traced.json)
    firstLogIndex += traced.logs.length
    gasUsed += traced.gasUsed
  }
  return { traces, gasUsed }
}

/** Whether an error is about the trace, and not about the directory or the caller. */
function isOfTrace(error: unknown): error is GethReaderError {
  const codes: readonly string[] = ['CALL_REJECTED', 'CALL_FAILED', 'DEADLINE_EXCEEDED']
  return error instanceof GethReaderError && codes.includes(error.code)
}

/** The trace of one transaction as JSON. Throws as traceMessage. */
export function traceTransaction(
  block: TracedBlock,
  index: number,
  { settings, thread, signal }: BlockTracing,
): string {
  const { execution, logCount } = executeBefore(block, index, thread)
  const context = {
    config: block.environment.config,
    place: placeOf(block, index),
    firstLogIndex: logCount,
    budget: new TraceBudget(settings.limitCharacters),
  }
  return traceMessage(execution, messageOf(block, index), { settings, context, signal }).json
}

/** A block before one of its transactions. */
interface OpenedBlock {
  readonly execution: BlockExecution
  /** Logs of the transactions so far. */
  readonly logCount: number
}

/**
 * Executes a block up to the transaction with an index, which it does not execute. 0 is allowed for a block without any.
 * Throws CALL_REJECTED if there is no such transaction.
 */
export function executeBefore(block: TracedBlock, index: number, thread: EvmThread): OpenedBlock {
  const { transactions, environment, header, hash } = block
  const execution = openBlock(header, environment, thread)
  let logCount = 0
  for (let i = 0; i < Math.min(index, transactions.length); i++) {
    environment.checkTime()
    try {
      logCount += applyTransaction(execution, messageOf(block, i)).logs.length
    } catch (error) {
      if (!(error instanceof TransactionError)) throw error
      throw rejectedArguments(`transaction ${bytesToHex(transactions[i]!.hash)} failed: ${error.message}`)
    }
  }
  if (index < transactions.length || (index === 0 && transactions.length === 0))
    return { execution, logCount }
  throw rejectedArguments(`transaction index ${index} out of range for block ${bytesToHex(hash)}`)
}

/** The message of the transaction with an index. */
export function messageOf({ transactions, senderOf, header }: TracedBlock, index: number) {
  return transactionMessage(transactions[index]!, senderOf(index), header.baseFeePerGas)
}

function placeOf({ header, hash, transactions }: TracedBlock, index: number) {
  return {
    blockHash: hash,
    blockNumber: BigInt(header.number),
    transactionHash: transactions[index]!.hash,
    transactionIndex: index,
  }
}
