// Shares the main thread, and what it starts, between callers: each has a queue of its own, queues take turns, and no queue
// runs or holds back more than its limits. Between turns the event loop gets to everything else.
import type { Awaitable } from '../awaitable.js'
import { rpcError } from '../rpc/json-rpc-error.js'
import type { EndListening, TurnQueue } from '../rpc/request-scope.js'

/** Limits of one queue. */
export interface QueueLimits {
  /** Pieces of work that run at the same time. */
  readonly running: number
  /** Pieces of work that wait; one more is refused. */
  readonly waiting: number
}

/** Synchronous work that is done before the event loop gets its turn, in milliseconds. */
const turnMilliseconds = 2

/** Where one caller's work waits. */
export class CallerQueue implements TurnQueue {
  readonly #scheduler: Scheduler
  readonly #limits: QueueLimits
  readonly #waiting = new Set<() => Awaitable<unknown>>()
  #running = 0

  /** @internal, see {@link Scheduler.queue}. */
  constructor(scheduler: Scheduler, limits: QueueLimits) {
    this.#scheduler = scheduler
    this.#limits = limits
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** @internal for the scheduler. */
  get canStart(): boolean {
    return this.#waiting.size > 0 && this.#running < this.#limits.running
  }

  /**
   * Runs the work when it is its turn, at once if nothing else waits; settles as the work does. Rejects with -32005 if the
   * queue is full, and with the request's reason if that ends while the work still waits.
   */
  run<T>(work: () => Awaitable<T>, request?: EndListening): Awaitable<T> {
    if (!this.#isFree) return this.#add(work, request, true)
    const running = this.#scheduler.measure(work)
    if (running instanceof Promise) this.#occupy(running)
    return running
  }

  /**
   * As {@link run}, but the slot is free again when the work first waits: for work that others do and share out, so that
   * what takes seconds there holds up nothing here.
   */
  start<T>(work: () => Awaitable<T>, request?: EndListening): Awaitable<T> {
    return this.#isFree ? this.#scheduler.measure(work) : this.#add(work, request, false)
  }

  /** Whether more can start at once without overtaking anything. */
  get #isFree(): boolean {
    return this.#waiting.size === 0 && this.#running < this.#limits.running && this.#scheduler.isFree
  }

  /** Counts work as running until it settles. */
  #occupy(running: Promise<unknown>): void {
    this.#running++
    const leave = () => {
      this.#running--
      this.#scheduler.schedule(this)
    }
    running.then(leave, leave)
  }

  /** Waits for its turn. `holdsSlot` says whether the work has a slot until it settles. */
  #add<T>(work: () => Awaitable<T>, request: EndListening | undefined, holdsSlot: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.size >= this.#limits.waiting) throw rpcError('queueFull')
      const start = () => {
        stopListening?.()
        try {
          const running = work()
          resolve(running)
          return holdsSlot ? running : undefined
        } catch (error) {
          reject(error)
          return undefined
        }
      }
      this.#waiting.add(start)
      const stopListening = request?.onEnd((reason) => {
        this.#waiting.delete(start)
        reject(reason)
      })
      this.#scheduler.schedule(this)
    })
  }

  /** @internal for the scheduler: starts what has waited longest. Only if {@link canStart}. */
  startFirst(): void {
    const [first] = this.#waiting
    this.#waiting.delete(first!)
    const running = first!()
    if (running instanceof Promise) this.#occupy(running)
  }
}

/** Queues that take turns. */
export class Scheduler {
  /** Queues that can start something, the next one first. */
  readonly #ready = new Set<CallerQueue>()
  readonly #queues = new Set<CallerQueue>()
  #spentMilliseconds = 0
  #pause: NodeJS.Immediate | undefined

  /** A queue for one caller; it lives as long as the scheduler or until {@link drop}. */
  queue(limits: QueueLimits): CallerQueue {
    const queue = new CallerQueue(this, limits)
    this.#queues.add(queue)
    return queue
  }

  /** Leaves a queue out of the counts; what waits in it still runs. */
  drop(queue: CallerQueue): void {
    this.#queues.delete(queue)
  }

  /** Pieces of work that run. */
  get running(): number {
    return [...this.#queues].reduce((sum, queue) => sum + queue.running, 0)
  }

  /** Pieces of work that wait. */
  get waiting(): number {
    return [...this.#queues].reduce((sum, queue) => sum + queue.waiting, 0)
  }

  /** @internal for queues: whether there is time left in this turn of the event loop, and nobody is before them. */
  get isFree(): boolean {
    return this.#ready.size === 0 && this.#spentMilliseconds < turnMilliseconds
  }

  /** @internal for queues: does work that counts towards this turn of the event loop. */
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

  /** @internal for queues: something waits or has ended. */
  schedule(queue: CallerQueue): void {
    if (!queue.canStart) return
    this.#ready.add(queue)
    this.#startReady()
  }

  #startReady(): void {
    for (const queue of this.#ready) {
      if (this.#spentMilliseconds >= turnMilliseconds) return
      this.#ready.delete(queue)
      // The requests that waited in it may have ended.
      if (!queue.canStart) continue
      this.measure(() => queue.startFirst())
      // After all others: the loop comes to it again in this turn if there is time.
      if (queue.canStart) this.#ready.add(queue)
    }
  }
}
