// A log scan from its search to its last piece. Owns the order, the limit and the rest of the range, also when a view fails.
// Scans the first blocks on the main thread, the others by workers, a bounded number of pieces ahead of the reader.
import type { Attempt } from '../awaitable.js'
import type { LogFilter } from '../logs/filter.js'
import { firstLogs, type LogForm } from '../logs/log-forms.js'
import { logIndexesOf } from '../logs/log-indexes.js'
import { type LogIndexes, type LogSource, type PlanStep, planLogScan } from '../logs/plan.js'
import type { RangeOutcome, RangeResult } from '../logs/scan-range.js'
import { scanWork } from '../logs/scan-stats.js'
import { type BlockSpan, blockCount, blocksAfter, type ScanOrder } from '../rawdb/block-span.js'
import { deadlineError, throwIfAborted } from '../stop.js'
import type { View } from '../view/view.js'
import { attemptTask } from './main-thread.js'
import { runInOrder } from './ordered-pieces.js'
import { PieceSizes, targetWork } from './piece-size.js'
import { Pieces } from './pieces.js'
import type { WorkerPool } from './worker-pool.js'

/** A log query over canonical blocks, both ends included and at most the head. */
export interface LogSearch<F extends LogForm> extends BlockSpan {
  readonly filter: LogFilter
  /** The form in which logs are returned. */
  readonly form: F
  readonly order: ScanOrder
  /** Most logs. */
  readonly limit: number
  /** Indexes that may be used, in addition to reading all receipts; default all. */
  readonly sources?: readonly LogSource[]
  /** Milliseconds since 1970; default never. */
  readonly deadline?: number | undefined
}

/** The caller of a scan. */
interface ScanWaiter {
  readonly signal?: AbortSignal | undefined
  /** Callers take turns at the workers. */
  readonly caller?: object | undefined
}

/** How a query is answered, and which indexes of the directory are not used for it. */
interface SearchPlan extends Pick<LogIndexes, 'unusedIndexes'> {
  /** In ascending order, without gap or overlap. */
  readonly steps: readonly PlanStep[]
}

/** The blocks that one result covers, with the result. */
export type ScannedPiece<F extends LogForm> = PlanStep & RangeResult<F>

/** Bytes of logs after which a worker hands over what it has. */
const maxPieceBytes = 8 * 1024 * 1024

/** Multiple of the target after which a worker gives back the rest of a piece that is heavier than expected. */
const maxTargets = 2

/** A timer that is set to more fires at once. */
const longestTimer = 2 ** 31 - 1

/**
 * A scan of logs and its position. Pieces come in the order of the scan, each block in exactly one of them, until the limit is
 * reached. After a view has failed, the scan continues on another one after the last piece that was returned.
 */
export class OrderedScan<F extends LogForm> {
  readonly #search: LogSearch<F>
  readonly #sizes = new PieceSizes()
  /** Blocks and logs after the last piece. */
  #blocks: BlockSpan
  #logs: number

  constructor(search: LogSearch<F>) {
    this.#search = search
    this.#blocks = { from: search.from, to: search.to }
    this.#logs = search.limit
  }

  /** Whether nothing is left: neither blocks nor logs up to the limit. */
  get isOver(): boolean {
    return this.#logs <= 0 || blockCount(this.#blocks) === 0
  }

  /** How the rest is searched on a view. */
  plan(view: View): SearchPlan {
    const indexes = logIndexesOf(view.db)
    const { filter, sources } = this.#search
    return {
      steps: planLogScan(filter, this.#blocks, indexes, sources),
      unusedIndexes: indexes.unusedIndexes,
    }
  }

  /** The whole scan on a view. Throws as {@link begin} and {@link finish}. */
  async *run(
    pool: WorkerPool,
    view: View,
    waiter: ScanWaiter,
  ): AsyncGenerator<ScannedPiece<F>, void, undefined> {
    throwIfAborted(waiter.signal)
    const first = this.begin(view)
    if (first) yield first
    yield* this.finish(pool, view, waiter)
  }

  /** Scans first blocks on the main thread if that is short. Throws DEADLINE_EXCEEDED and what reading throws. */
  begin(view: View): ScannedPiece<F> | undefined {
    const [step] = this.#stepsInOrder(view)
    if (step === undefined) return undefined
    const { filter, form, order, deadline } = this.#search
    const { source, from, to } = step
    const bounds = { limit: this.#logs, maxBytes: maxPieceBytes, maxWork: targetWork }
    const input = { filter, form, source, from, to, order, ...bounds }
    const attempt = attemptTask('scanPiece', { view, input, deadline }) as Attempt<RangeResult<F>>
    if (attempt === undefined) return undefined
    this.#learn(source, attempt.value)
    return this.#take(source, attempt.value)
  }

  /**
   * Scans the rest by workers, see ordered-pieces.ts.
   *
   * @throws GethReaderError DEADLINE_EXCEEDED, QUEUE_FULL, WORKER_FAILED, ABORTED, and what reading throws
   */
  async *finish(
    pool: WorkerPool,
    view: View,
    { signal, caller }: ScanWaiter,
  ): AsyncGenerator<ScannedPiece<F>, void, undefined> {
    if (this.isOver) return
    const { filter, form, order, deadline } = this.#search
    using ending = new ScanEnd(deadline, signal)
    const pieces = new Pieces(this.#stepsInOrder(view), { order, sizes: this.#sizes, workers: pool.workers })
    const { descriptor } = view
    const lane = { caller, query: {} }
    const results = runInOrder({
      workers: pool.workers,
      signal: ending.signal,
      next: () => pieces.next(),
      start: async (piece: PlanStep) => {
        const bounds = { limit: this.#logs, maxBytes: maxPieceBytes, maxWork: maxTargets * targetWork }
        const input = { ...piece, ...bounds, filter, form, order }
        const options = { signal: ending.signal, deadline, lane }
        const result = await pool.run('scanPiece', { view: descriptor, input }, options)
        this.#learn(piece.source, result)
        return result as RangeResult<F>
      },
      rest: ({ source }, { rest }) => (rest ? pieces.split({ source, ...rest }) : []),
    })
    for await (const { piece, result } of results) {
      yield this.#take(piece.source, result)
      if (this.isOver) return
    }
  }

  #stepsInOrder(view: View): PlanStep[] {
    const steps = [...this.plan(view).steps]
    return this.#search.order === 'ascending' ? steps : steps.reverse()
  }

  #learn(source: LogSource, { done, stats }: RangeOutcome): void {
    const blocks = blockCount(done)
    if (blocks > 0) this.#sizes.of(source).learn(blocks, scanWork(stats))
  }

  /** Makes a result the last piece: the scan continues after it. Logs beyond the limit are cut off. */
  #take(source: LogSource, result: RangeResult<F>): ScannedPiece<F> {
    const { from, to } = result.done
    const { stats } = result
    const isCut = stats.logs > this.#logs
    const logs = isCut
      ? { ...firstLogs<F>(result, this.#logs), stats: { ...stats, logs: this.#logs } }
      : undefined
    this.#blocks = blocksAfter(this.#blocks, result.done, this.#search.order)
    this.#logs -= logs?.stats.logs ?? stats.logs
    return { ...result, ...logs, source, from, to }
  }
}

/** Ends the tasks of a scan: when its reader leaves, when its caller aborts, at its deadline. */
class ScanEnd implements Disposable {
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout | undefined

  constructor(deadline: number | undefined, signal: AbortSignal | undefined) {
    const own = this.#controller.signal
    this.signal = signal ? AbortSignal.any([signal, own]) : own
    if (deadline !== undefined) {
      const expire = () => this.#controller.abort(deadlineError())
      this.#timer = setTimeout(expire, Math.min(deadline - Date.now(), longestTimer))
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#controller.abort()
  }
}
