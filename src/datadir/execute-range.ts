// Executes a range of blocks on all workers and reports what differs from the directory; see view/execute-blocks.ts.
import { type ErrorCode, GethReaderError } from '../errors.js'
import { throwIfAborted } from '../stop.js'
import type { ExecutionTotals } from '../view/execute-blocks.js'
import { PendingNodes } from '../view/new-nodes.js'
import { blockLayout } from '../view/newest-state.js'
import type { ChainView } from './chain-view.js'
import { type BlockNumbers, planExecution } from './plan-execution.js'

/** Blocks of a piece at most: enough to make the reads at its start a small part, few enough to report progress. */
const mostPieceBlocks = 256

/** One in so many states is compared if not all are. */
const sampledStates = 16

/** Bytes of states in memory of all workers together. */
const stateBytes = 256 * 2 ** 20

/**
 * Trie nodes that are looked for in one scan of the store, if the range has at least this share of the chain's blocks; fewer are
 * read one by one. They take 20 bytes each.
 */
const mostPendingNodes = 3_000_000
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
  const { workers, signal, comparesAll, onDifference } = options
  const comparedEvery = comparesAll ? 1 : sampledStates
  const { states } = await view.availableStates()
  const { unexecuted, readable } = readableBlocks(view, { from: Math.max(1, range.from), to: range.to })
  if (readable === undefined) return { ...nothing, unexecuted }
  const blocks = readable.to - readable.from + 1
  const pieceBlocks = Math.min(mostPieceBlocks, Math.ceil(blocks / (2 * workers)))
  const planOptions = { states, pieceBlocks, canStart: (block: number) => hasStateBefore(view, block) }
  const comparesLater = blocks >= scannedShare * view.chain.head().header.number
  const plan = planExecution(readable, planOptions)
  if (plan.stateless) unexecuted.push({ ...plan.stateless, reason: 'no state before them can be read' })
  let totals = nothing
  const pieces = [...plan.pieces]
  const pending = new PendingNodes()
  /** Pieces in work, lowest first. */
  const running = new Map<BlockNumbers, AbortController>()
  let failure: { readonly from: number; readonly error: unknown } | undefined

  const stopAfter = (piece: BlockNumbers, error: unknown) => {
    if (failure !== undefined && failure.from < piece.from) return
    failure = { from: piece.from, error }
    pieces.length = 0
    for (const [other, controller] of running) if (other.from > piece.from) controller.abort()
  }
  const executePiece = async (piece: BlockNumbers) => {
    const controller = new AbortController()
    running.set(piece, controller)
    try {
      const input = { ...piece, maxBytes: stateBytes / workers, comparedEvery, comparesLater }
      const ending = AbortSignal.any([signal, controller.signal])
      const { nodes, ...done } = await view.run('executeBlocks', input, { signal: ending })
      if (nodes !== undefined) pending.add(nodes)
      totals = sumOf(totals, done)
    } catch (error) {
      if (controller.signal.aborted) return
      try {
        const rest = afterError(error, piece, { unexecuted, onDifference })
        if (rest === undefined) return
        const again = planExecution(rest, planOptions)
        if (again.stateless) {
          unexecuted.push({
            ...again.stateless,
            reason: 'they follow a difference, and no state before them can be read',
          })
        }
        pieces.unshift(...again.pieces)
      } catch (last) {
        stopAfter(piece, last)
      }
    } finally {
      running.delete(piece)
      options.onProgress(totals.blocks)
    }
  }
  /** Executes the blocks of a piece up to one of them again, whose nodes are read one by one for the error that says what is wrong. */
  const compareAgain = async (block: number) => {
    const { from } = plan.pieces.findLast((piece) => piece.from <= block)!
    const input = { from, to: block, maxBytes: stateBytes, comparedEvery: block }
    try {
      await view.run('executeBlocks', input, { signal })
    } catch (error) {
      afterError(error, { from: block, to: block }, { unexecuted, onDifference })
    }
  }
  const comparePending = async () => {
    const searches = pending.take(workers)
    const run = (search: (typeof searches)[number]) => view.run('blocksWithoutNodes', search, { signal })
    const found = (await Promise.all(searches.map(run))).flat()
    for (const block of new Set(found.sort((a, b) => a - b))) {
      if (failure !== undefined && failure.from <= block) return
      try {
        await compareAgain(block)
      } catch (error) {
        stopAfter({ from: block, to: block }, error)
      }
    }
  }
  const work = async () => {
    for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
      await executePiece(piece)
      if (pending.count >= mostPendingNodes) await comparePending()
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  await comparePending()
  throwIfAborted(signal)
  if (failure !== undefined) throw failure.error
  return { ...totals, unexecuted }
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

interface AfterError {
  readonly unexecuted: UnexecutedBlocks[]
  readonly onDifference: (difference: GethReaderError) => void
}

/** The rest of a piece after an error; undefined if that cannot be executed. Throws what ends everything. */
function afterError(
  error: unknown,
  piece: BlockNumbers,
  { unexecuted, onDifference }: AfterError,
): BlockNumbers | undefined {
  if (!(error instanceof GethReaderError)) throw error
  const { code, facts, message } = error
  const block = Number(facts.block ?? piece.from)
  if (ends.has(code)) {
    unexecuted.push({ from: block, to: piece.to, reason: message })
    return undefined
  }
  if (!differences.has(code)) throw error
  onDifference(error)
  return block < piece.to ? { from: block + 1, to: piece.to } : undefined
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
