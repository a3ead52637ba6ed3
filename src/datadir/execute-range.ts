// Executes a range of blocks on all workers and reports what differs from the directory; see view/execute-blocks.ts.
import { type ErrorCode, GethReaderError } from '../errors.js'
import { throwIfAborted } from '../stop.js'
import type { StateRange } from '../view/available-states.js'
import type { ExecutionTotals } from '../view/execute-blocks.js'
import { PendingNodes } from '../view/new-nodes.js'
import { blockLayout } from '../view/newest-state.js'
import type { ChainView } from './chain-view.js'
import { type BlockNumbers, type ExecutionPlan, planExecution } from './plan-execution.js'

/** Blocks of a piece at most: enough to make the reads at its start a small part, few enough to report progress. */
const mostPieceBlocks = 256

/** One in so many states is compared if not all are. */
const sampledStates = 16

/** Bytes of states in memory of all workers together. */
const stateBytes = 256 * 2 ** 20

/** Most trie nodes that are looked for in one scan of the store. Each takes 20 bytes until then. */
const mostPendingNodes = 3_000_000

/** Share of the chain's blocks from which on a range has its trie nodes looked for in scans; for less they are read one by one. */
const scannedShare = 1 / 8

const nothing: ExecutionTotals = { blocks: 0, transactions: 0, gas: 0n, roots: 0, states: 0 }

/** Blocks that were not executed. */
interface UnexecutedBlocks extends BlockNumbers {
  readonly reason: string
}

/** What was executed. */
export interface ExecutionReport extends ExecutionTotals {
  readonly unexecuted: readonly UnexecutedBlocks[]
}

interface ExecuteRangeOptions {
  /** Whether the new trie nodes of all blocks are compared with those on disk; otherwise those of each 16th block. */
  readonly comparesAll: boolean
  readonly workers: number
  readonly signal: AbortSignal
  /** Called with the number of blocks that are done. */
  onProgress(blocks: number): void
  /** Called for each difference, which names its block. Throws it to end with the first one. */
  onDifference(difference: GethReaderError): void
}

/** Errors after which the blocks that follow cannot be executed; they say nothing about the directory. */
const ends: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'UNSUPPORTED_FORK',
  'STATE_UNAVAILABLE',
  'HISTORY_PRUNED',
])

/** Errors about what is in the directory. */
const differences: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'DAMAGED',
  'MISSING_FILE',
  'UNSUPPORTED_FORMAT',
])

/**
 * Executes blocks, both ends included. The first difference is that of the lowest block: pieces before it are finished first.
 * After a difference that does not end the execution it continues with the next block if the state before that can be
 * read. Throws ABORTED, and what is no difference.
 */
export async function executeRange(
  view: ChainView,
  range: BlockNumbers,
  options: ExecuteRangeOptions,
): Promise<ExecutionReport> {
  const { states } = await view.availableStates()
  const { unexecuted, readable } = readableBlocks(view, { from: Math.max(1, range.from), to: range.to })
  if (readable === undefined) return { ...nothing, unexecuted }
  return new RangeExecution(view, { range: readable, states, unexecuted }, options).run()
}

/** Blocks to execute, none of them pruned. */
interface ReadableRange {
  readonly range: BlockNumbers
  readonly states: readonly StateRange[]
  /** Blocks outside of the range; those without a state are added. */
  readonly unexecuted: UnexecutedBlocks[]
}

/** One execution of a range. */
class RangeExecution {
  readonly #view: ChainView
  readonly #options: ExecuteRangeOptions
  readonly #plan: (blocks: BlockNumbers) => ExecutionPlan
  /** Whether new trie nodes are looked for in scans of the store, after the pieces that made them. */
  readonly #comparesLater: boolean
  /** All pieces of the first plan, lowest first. */
  readonly #planned: readonly BlockNumbers[]
  /** Pieces that nobody works on yet, lowest first. */
  readonly #waiting: BlockNumbers[]
  readonly #running = new Map<BlockNumbers, AbortController>()
  readonly #pending = new PendingNodes()
  readonly #unexecuted: UnexecutedBlocks[]
  #totals = nothing
  /** What ends the execution; that of the lowest block if there are several. */
  #failure: { readonly from: number; readonly error: unknown } | undefined

  constructor(view: ChainView, { range, states, unexecuted }: ReadableRange, options: ExecuteRangeOptions) {
    this.#view = view
    this.#options = options
    this.#unexecuted = unexecuted
    const blocks = range.to - range.from + 1
    const pieceBlocks = Math.min(mostPieceBlocks, Math.ceil(blocks / (2 * options.workers)))
    const canStart = (block: number) => hasStateBefore(view, block)
    this.#plan = (rest) => planExecution(rest, { states, pieceBlocks, canStart })
    this.#comparesLater = blocks >= scannedShare * view.chain.head().header.number
    this.#planned = this.#piecesOf(range, 'no state before them can be read')
    this.#waiting = [...this.#planned]
  }

  async run(): Promise<ExecutionReport> {
    const { workers, signal } = this.#options
    await Promise.all(Array.from({ length: workers }, () => this.#work()))
    await this.#comparePending()
    throwIfAborted(signal)
    if (this.#failure !== undefined) throw this.#failure.error
    return { ...this.#totals, unexecuted: this.#unexecuted }
  }

  /** Pieces of a range; `reason` says why blocks at its start cannot be executed if there are any. */
  #piecesOf(range: BlockNumbers, reason: string): readonly BlockNumbers[] {
    const { pieces, stateless } = this.#plan(range)
    if (stateless) this.#unexecuted.push({ ...stateless, reason })
    return pieces
  }

  async #work(): Promise<void> {
    for (let piece = this.#waiting.shift(); piece !== undefined; piece = this.#waiting.shift()) {
      await this.#executePiece(piece)
      if (this.#pending.count >= mostPendingNodes) await this.#comparePending()
    }
  }

  async #executePiece(piece: BlockNumbers): Promise<void> {
    const { comparesAll, workers, signal, onProgress } = this.#options
    const controller = new AbortController()
    this.#running.set(piece, controller)
    try {
      const input = {
        ...piece,
        maxBytes: stateBytes / workers,
        comparedEvery: comparesAll ? 1 : sampledStates,
        comparesLater: this.#comparesLater,
      }
      const ending = AbortSignal.any([signal, controller.signal])
      const { nodes, ...done } = await this.#view.run('executeBlocks', input, { signal: ending })
      if (nodes !== undefined) this.#pending.add(nodes)
      this.#totals = sumOf(this.#totals, done)
    } catch (error) {
      if (!controller.signal.aborted) this.#continueAfter(piece, error)
    } finally {
      this.#running.delete(piece)
      onProgress(this.#totals.blocks)
    }
  }

  /** Puts what can be executed of a piece after an error first among the waiting pieces. */
  #continueAfter(piece: BlockNumbers, error: unknown): void {
    try {
      const rest = this.#report(piece, error)
      if (rest === undefined) return
      const reason = 'they follow a difference, and no state before them can be read'
      this.#waiting.unshift(...this.#piecesOf(rest, reason))
    } catch (last) {
      this.#stopAfter(piece, last)
    }
  }

  /** Reports an error in a piece. Gives what can be executed of the piece after it. Throws the error if it ends everything. */
  #report(piece: BlockNumbers, error: unknown): BlockNumbers | undefined {
    if (!(error instanceof GethReaderError)) throw error
    const { code, facts, message } = error
    const block = Number(facts.block ?? piece.from)
    if (ends.has(code)) {
      this.#unexecuted.push({ from: block, to: piece.to, reason: message })
      return undefined
    }
    if (!differences.has(code)) throw error
    this.#options.onDifference(error)
    return block < piece.to ? { from: block + 1, to: piece.to } : undefined
  }

  /** Starts no more pieces, and stops those that are higher than the one that failed. */
  #stopAfter(piece: BlockNumbers, error: unknown): void {
    if (this.#failure !== undefined && this.#failure.from < piece.from) return
    this.#failure = { from: piece.from, error }
    this.#waiting.length = 0
    for (const [other, controller] of this.#running) if (other.from > piece.from) controller.abort()
  }

  /** Looks for all pending nodes, and compares the blocks again of which some are missing. */
  async #comparePending(): Promise<void> {
    const { workers, signal } = this.#options
    const searches = this.#pending
      .take(workers)
      .map((search) => this.#view.run('blocksWithoutNodes', search, { signal }))
    const blocks = (await Promise.all(searches)).flat()
    for (const block of new Set(blocks.sort((a, b) => a - b))) {
      if (this.#failure !== undefined && this.#failure.from <= block) return
      await this.#compareAgain(block)
    }
  }

  /** Executes a piece up to a block again, and reads the nodes of that one by one: the error says what is wrong. */
  async #compareAgain(block: number): Promise<void> {
    const { signal } = this.#options
    const { from } = this.#planned.findLast((piece) => piece.from <= block)!
    const input = { from, to: block, maxBytes: stateBytes, comparedEvery: block }
    const only = { from: block, to: block }
    try {
      await this.#view.run('executeBlocks', input, { signal })
    } catch (error) {
      try {
        this.#report(only, error)
      } catch (last) {
        this.#stopAfter(only, last)
      }
    }
  }
}

/** Whether the state before a block can be executed on. The values of a snapshot have no tries, and no history to compare. */
function hasStateBefore(view: ChainView, block: number): boolean {
  const layout = blockLayout(view.snapshot, block - 1)
  return layout !== undefined && layout !== 'snapshot'
}

/** The blocks that are not pruned. */
function readableBlocks(view: ChainView, { from, to }: BlockNumbers) {
  const unexecuted: UnexecutedBlocks[] = []
  const pruned = view.firstPruned(from, to)
  const first = pruned === undefined ? from : view.chain.historyCutoff
  if (first > from) {
    unexecuted.push({ from, to: Math.min(first - 1, to), reason: 'they are pruned, and not in an era file' })
  }
  return { unexecuted, readable: first <= to ? { from: first, to } : undefined }
}

function sumOf(a: ExecutionTotals, b: ExecutionTotals): ExecutionTotals {
  return {
    blocks: a.blocks + b.blocks,
    transactions: a.transactions + b.transactions,
    gas: a.gas + b.gas,
    roots: a.roots + b.roots,
    states: a.states + b.states,
  }
}
