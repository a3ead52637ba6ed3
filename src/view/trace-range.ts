// Traces canonical blocks in a row. The state is read once, before the first block, and carried from block to block, which works
// on every layout because no roots are computed.
import { concatBytes } from '../bytes.js'
import type { Block } from '../chain/block.js'
import { GethReaderError } from '../errors.js'
import type { BlockState } from '../evm/block/block-state.js'
import { type BlockEnvironment, openBlock, pay, processBlock } from '../evm/block/process-block.js'
import { endBlock } from '../evm/block/system-calls.js'
import { TransactionError } from '../evm/call-errors.js'
import type { TraceSettings } from '../evm/engine.js'
import { onEvmThread, withLibraries } from '../evm/evm-thread.js'
import { namedTraces, type TracedBlock, traceTransactions } from '../evm/tracing/trace-block.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import { LiveState } from '../state/live-state.js'
import type { TaskSignal } from '../stop.js'
import { onStateOf } from './nearest-states.js'
import { baseBefore } from './state-before.js'
import type { View } from './view.js'

/** Blocks to be traced, both ends included, at most the head. */
export interface TraceRange extends BlockSpan {
  readonly settings: TraceSettings
  /** Blocks that may be executed only for the state before the first block, if that is not on disk. */
  readonly maxLead: number
  /** Bytes of JSON after which the rest of the range is not traced. */
  readonly maxBytes: number
}

/** The traces of the first blocks of a range, at least one. */
export interface TracedRange {
  readonly from: number
  /** The last block that was traced. */
  readonly to: number
  /** Hashes of the blocks, 32 bytes each. */
  readonly hashes: Uint8Array
  /** UTF-8 of a JSON list for each block, one after the other. */
  readonly json: Uint8Array
  /** Where the list of each block ends in `json`. */
  readonly ends: Uint32Array
  readonly transactions: number
}

/** Bytes that the state may take in memory, roughly. Beyond, what was only read is dropped. */
const mostStateBytes = 64 * 2 ** 20

const encoder = new TextEncoder()

/** Traces a range. Throws as {@link traceBlocks}. */
export async function traceRange(view: View, range: TraceRange, signal: TaskSignal): Promise<TracedRange> {
  const hashes: Uint8Array[] = []
  const texts: Uint8Array[] = []
  let bytes = 0
  let transactions = 0
  for await (const { block, traces } of traceBlocks(view, range, signal)) {
    const text = encoder.encode(namedTraces(block.body, traces))
    hashes.push(block.hash)
    texts.push(text)
    bytes += text.length
    transactions += traces.length
    if (bytes >= range.maxBytes) break
  }
  let end = 0
  const ends = Uint32Array.from(texts, ({ length }) => {
    end += length
    return end
  })
  const bytesOf = { hashes: concatBytes(...hashes), json: concatBytes(...texts) }
  return { from: range.from, to: range.from + texts.length - 1, ...bytesOf, ends, transactions }
}

/** A block and the JSON of the trace of each of its transactions. */
interface BlockWithTraces {
  readonly block: Block
  readonly traces: readonly string[]
}

/**
 * The blocks of a range in order. Throws STATE_UNAVAILABLE if no state is on disk up to `maxLead` blocks before; DAMAGED if a
 * block is refused or does not use the gas of its header; HISTORY_PRUNED; as a trace of a block.
 */
export async function* traceBlocks(
  view: View,
  { from, to, maxLead, settings }: Omit<TraceRange, 'maxBytes'>,
  signal: TaskSignal,
): AsyncGenerator<BlockWithTraces, void, undefined> {
  const work: Work = { view, signal, settings }
  let state: LiveState | undefined
  for (let number = from; number <= to; number++) {
    signal.throwIfAborted()
    const block = canonicalBlock(view, number)
    // Genesis has no transactions, and no state before it.
    if (number > 0) state ??= await stateBefore(work, number, maxLead)
    const before = state
    const traces = before === undefined ? [] : await asDamage(block, () => traceOn(work, block, before))
    // As geth, a trace does not move what the fork moves. The state after it is read, or made, for the next block.
    if (isDaoFork(view, number)) state = undefined
    yield { block, traces }
  }
}

/** What all blocks of a range are executed with. */
interface Work {
  readonly view: View
  readonly signal: TaskSignal
  readonly settings: TraceSettings
}

/** The state before a block: read if it is on disk, otherwise made of the newest one before it. */
async function stateBefore(work: Work, number: number, maxLead: number): Promise<LiveState> {
  const { chain } = work.view
  const base = baseBefore(work.view, number, maxLead)
  const { stateRoot } = chain.header({ number: base })!.header
  const state = onStateOf(work.view, { number: base }, () => carriedState(work.view, stateRoot))
  for (let lead = base + 1; lead < number; lead++) {
    work.signal.throwIfAborted()
    const block = canonicalBlock(work.view, lead)
    const input = { header: block.header, body: block.body, senders: chain.senders(block) }
    const environment = environmentOf(work, state)
    const processed = await asDamage(block, () =>
      withLibraries(() => onEvmThread((thread) => processBlock(input, environment, thread))),
    )
    checkGas(block, processed.gasUsed)
    moveOn(state, processed.state)
  }
  return state
}

/**
 * The state with a root as one that moves on. Where values are read from tries, their nodes stay in memory: a node of the hash
 * scheme is found in a random place of the store.
 */
function carriedState({ states }: View, root: Uint8Array): LiveState {
  const isOfNodes = states.scheme === 'hash' && states.layoutOf(root) === 'trie'
  return new LiveState(states.stateAt(root), isOfNodes ? states.triesAt(root) : undefined)
}

function moveOn(state: LiveState, changes: BlockState): void {
  state.apply(changes)
  if (state.bytes > mostStateBytes) state.forget()
}

/** Traces a block and adds its changes to the state. */
async function traceOn(work: Work, block: Block, state: LiveState): Promise<readonly string[]> {
  const { view, settings, signal } = work
  const { header, hash, body } = block
  const senders = view.chain.senders(block)
  const traced: TracedBlock = {
    header,
    hash,
    transactions: body.transactions,
    senderOf: (index) => senders[index]!,
    environment: environmentOf(work, state),
  }
  return withLibraries(() =>
    onEvmThread((thread) => {
      const execution = openBlock(header, traced.environment, thread)
      const { traces, gasUsed } = traceTransactions(traced, execution, { settings, signal })
      checkGas(block, gasUsed)
      endBlock(execution, execution.rules)
      pay(execution, header, body)
      moveOn(state, execution.state)
      return traces
    }),
  )
}

function environmentOf({ view: { chain }, signal }: Work, state: LiveState): BlockEnvironment {
  return {
    config: chain.config,
    state,
    blockHash: (number) => chain.canonicalHash(number),
    checkTime: () => signal.throwIfAborted(),
  }
}

/** A block of the range that is not above the head. Throws DAMAGED if it is not there, HISTORY_PRUNED. */
function canonicalBlock({ chain }: View, number: number): Block {
  const block = chain.block({ number })
  if (block !== undefined) return block
  const message = `block ${number} has no body, though it is not above the head`
  throw new GethReaderError('DAMAGED', message, { block: BigInt(number) })
}

/** Executes a canonical block. Throws DAMAGED if the rules refuse one of its transactions. */
async function asDamage<T>({ header: { number } }: Block, execute: () => Promise<T>): Promise<T> {
  try {
    return await execute()
  } catch (cause) {
    const isRefused = cause instanceof GethReaderError && cause.code === 'CALL_REJECTED'
    if (!isRefused && !(cause instanceof TransactionError)) throw cause
    const message = `block ${number} cannot be executed: ${cause.message}`
    throw new GethReaderError('DAMAGED', message, { block: BigInt(number), cause })
  }
}

/** What follows a block with other gas would be wrong. */
function checkGas({ header: { number, gasUsed } }: Block, found: bigint): void {
  if (found === gasUsed) return
  const message = `the transactions of block ${number} use ${found} gas, its header has ${gasUsed}`
  throw new GethReaderError('DAMAGED', message, { block: BigInt(number) })
}

/** Whether a block is the one before which the fork of the DAO moves balances. */
export function isDaoFork({ chain: { config } }: View, number: number): boolean {
  return config.daoForkSupport === true && config.daoForkBlock === BigInt(number)
}
