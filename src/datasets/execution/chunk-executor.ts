// Executes canonical blocks in a row for the datasets of an export, once for all of them. A block counts only if its gas and its
// receipts root, and its state root if tries are at hand, are those of its header.
import { bytesToHex, equalBytes } from '../../bytes.js'
import { GethReaderError } from '../../errors.js'
import { blockRewards } from '../../evm/block/block-rewards.js'
import { withLibraries } from '../../evm/evm-thread.js'
import { keepsState } from '../../evm/interpreter/frame-errors.js'
import { TraceBudget } from '../../evm/tracing/trace-context.js'
import { decodeRecord } from '../../rawdb/chain-database.js'
import { LiveState } from '../../state/live-state.js'
import { resultOrError } from '../../state/state-errors.js'
import type { TaskSignal } from '../../stop.js'
import { decodeBody } from '../../types/body.js'
import type { Header } from '../../types/header.js'
import { blockFault, compareExecution, withPlace } from '../../view/compare-execution.js'
import { executeOn } from '../../view/execute-blocks.js'
import { onStateOf } from '../../view/nearest-states.js'
import { baseBefore } from '../../view/state-before.js'
import type { View } from '../../view/view.js'
import { type StoredBlock, StoredBlocks } from '../stored-blocks.js'
import type { ExecutedBlock, ExecutionNeeds } from './executed-block.js'
import { collectTransaction, type TransactionCollector } from './transaction-collector.js'

/** Bytes of a state in memory, roughly, after which it is read from disk again if it is there. */
const reopenedBytes = 32 * 2 ** 20
/** Bytes of a state in memory that is not on disk. */
const mostBytes = 512 * 2 ** 20
/** Characters, as in JSON, that the traces of a block may take. */
const blockCharacters = 2 ** 28

export interface ExecutionOptions {
  readonly needs: ExecutionNeeds
  /** Blocks that may be executed for the state before the first block, if that is not on disk. */
  readonly maxLead: number
}

const genesis: ExecutedBlock = { senders: [], transactions: [], rewards: [] }

/** The execution of the blocks of a chunk, or of a piece of a stream, in their order. */
export class ChunkExecutor {
  readonly #view: View
  readonly #options: ExecutionOptions
  readonly #signal: TaskSignal
  #state: LiveState | undefined
  #hasComparedRoots = true

  constructor(view: View, options: ExecutionOptions, signal: TaskSignal) {
    this.#view = view
    this.#options = options
    this.#signal = signal
  }

  /** Whether the state root of every block so far was computed, and not only its changes. */
  get hasComparedRoots(): boolean {
    return this.#hasComparedRoots
  }

  /**
   * Executes the block after the last one, or the first. Throws STATE_UNAVAILABLE if there is no state to begin with, DAMAGED
   * if the block is refused or gives something else than its header has, CALL_FAILED if its traces are too long.
   */
  async execute(block: StoredBlock): Promise<ExecutedBlock> {
    // Genesis has no transactions, and no state before it.
    if (block.number === 0) return genesis
    this.#state ??= await this.#stateBefore(block.number)
    return this.#run(this.#state, block, this.#options.needs)
  }

  async #stateBefore(number: number): Promise<LiveState> {
    const base = baseBefore(this.#view, number, this.#options.maxLead)
    const { header } = this.#view.chain.header({ number: base })!
    const state = onStateOf(this.#view, header, () => openLiveState(this.#view, header))
    const needs = { body: true, receipts: true }
    const blocks = new StoredBlocks(this.#view.db, { ...needs, areRecordsKept: true })
    for (let lead = base + 1; lead < number; lead++) await this.#run(state, blocks.read(lead), {})
    return state
  }

  async #run(state: LiveState, stored: StoredBlock, needs: ExecutionNeeds): Promise<ExecutedBlock> {
    const { chain } = this.#view
    const { config } = chain
    const { number, header, hash, receipts } = stored
    const storedBody = stored.body!
    const body = decodeRecord(storedBody.place, storedBody.rlp, decodeBody)
    const block = { header, hash, body, storedBody }
    const senders = chain.senders(block)
    const collectors: TransactionCollector[] = []
    const processed = await withLibraries(() => {
      // The work starts again after a library is loaded.
      collectors.length = 0
      const budget = new TraceBudget(blockCharacters)
      const place = { state, signal: this.#signal }
      const tracerOf = () => {
        const collector = collectTransaction(needs, { config, place: undefined, firstLogIndex: 0, budget })
        collectors.push(collector)
        return collector.tracer
      }
      const watched = Object.keys(needs).length > 0 ? { ...place, tracerOf } : place
      return withPlace(number, () => executeOn(this.#view, { header, body, senders }, watched))
    })
    compareExecution({ block, receipts, processed }, config)
    const root = withPlace(number, () => {
      state.apply(processed.state)
      return state.commit()
    })
    this.#compareRoot(header, root)
    this.#limitState(state, header)
    return {
      senders,
      transactions: processed.transactions.map(({ error, logs }, i) => ({
        isSuccessful: error === undefined || keepsState(error, processed.rules),
        logs,
        ...collectors[i]?.result(),
      })),
      rewards: blockRewards(header, body, { config, rules: processed.rules }),
    }
  }

  #compareRoot({ number, stateRoot }: Header, root: Uint8Array | undefined): void {
    if (root === undefined) this.#hasComparedRoots = false
    else if (!equalBytes(root, stateRoot)) {
      const [expected, found] = [bytesToHex(stateRoot), bytesToHex(root)]
      const message = `its execution gives the state root ${found}, its header has ${expected}`
      throw blockFault(number, message, { expected, found })
    }
  }

  /** Reads a state that takes much memory from disk again, if it is there. */
  #limitState(state: LiveState, header: Header): void {
    if (state.bytes <= reopenedBytes) return
    const { number, stateRoot } = header
    if (this.#view.states.layoutOf(stateRoot) !== undefined) this.#state = openLiveState(this.#view, header)
    else if (state.bytes > mostBytes) {
      const message = `the states up to block ${number} take more than ${mostBytes} bytes, and that after it is not on disk`
      throw new GethReaderError('STATE_UNAVAILABLE', message, {
        root: bytesToHex(stateRoot),
        block: BigInt(number + 1),
        limit: mostBytes,
      })
    }
  }
}

/** The state after a block as a state that moves on, with its tries if they are on disk. Throws STATE_UNAVAILABLE. */
function openLiveState({ states }: View, { stateRoot }: Header): LiveState {
  const state = states.stateAt(stateRoot)
  const tries = resultOrError(() => states.triesAt(stateRoot))
  if (!(tries instanceof GethReaderError)) return new LiveState(state, tries)
  if (tries.code !== 'STATE_UNAVAILABLE') throw tries
  return new LiveState(state, undefined)
}
