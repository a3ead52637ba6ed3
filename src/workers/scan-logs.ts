// Log scans over many workers: the steps of a plan in pieces, results in order, a bounded number of pieces ahead of the
// reader.

import type { LogFilter } from '../logs/filter.js'
import type { LogForm } from '../logs/log-forms.js'
import type { PlanStep } from '../logs/plan.js'
import type { RangeOutcome, RangeResult } from '../logs/scan-range.js'
import { scanWork } from '../logs/scan-stats.js'
import { blockCount, blocksAfter, firstBlocks, type ScanOrder } from '../rawdb/block-span.js'
import { deadlineError, throwIfAborted } from '../stop.js'
import type { ViewDescriptor } from '../view/view.js'
import { PieceSize, targetWork } from './piece-size.js'
import type { WorkerPool } from './worker-pool.js'

/** A planned log query. */
export interface PlannedScan<F extends LogForm> {
  readonly filter: LogFilter
  /** In which form logs are handed over. */
  readonly form: F
  /** Ascending, without gap or overlap. */
  readonly steps: readonly PlanStep[]
  readonly order: ScanOrder
  /** The scan ends after the block in which this many logs are reached. */
  readonly limit: number
  /** Milliseconds since 1970; default never. */
  readonly deadline?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** What was done of it before, by which the size of the first pieces goes. */
  readonly begun?: PlanStep & RangeOutcome
  /** The caller: callers take turns at the workers. */
  readonly caller?: object | undefined
}

/** Bytes of logs after which a worker hands over what it has. */
const maxPieceBytes = 8 * 1024 * 1024

/** Multiple of the target after which a worker gives back the rest of a piece that is heavier than expected. */
const maxTargets = 2

/** A timer that is set to more fires at once. */
const longestTimer = 2 ** 31 - 1

/** The part of the plan that one result covers, with the result. */
export type ScannedPiece<F extends LogForm> = PlanStep & RangeResult<F>

/** A piece in its place in the order; without a task it has yet to be given to a worker. */
interface Slot<F extends LogForm> {
  readonly piece: PlanStep
  task?: Promise<RangeResult<F>>
}

/**
 * Yields results piece by piece in the order of the scan. At most two pieces for each worker and one more are in work or
 * wait for the reader, so a slow reader slows the workers and memory stays bounded.
 *
 * @throws GethReaderError DEADLINE_EXCEEDED, QUEUE_FULL, WORKER_FAILED, ABORTED, and what reading throws
 */
export async function* scanOnWorkers<F extends LogForm>(
  pool: WorkerPool,
  view: ViewDescriptor,
  scan: PlannedScan<F>,
): AsyncGenerator<ScannedPiece<F>, void, undefined> {
  using ending = new ScanEnd(scan)
  const pieces = new Pieces(scan, pool.workers)
  if (scan.begun) pieces.learn(scan.begun, scan.begun)
  const lane = { caller: scan.caller, query: {} }
  const slots: Slot<F>[] = []
  let found = 0
  const start = ({ piece }: Slot<F>) => {
    const { filter, form, order, deadline } = scan
    const bounds = { limit: scan.limit - found, maxBytes: maxPieceBytes, maxWork: maxTargets * targetWork }
    const input = { ...piece, ...bounds, filter, form, order }
    const task = pool.run('scanPiece', { view, input }, { signal: ending.signal, deadline, lane }) as Promise<
      RangeResult<F>
    >
    task.then((result) => pieces.learn({ ...piece, ...result.done }, result)).catch(() => {})
    return task
  }
  while (true) {
    throwIfAborted(ending.signal)
    let open = slots.filter(({ task }) => task).length
    const mayStart = () => open <= 2 * pool.workers
    for (const [i, slot] of slots.entries()) {
      if (slot.task || !(i === 0 || mayStart())) continue
      slot.task = start(slot)
      open++
    }
    while (mayStart()) {
      const piece = pieces.next()
      if (!piece) break
      const slot: Slot<F> = { piece }
      slot.task = start(slot)
      slots.push(slot)
      open++
    }
    const first = slots.shift()
    if (!first) return
    const result = await first.task!
    found += result.stats.logs
    const { source } = first.piece
    const isEnough = found >= scan.limit
    if (result.rest && !isEnough) {
      slots.unshift(...pieces.split({ source, ...result.rest }).map((piece) => ({ piece })))
    }
    yield { source, ...result.done, ...result }
    if (isEnough) return
  }
}

/** Ends the tasks of a scan: when its reader leaves, when its caller aborts, at its deadline. */
class ScanEnd implements Disposable {
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout | undefined

  constructor({ deadline, signal }: Pick<PlannedScan<LogForm>, 'deadline' | 'signal'>) {
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

/** Cuts the steps of a scan into pieces, in its order. */
class Pieces {
  readonly #order: ScanOrder
  readonly #workers: number
  readonly #rest: PlanStep[]
  readonly #sizes = new Map<PlanStep['source'], PieceSize>()

  constructor({ steps, order }: Pick<PlannedScan<LogForm>, 'steps' | 'order'>, workers: number) {
    this.#order = order
    this.#workers = workers
    this.#rest = order === 'ascending' ? [...steps] : steps.toReversed()
  }

  /** The next piece; undefined after the last. */
  next(): PlanStep | undefined {
    const step = this.#rest.shift()
    if (!step) return undefined
    const [piece, rest] = this.#cut(step)
    if (rest) this.#rest.unshift(rest)
    return piece
  }

  /** All pieces of what a worker has given back. */
  split(step: PlanStep): PlanStep[] {
    const pieces: PlanStep[] = []
    for (let rest: PlanStep | undefined = step; rest; ) {
      const [piece, more] = this.#cut(rest)
      pieces.push(piece)
      rest = more
    }
    return pieces
  }

  learn({ source, from, to }: PlanStep, { stats }: RangeOutcome): void {
    if (to >= from) this.#size(source).learn(to - from + 1, scanWork(stats))
  }

  #cut(step: PlanStep): [PlanStep, PlanStep | undefined] {
    const { source } = step
    const rest = this.#rest.reduce((sum, other) => sum + blockCount(other), blockCount(step))
    const blocks = this.#size(source).blocks(rest, this.#workers)
    if (blocks >= blockCount(step)) return [step, undefined]
    const piece = firstBlocks(step, blocks, this.#order)
    return [
      { source, ...piece },
      { source, ...blocksAfter(step, piece, this.#order) },
    ]
  }

  #size(source: PlanStep['source']): PieceSize {
    let size = this.#sizes.get(source)
    if (!size) {
      size = new PieceSize(source)
      this.#sizes.set(source, size)
    }
    return size
  }
}
