// Makes states that are not on disk by executing the blocks since an earlier one that is, piece by piece in workers.
import { bytesToHex } from '../bytes.js'
import { checkMembers, type Members, numberFrom, optionalCallback, positive } from '../check.js'
import { type ErrorCode, GethReaderError } from '../errors.js'
import type { Logger } from '../logger.js'
import { layoutsWithNodes } from '../state/replayed-states.js'
import { scanBlockStates } from '../view/newest-state.js'
import type { View } from '../view/view.js'
import type { WorkerPool } from '../workers/worker-pool.js'
import { closedDirectory } from './open-streams.js'

/** How much may be replayed. */
export interface ReplayOptions {
  /** Blocks that may be executed for one state, at least 1. */
  readonly maxBlocks: number
  /** Bytes that all replayed states may take together; default 256 MiB. */
  readonly memoryBytes?: number
  /** Called after every piece of up to 32 blocks. */
  readonly onProgress?: (progress: ReplayProgress) => void
}

/** How far a replay is. */
export interface ReplayProgress {
  /** Last block that was executed. */
  readonly block: bigint
  /** First and last block of the replay. */
  readonly fromBlock: bigint
  readonly toBlock: bigint
  /** Bytes that all replayed states take. */
  readonly bytes: number
}

const defaultReplayBytes = 256 * 2 ** 20

/** Blocks of one task: enough to make a hop cheap, few enough to stop soon and to report progress. */
const pieceBlocks = 32

/** Blocks to be executed, both ends included. */
interface BlockRange {
  readonly from: number
  readonly to: number
}

/** Where a state is wanted. */
interface ReplayPlace {
  readonly view: View
  readonly pool: WorkerPool
}

const optionMembers: Members<ReplayOptions> = { maxBlocks: true, memoryBytes: true, onProgress: true }

/** Throws RangeError and TypeError. */
export function checkReplayOptions(options: ReplayOptions): void {
  checkMembers('replay', options, optionMembers)
  const { maxBlocks, memoryBytes, onProgress } = options
  positive('replay.maxBlocks', maxBlocks)
  if (memoryBytes !== undefined) numberFrom('replay.memoryBytes', memoryBytes, 1)
  optionalCallback('replay.onProgress', onProgress)
}

/** Time for which a block that could not be executed is not tried again. */
const failureMilliseconds = 60_000

/** Blocks that could not be executed whose errors are cached. */
const mostFailures = 16

/** Errors that another try may not meet. */
const passingErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'ABORTED',
  'CLOSED',
  'QUEUE_FULL',
  'RESOURCE_EXHAUSTED',
  'VIEW_UNSTABLE',
  'WORKER_FAILED',
])

/** A block that could not be executed. */
interface ReplayFailure {
  readonly block: number
  /** State root in its header. */
  readonly root: string
  readonly error: GethReaderError
  /** Of the clock of the process. */
  readonly forgottenAt: number
}

/** The replays of one directory; one runs at a time, as each can build on the last. */
export class Replays {
  readonly #options: ReplayOptions
  readonly #log: Logger
  readonly #closing = new AbortController()
  #last: Promise<unknown> = Promise.resolve()
  #failures: readonly ReplayFailure[] = []

  constructor(options: ReplayOptions, log: Logger) {
    this.#options = options
    this.#log = log
  }

  /** Blocks that may be executed for one state. */
  get maxBlocks(): number {
    return this.#options.maxBlocks
  }

  /**
   * Makes the state with this root, that of a canonical block or of the one before it; false if neither has it. Throws
   * STATE_UNAVAILABLE if it is too many blocks, or too much memory, away, and if a block does not give its root.
   */
  async ensure(place: ReplayPlace, root: string, block: number): Promise<boolean> {
    const number = [block, block - 1].find((candidate) => {
      const found = candidate >= 0 ? place.view.chain.header({ number: candidate }) : undefined
      return found !== undefined && bytesToHex(found.header.stateRoot) === root
    })
    if (number === undefined) return false
    const work = this.#last.then(() => this.#replay(place, number))
    this.#last = work.catch(() => {})
    await work
    return true
  }

  /** Ends what runs; it throws CLOSED. */
  close(): void {
    this.#closing.abort(closedDirectory())
  }

  async #replay(place: ReplayPlace, number: number): Promise<void> {
    const { chain, states } = place.view
    const { stateRoot } = chain.header({ number })!.header
    if (states.layoutOf(stateRoot) !== undefined) return
    const range = { from: this.#firstBlock(place.view, number), to: number }
    const known = this.#knownFailure(place.view, range)
    if (known !== undefined) throw unavailable(known.error, stateRoot, number)
    const started = performance.now()
    this.#log.info(range, 'replaying blocks')
    try {
      await this.#executeBlocks(place, range)
    } catch (error) {
      if (!(error instanceof GethReaderError) || passingErrors.has(error.code)) throw error
      this.#remember(place.view, error, number)
      const { code, message } = error
      this.#log.warn({ ...range, code, reason: message }, 'replay failed')
      throw unavailable(error, stateRoot, number)
    }
    const milliseconds = Math.round(performance.now() - started)
    this.#log.info({ ...range, bytes: states.replayedBytes, milliseconds }, 'blocks replayed')
  }

  async #executeBlocks({ view, pool }: ReplayPlace, { from, to }: BlockRange): Promise<void> {
    const { states } = view
    for (let first = from; first <= to; first += pieceBlocks) {
      const last = Math.min(to, first + pieceBlocks - 1)
      const maxBytes = (this.#options.memoryBytes ?? defaultReplayBytes) - states.replayedBytes
      const range = { from: first, to: last, maxBytes }
      const { signal } = this.#closing
      states.adopt([await pool.run('replay', { view: view.descriptor, input: range }, { signal })])
      this.#options.onProgress?.({
        block: BigInt(last),
        fromBlock: BigInt(from),
        toBlock: BigInt(to),
        bytes: states.replayedBytes,
      })
    }
  }

  /** Remembers that a block cannot be executed: no replay that needs it begins for a while. */
  #remember({ chain }: View, error: GethReaderError, wanted: number): void {
    const block = Number(error.facts.block ?? wanted)
    const header = chain.header({ number: block })?.header
    if (header === undefined) return
    const root = bytesToHex(header.stateRoot)
    const failure = { block, root, error, forgottenAt: performance.now() + failureMilliseconds }
    this.#failures = [failure, ...this.#failures].slice(0, mostFailures)
  }

  #knownFailure({ chain }: View, { from, to }: BlockRange): ReplayFailure | undefined {
    const now = performance.now()
    this.#failures = this.#failures.filter(({ forgottenAt }) => forgottenAt > now)
    return this.#failures.find(({ block, root }) => {
      const header = block >= from && block <= to ? chain.header({ number: block })?.header : undefined
      return header !== undefined && bytesToHex(header.stateRoot) === root
    })
  }

  /** The block after the newest one below whose trie nodes are at hand. */
  #firstBlock({ chain, db, states }: View, number: number): number {
    const { maxBlocks } = this.#options
    for (const block of scanBlockStates(db, Math.max(0, number - maxBlocks), number - 1)) {
      const layout = states.layoutOf(block.root)
      if (layout && (layout === 'replay' || layoutsWithNodes.includes(layout))) return block.number + 1
    }
    const root = bytesToHex(chain.header({ number })!.header.stateRoot)
    throw new GethReaderError('STATE_UNAVAILABLE', `historical state ${root.slice(2)} is not available`, {
      root,
      block: BigInt(number),
      limit: maxBlocks,
      available: `none of the ${maxBlocks} blocks before block ${number}, which may be replayed, has a trie to begin with`,
    })
  }
}

/** The error of the state that was asked for: it may be another block that cannot be executed. */
function unavailable(error: GethReaderError, stateRoot: Uint8Array, block: number): GethReaderError {
  const { code, message, facts } = error
  if (code !== 'STATE_UNAVAILABLE') return error
  const root = bytesToHex(stateRoot)
  return new GethReaderError(code, message, {
    ...facts,
    root,
    block: BigInt(block),
    reason: message,
    cause: error,
  })
}
