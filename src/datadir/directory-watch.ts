// Looks for changes in a directory: soon after the file system reports a write to a log file of the key-value store, and regularly,
// because not every file system reports writes. One watch serves everybody who listens, and runs only while somebody does.
import { type FSWatcher, watch } from 'node:fs'

/** Hears of the looks at a directory. */
interface WatchListener {
  /** A newer view was taken, by this watch or by someone else. */
  onView?(): void
  /** A look failed; `failures` in a row have. The last view is still served. */
  onFailure?(error: unknown, failures: number): void
  /** A look succeeded after some that failed. */
  onRecovery?(): void
}

interface DirectoryWatchOptions {
  /** The folder of the key-value store. */
  readonly folder: string
  /** Takes a newer view if there is one; true if there was. */
  readonly refresh: () => Promise<boolean>
}

/**
 * Between a notice and the look. A block of geth is one batch in the log, but that may take several writes, and a block
 * comes after its state.
 */
const settleMilliseconds = 5

/**
 * After a look, the watch rests this many times as long as the look took, so that a busy directory takes a tenth of the
 * thread at most. Answers are cached for one view, so there are 20 views a second at most.
 */
const restFactor = 9
const minRestMilliseconds = 50
const maxRestMilliseconds = 500

/** Longest time between two looks, if a listener has no other: not every file system reports writes. */
export const defaultLookMilliseconds = 500

interface ListenOptions {
  /** Longest time between two looks. */
  readonly milliseconds: number
  /** Whether to look soon after each write, too. */
  readonly isPrompt: boolean
}

/** A watch over one directory. */
export class DirectoryWatch {
  readonly #options: DirectoryWatchOptions
  readonly #listeners = new Map<WatchListener, ListenOptions>()
  #notices: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  /** When the timer looks. */
  #nextLook = Number.POSITIVE_INFINITY
  /** Earliest time of the next look. */
  #restedAt = 0
  #hasNotice = false
  #looking: Promise<void> | undefined
  #failures = 0

  constructor(options: DirectoryWatchOptions) {
    this.#options = options
  }

  /** Whether the last look failed. */
  get isFailing(): boolean {
    return this.#failures > 0
  }

  /** Watches until the function that it returns is called. */
  listen(listener: WatchListener, options: ListenOptions): () => void {
    this.#listeners.set(listener, options)
    if (options.isPrompt && this.#notices === undefined) this.#openNotices()
    this.#plan(performance.now() + options.milliseconds)
    return () => {
      this.#listeners.delete(listener)
      if (!this.#isPrompt) this.#closeNotices()
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  /** Says to all listeners that a newer view was taken. */
  announceView(): void {
    for (const { onView } of this.#listeners.keys()) onView?.()
  }

  /** Looks at once, after a look under way. */
  async lookNow(): Promise<void> {
    await this.#looking
    if (this.#looking === undefined && this.#listeners.size > 0) this.#begin()
    await this.#looking
  }

  /** Ends the watch, and waits for a look under way. */
  async close(): Promise<void> {
    this.#listeners.clear()
    this.#stop()
    await this.#looking
  }

  get #isPrompt(): boolean {
    return [...this.#listeners.values()].some(({ isPrompt }) => isPrompt)
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#nextLook = Number.POSITIVE_INFINITY
    this.#closeNotices()
  }

  /** Notices are a help only: if there are none, the looks are regular. */
  #openNotices(): void {
    this.#closeNotices()
    try {
      const notices = watch(this.#options.folder, { persistent: false }, (_, file) => this.#onNotice(file))
      notices.on('error', () => notices.close())
      this.#notices = notices
    } catch {
      // Such as ENOSPC: the system has no watch left.
    }
  }

  #closeNotices(): void {
    this.#notices?.close()
    this.#notices = undefined
  }

  #onNotice(file: string | null): void {
    if (this.#hasNotice) return
    // Every change goes through a log file first. Tables that are being written are no news.
    if (file !== null && !file.endsWith('.log')) return
    this.#hasNotice = true
    this.#plan(Math.max(this.#restedAt, performance.now() + settleMilliseconds))
  }

  /** Looks at this time, or earlier if that is planned. */
  #plan(time: number): void {
    if (time >= this.#nextLook || this.#looking !== undefined) return
    clearTimeout(this.#timer)
    this.#nextLook = time
    this.#timer = setTimeout(() => this.#begin(), time - performance.now())
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#nextLook = Number.POSITIVE_INFINITY
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined
      if (this.#listeners.size === 0) return
      const pause = Math.min(...[...this.#listeners.values()].map(({ milliseconds }) => milliseconds))
      this.#plan(this.#hasNotice ? this.#restedAt : performance.now() + pause)
    })
  }

  async #look(): Promise<void> {
    const isNoticed = this.#hasNotice
    this.#hasNotice = false
    const started = performance.now()
    try {
      const isNewer = await this.#options.refresh()
      // The folder was replaced, or its file system reports nothing.
      if (isNewer && !isNoticed && this.#isPrompt) this.#openNotices()
      if (this.#failures > 0) {
        this.#failures = 0
        for (const { onRecovery } of this.#listeners.keys()) onRecovery?.()
      }
    } catch (error) {
      this.#failures++
      for (const { onFailure } of this.#listeners.keys()) onFailure?.(error, this.#failures)
    } finally {
      const ended = performance.now()
      const rest = Math.max(restFactor * (ended - started), minRestMilliseconds)
      this.#restedAt = ended + Math.min(rest, maxRestMilliseconds)
    }
  }
}
