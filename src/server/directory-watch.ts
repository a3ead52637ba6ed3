// Looks for news in the directory, one look after the other, so that new blocks are served soon after geth writes them.
import type { Logger } from '../logger.js'
import { describeFault } from './request-outcome.js'

interface DirectoryWatchOptions {
  /** Takes a newer view where there is one. */
  refresh(): Promise<unknown>
  /** Between two looks; 0 for none at all. */
  readonly milliseconds: number
  readonly log: Logger
  /** Called after each refresh that fails. */
  onError(error: unknown): void
}

/** A watch over one directory. Starts with {@link DirectoryWatch.start}. */
export class DirectoryWatch {
  readonly #options: DirectoryWatchOptions
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isStopped = false
  #isFailing = false

  constructor(options: DirectoryWatchOptions) {
    this.#options = options
  }

  /** Whether the last look failed; the view before it is still served. */
  get isFailing(): boolean {
    return this.#isFailing
  }

  start(): void {
    const { milliseconds } = this.#options
    if (milliseconds === 0 || this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#running = this.#look().finally(() => this.start())
    }, milliseconds).unref()
  }

  /** Looks at once, after a look under way. */
  async lookNow(): Promise<void> {
    await this.#running
    if (this.#isStopped) return
    this.#running = this.#look()
    await this.#running
  }

  /** Waits for a look under way. May be called twice. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  async #look(): Promise<void> {
    const { refresh, log, onError } = this.#options
    try {
      await refresh()
      if (this.#isFailing) log.info({}, 'the directory can be read again')
      this.#isFailing = false
    } catch (error) {
      // Once, not every second.
      if (!this.#isFailing)
        log.warn(describeFault(error), 'the directory cannot be read; the last view is served')
      this.#isFailing = true
      onError(error)
    }
  }
}
