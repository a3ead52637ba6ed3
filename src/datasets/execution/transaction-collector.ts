// Collects what producers need of one transaction, by the tracers that also answer debug_traceTransaction.
import type { FrameOutcome } from '../../evm/interpreter/frame.js'
import { type EnteredFrame, frameOpcodes, type TracedEnd, type Tracer } from '../../evm/interpreter/tracer.js'
import type { MessageContext } from '../../evm/message.js'
import { PrecompileSet } from '../../evm/precompiles/precompile-set.js'
import { combineTracers } from '../../evm/tracing/combined-tracer.js'
import { FourByteTracer } from '../../evm/tracing/four-byte-tracer.js'
import { FrameTree, type TracedFrame } from '../../evm/tracing/frame-tree.js'
import { PrestateTracer } from '../../evm/tracing/prestate-tracer.js'
import type { TraceBudget, TraceContext } from '../../evm/tracing/trace-context.js'
import type { ExecutedTransaction, ExecutionNeeds, TransactionFrames } from './executed-block.js'
import { StateChanges } from './state-changes.js'

/** What was collected of a transaction. */
type CollectedTransaction = Pick<ExecutedTransaction, 'frames' | 'changes' | 'reads' | 'selectors'>

export interface TransactionCollector {
  readonly tracer: Tracer
  /** Called after the end of the transaction. */
  result(): CollectedTransaction
}

/** A collector for one transaction. What it collects counts against the budget of its block. */
export function collectTransaction(needs: ExecutionNeeds, context: TraceContext): TransactionCollector {
  const frames = needs.frames ? new FrameCollector(context.budget) : undefined
  const changes = needs.changes ? new StateChanges() : undefined
  const reads = needs.reads ? new PrestateTracer({}, context) : undefined
  const selectors = needs.selectors ? new FourByteTracer(context) : undefined
  const tracers: Tracer[] = [frames, changes, reads, selectors].filter((tracer) => tracer !== undefined)
  return {
    tracer: tracers.length === 1 ? tracers[0]! : combineTracers(tracers),
    result: () => ({
      ...(frames && { frames: frames.frames }),
      ...(changes && { changes: changes.changes }),
      ...(reads && { reads: reads.accounts }),
      ...(selectors && { selectors: selectors.counts }),
    }),
  }
}

/** Collects all frames of a transaction. */
class FrameCollector implements Tracer {
  readonly #tree: FrameTree
  readonly #codeless = new Set<TracedFrame>()
  #precompiles = new PrecompileSet()
  #gas = 0n
  #gasUsed = 0n

  constructor(budget: TraceBudget) {
    this.#tree = new FrameTree(budget)
  }

  start({ message, rules }: MessageContext): void {
    this.#gas = message.gasLimit
    this.#precompiles = new PrecompileSet(rules)
  }

  enter(entered: EnteredFrame): void {
    this.#tree.enter(entered)
  }

  exit(outcome: FrameOutcome, isReverted: boolean): void {
    const frame = this.#tree.exit(outcome, isReverted)
    if (outcome.error !== undefined && !isReverted) this.#codeless.add(frame)
  }

  end({ gasUsed }: TracedEnd): void {
    this.#gasUsed = gasUsed
  }

  get frames(): TransactionFrames {
    return {
      first: this.#tree.first,
      gas: this.#gas,
      gasUsed: this.#gasUsed,
      codeless: this.#codeless,
      isPrecompileCall: ({ entered: { opcode, to } }) =>
        (opcode === frameOpcodes.call || opcode === frameOpcodes.staticCall) &&
        this.#precompiles.at(to) !== undefined,
    }
  }
}
