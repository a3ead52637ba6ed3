// The states on which this thread has traced blocks last. The state before the next block is then in memory, with what the blocks
// so far have read. As in a scan (trace-range.ts), it is what the blocks changed, not what is on disk after them.
import { equalBytes } from '../bytes.js'
import { type BlockEnvironment, pay } from '../evm/block/process-block.js'
import { type BlockExecution, endBlock } from '../evm/block/system-calls.js'
import type { EvmThread } from '../evm/evm-thread.js'
import { LiveState } from '../state/live-state.js'
import type { StateReader } from '../state/state-source.js'
import type { Header } from '../types/header.js'
import type { View } from './view.js'

/** States of a view at most: one for each client that asks for block after block. */
const mostStates = 4
/** Bytes that a state may take in memory, roughly. Beyond, the next block begins with the state on disk. */
const mostStateBytes = 16 * 2 ** 20

/** A block whose transactions were executed, but not yet what follows them. */
interface ExecutedBlock {
  readonly header: Header
  readonly hash: Uint8Array
  readonly execution: BlockExecution
}

interface Carried {
  /** Hash of the block after which the state is. */
  readonly block: Uint8Array
  readonly state: LiveState
  /** A block that was executed on the state and has not changed it yet: it may be traced again. */
  next: ExecutedBlock | undefined
}

/** What the end of a block is executed with. */
interface EndTools extends Pick<BlockEnvironment, 'checkTime'> {
  readonly thread: EvmThread
}

/** The states that a thread has of a view. */
export class CarriedStates {
  static readonly #ofViews = new WeakMap<View, CarriedStates>()
  readonly #view: View
  /** The one that was used last is first. */
  #states: Carried[] = []

  private constructor(view: View) {
    this.#view = view
  }

  static of(view: View): CarriedStates {
    let states = CarriedStates.#ofViews.get(view)
    if (states === undefined) {
      states = new CarriedStates(view)
      CarriedStates.#ofViews.set(view, states)
    }
    return states
  }

  /** The state after the block with this hash, which is read from `onDisk` unless it is here. */
  after(block: Uint8Array, onDisk: StateReader, tools: EndTools): LiveState {
    const known = this.#states.find((each) => equalBytes(each.block, block) || isNext(each, block))
    // While it moves on it is not among the states: an error in between leaves it unfit.
    if (known !== undefined) this.#states = this.#states.filter((each) => each !== known)
    const isUsable = known !== undefined && known.state.bytes <= mostStateBytes
    const found = isUsable
      ? this.#moved(known, block, tools)
      : { block, state: new LiveState(onDisk, undefined), next: undefined }
    this.#states = [found, ...this.#states.slice(0, mostStates - 1)]
    return found.state
  }

  /** Says that all transactions of a canonical block, or one beside it, were executed on the state of {@link after}. */
  executed(next: ExecutedBlock): void {
    const found = this.#states.find(({ block }) => equalBytes(block, next.header.parentHash))
    if (found !== undefined) found.next = next
  }

  #moved(known: Carried, block: Uint8Array, { thread, checkTime }: EndTools): Carried {
    if (!isNext(known, block)) return known
    const { header, execution } = known.next!
    const end = { ...execution, thread, checkTime }
    endBlock(end, end.rules)
    pay(end, header, this.#view.chain.block({ hash: block })!.body)
    known.state.apply(end.state)
    return { block, state: known.state, next: undefined }
  }
}

function isNext({ next }: Carried, block: Uint8Array): boolean {
  return next !== undefined && equalBytes(next.hash, block)
}
