// Reports how the head of the chain changes to everyone who listens. All listeners share one position, so each newer view is
// searched once.
import { GethReaderError } from '../errors.js'
import { branchFrom, type ChainPoint, canonicalHead, RememberedParents } from './branch.js'
import type { ChainView } from './chain-view.js'
import type { Datadir } from './datadir.js'
import { defaultLookMilliseconds } from './directory-watch.js'

/** What a newer view has changed. */
export interface HeadChange {
  /** Blocks that are no longer canonical, newest first. */
  readonly dropped: readonly ChainPoint[]
  /** Blocks that are canonical now, in ascending order. */
  readonly added: readonly ChainPoint[]
  /** The head now. */
  readonly head: ChainPoint
}

/** Hears of each change, in order. */
interface HeadListener {
  onChange(change: HeadChange): void
  /** What was dropped is unknown: the changes begin again, with a gap before them. */
  onGap(): void
}

/** Where changes come from. */
export type HeadSource = Pick<Datadir, 'ask' | 'watch'>

/** Blocks that are reported after a jump of the head, such as geth's snap sync makes: the newest. */
const maxAdded = 1_024

/** The changes of the head, watched while somebody listens. */
export class HeadChanges {
  readonly #source: HeadSource
  readonly #onError: (error: unknown) => void
  readonly #listeners = new Set<HeadListener>()
  readonly #parents = new RememberedParents()
  #last: ChainPoint | undefined
  #stop: (() => void) | undefined
  #advancing: Promise<void> = Promise.resolve()

  /** `onError` is called when a change cannot be found out. */
  constructor(source: HeadSource, onError: (error: unknown) => void = () => {}) {
    this.#source = source
    this.#onError = onError
  }

  /** The newest block of which listeners have heard; undefined while nobody listens. */
  get last(): ChainPoint | undefined {
    return this.#last
  }

  /** Listens for what happens after a view. Returns a function that stops. */
  listen(view: ChainView, listener: HeadListener): () => void {
    if (this.#stop === undefined) {
      this.#last = canonicalHead(view, this.#parents)
      this.#parents.setBack(-1)
      this.#parents.add(view, this.#last)
      const options = { milliseconds: defaultLookMilliseconds, isPrompt: true }
      this.#stop = this.#source.watch.listen({ onView: () => this.#advance() }, options)
    }
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  /** Stops the watch; nobody hears of anything any more. */
  close(): void {
    this.#listeners.clear()
    this.#stop?.()
    this.#stop = undefined
    this.#last = undefined
  }

  #advance(): void {
    this.#advancing = this.#advancing
      .then(() => this.#source.ask((view) => this.#changeTo(view)))
      .then(
        (change) => {
          if (change === undefined) return
          for (const { onChange } of [...this.#listeners]) onChange(change)
        },
        (error) => {
          this.#onError(error)
          // Other failures pass: the next view is tried.
          if (!(error instanceof GethReaderError && error.code === 'BRANCH_UNKNOWN')) return
          const listeners = [...this.#listeners]
          this.close()
          for (const { onGap } of listeners) onGap()
        },
      )
  }

  #changeTo(view: ChainView): HeadChange | undefined {
    if (this.#last === undefined) return undefined
    const head = canonicalHead(view, this.#parents)
    // geth is about to write a new head.
    if (head.number < view.chain.head().header.number) return undefined
    const { dropped, ancestor } = branchFrom(view, this.#last, this.#parents)
    const from = Math.max(ancestor.number + 1, head.number - maxAdded + 1)
    const added: ChainPoint[] = []
    for (let number = from; number < head.number; number++) {
      added.push({ number, hash: view.chain.header({ number })!.hash })
    }
    if (from <= head.number) added.push(head)
    if (dropped.length === 0 && added.length === 0) return undefined
    this.#last = added.at(-1) ?? ancestor
    this.#parents.setBack(ancestor.number)
    this.#parents.add(view, head)
    return { dropped, added, head: this.#last }
  }
}
