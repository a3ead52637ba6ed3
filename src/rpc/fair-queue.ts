// Shares the main thread and what stands behind it between callers: each has a lane of its own, lanes take turns, and
// no lane runs or holds back more than its bounds. Between turns the event loop gets to everything else.
import type { Awaitable } from '../awaitable.js'
import { rpcError } from './json-rpc-error.js'

/** Bounds of one lane. */
export interface LaneBounds {
  /** Pieces of work that run at the same time. */
  readonly running: number
  /** Pieces of work that wait; one more is refused. */
  readonly waiting: number
}

/** Who waits for work to be done. No signal: most never ask, and to listen to one takes as long as a short read. */
export interface Waiter {
  /** Tells why, once nobody waits any more, at once where that is so. Returns what ends the telling. */
  onEnd(tell: (reason: Error) => void): () => void
}

/** Where one caller's work waits. */
export interface Lane {
  /**
   * Runs the work when it is its turn, at once where nothing else wants it; ends as the work does. Rejects with -32005
   * where the lane is full, with the waiter's reason where that leaves while the work still waits.
   */
  run<T>(work: () => Awaitable<T>, waiter?: Waiter): Awaitable<T>

  /**
   * As {@link run}, but the work's place is free again when it first pauses: for work whose rest others share out, so
   * that what takes seconds there holds up nothing here.
   */
  begin<T>(work: () => Awaitable<T>, waiter?: Waiter): Awaitable<T>
}

/** Synchronous work that is done before the event loop gets its turn, in milliseconds. */
const turnMilliseconds = 2

class QueueLane implements Lane {
  readonly #queue: FairQueue
  readonly #bounds: LaneBounds
  readonly #waiting = new Set<() => Promise<void>>()
  #running = 0

  constructor(queue: FairQueue, bounds: LaneBounds) {
    this.#queue = queue
    this.#bounds = bounds
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting.size
  }

  get canStart(): boolean {
    return this.#waiting.size > 0 && this.#running < this.#bounds.running
  }

  run<T>(work: () => Awaitable<T>, waiter?: Waiter): Awaitable<T> {
    if (!this.#isFree) return this.#add(work, waiter, (running) => running)
    const running = this.#queue.measure(work)
    if (running instanceof Promise) this.#occupy(running)
    return running
  }

  begin<T>(work: () => Awaitable<T>, waiter?: Waiter): Awaitable<T> {
    return this.#isFree ? this.#queue.measure(work) : this.#add(work, waiter, () => undefined)
  }

  /** Whether more can start at once without overtaking anything. */
  get #isFree(): boolean {
    return this.#waiting.size === 0 && this.#running < this.#bounds.running && this.#queue.isFree
  }

  /** Counts work as running until it settles. */
  #occupy(running: Promise<unknown>): void {
    this.#running++
    const leave = () => {
      this.#running--
      this.#queue.schedule(this)
    }
    running.then(leave, leave)
  }

  /** `untilFree` tells from the work how long it keeps its place. */
  #add<T>(
    work: () => Awaitable<T>,
    waiter: Waiter | undefined,
    untilFree: (running: Awaitable<T>) => unknown,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.size >= this.#bounds.waiting) throw rpcError('queueFull')
      const start = async () => {
        stopListening?.()
        try {
          const running = work()
          resolve(running)
          await untilFree(running)
        } catch (error) {
          reject(error)
        }
      }
      this.#waiting.add(start)
      const stopListening = waiter?.onEnd((reason) => {
        this.#waiting.delete(start)
        reject(reason)
      })
      this.#queue.schedule(this)
    })
  }

  /** Starts what has waited longest. Only where {@link canStart}. */
  start(): void {
    const [first] = this.#waiting
    this.#waiting.delete(first!)
    this.#occupy(first!())
  }
}

/** Lanes that take turns. */
export class FairQueue {
  /** Lanes that can start something, the next one first. */
  readonly #ready = new Set<QueueLane>()
  readonly #lanes = new Set<QueueLane>()
  #spentMilliseconds = 0
  #pause: NodeJS.Immediate | undefined

  /** A lane for one caller; it lives as long as the queue or until {@link drop}. */
  lane(bounds: LaneBounds): Lane {
    const lane = new QueueLane(this, bounds)
    this.#lanes.add(lane)
    return lane
  }

  /** Forgets a lane in the counts; what waits in it still runs. */
  drop(lane: Lane): void {
    this.#lanes.delete(lane as QueueLane)
  }

  /** Pieces of work that run. */
  get running(): number {
    return [...this.#lanes].reduce((sum, lane) => sum + lane.running, 0)
  }

  /** Pieces of work that wait. */
  get waiting(): number {
    return [...this.#lanes].reduce((sum, lane) => sum + lane.waiting, 0)
  }

  /** @internal for lanes: whether there is time left in this turn of the event loop, and nobody is before them. */
  get isFree(): boolean {
    return this.#ready.size === 0 && this.#spentMilliseconds < turnMilliseconds
  }

  /** @internal for lanes: does work that counts towards this turn of the event loop. */
  measure<T>(work: () => T): T {
    this.#pause ??= setImmediate(() => {
      this.#pause = undefined
      this.#spentMilliseconds = 0
      this.#startReady()
    })
    const started = performance.now()
    try {
      return work()
    } finally {
      this.#spentMilliseconds += performance.now() - started
    }
  }

  /** @internal for lanes: something waits or has ended. */
  schedule(lane: QueueLane): void {
    if (!lane.canStart) return
    this.#ready.add(lane)
    this.#startReady()
  }

  #startReady(): void {
    for (const lane of this.#ready) {
      if (this.#spentMilliseconds >= turnMilliseconds) return
      this.#ready.delete(lane)
      // What waited in it may have left since.
      if (!lane.canStart) continue
      this.measure(() => lane.start())
      // Behind all others: the loop meets it again in this very turn where time is left.
      if (lane.canStart) this.#ready.add(lane)
    }
  }
}
