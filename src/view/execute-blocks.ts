// Executes canonical blocks in a row, each on the state that the one before gives, and compares everything that comes out with
// what the directory says: see compare-execution.ts, and the state root. What is on disk is read once for many blocks.
import { bytesToHex, equalBytes, hexToBytes } from '../bytes.js'
import type { Block } from '../chain/block.js'
import { GethReaderError } from '../errors.js'
import type { BlockState } from '../evm/block/block-state.js'
import {
  type BlockEnvironment,
  type BlockToProcess,
  type ProcessedBlock,
  processBlock,
} from '../evm/block/process-block.js'
import { onEvmThread, withLibraries } from '../evm/evm-thread.js'
import { readBlockRecord } from '../rawdb/block-data.js'
import { LiveState } from '../state/live-state.js'
import { resultOrError } from '../state/state-errors.js'
import type { TaskSignal } from '../stop.js'
import type { Header } from '../types/header.js'
import { blockFault, compareExecution, withPlace } from './compare-execution.js'
import { NodeComparison } from './compare-nodes.js'
import type { NewNodes } from './new-nodes.js'
import type { View } from './view.js'

/** Nodes that are read together: those of about a hundred blocks of 40 transactions. */
const mostUncomparedNodes = 16_384

/** Blocks to be executed, both ends included; the state before the first can be read. */
export interface ExecutionRange {
  readonly from: number
  readonly to: number
  /** Bytes that the state may take in memory, roughly. Beyond, it is read from disk again. */
  readonly maxBytes: number
  /** The new trie nodes of blocks whose numbers are multiples of this are compared with those on disk; default of all. */
  readonly comparedEvery?: number
  /** Whether these nodes are returned instead of compared, see new-nodes.ts; default false. */
  readonly comparesLater?: boolean
}

/** What was executed without a difference. */
export interface ExecutionTotals {
  readonly blocks: number
  readonly transactions: number
  readonly gas: bigint
  /** Blocks whose state root was computed. Of the others the accounts and slots that they change were compared. */
  readonly roots: number
  /** Of these, blocks whose state the hash scheme has on disk: its new trie nodes were compared with those there. */
  readonly states: number
}

/** What was executed, with the nodes that are to be compared. */
type ExecutedRange = ExecutionTotals & {
  /** Undefined if they were compared. */
  readonly nodes?: NewNodes
}

/**
 * Executes blocks. Throws at the first difference, with facts.block: DAMAGED, also for a block, account, slot or trie node that
 * cannot be read; HISTORY_PRUNED, UNSUPPORTED_FORK, and STATE_UNAVAILABLE if the states take more memory than they
 * may and are not on disk.
 */
export async function executeBlocks(
  view: View,
  range: ExecutionRange,
  signal?: TaskSignal,
): Promise<ExecutedRange> {
  const nodes = new NodeComparison(view.db)
  try {
    return await executeInOrder(view, range, { nodes, signal })
  } catch (error) {
    signal?.throwIfAborted()
    // A wrong node of a block before comes first.
    nodes.finish()
    throw error
  }
}

interface ExecutionTools {
  readonly nodes: NodeComparison
  readonly signal: TaskSignal | undefined
}

async function executeInOrder(
  view: View,
  { from, to, maxBytes, comparedEvery = 1, comparesLater = false }: ExecutionRange,
  { nodes, signal }: ExecutionTools,
): Promise<ExecutedRange> {
  const { chain } = view
  let state = stateAfter(view, existing(from - 1, chain.header({ number: from - 1 })).header)
  let [transactions, gas, roots, states] = [0, 0n, 0, 0]
  for (let number = from; number <= to; number++) {
    signal?.throwIfAborted()
    const block = withPlace(number, () => existing(number, chain.block({ number })))
    const { header } = block
    const processed = await withLibraries(() => {
      // Only precompiles since Byzantium need a library, and since then the state changes after the block alone.
      return withPlace(number, () => execute(view, block, state, signal))
    })
    const receipts = withPlace(number, () =>
      readBlockRecord(view.db, 'receipts', { number, hash: block.hash, isCanonical: true }),
    )
    compareExecution({ block, receipts, processed }, chain.config)
    const hashes: Uint8Array[] = []
    const root = withPlace(number, () => {
      state.apply(processed.state)
      return state.commit((hash) => hashes.push(hash))
    })
    if (root === undefined) compareValues(view, header, processed.state)
    else if (!equalBytes(root, header.stateRoot)) {
      throw wrongRoot(view, header, { root, state: processed.state })
    } else if (number % comparedEvery === 0 && hasTrie(view, header)) {
      // Before Byzantium these are the nodes since the last transaction: geth writes no others that the block overwrites.
      nodes.add(header, hashes)
      states++
      if (!comparesLater && nodes.count >= mostUncomparedNodes) nodes.finish()
    }
    transactions += processed.transactions.length
    gas += processed.gasUsed
    if (root !== undefined) roots++
    if (state.bytes > maxBytes && number < to) state = nextState(view, header, maxBytes)
  }
  const totals = { blocks: to - from + 1, transactions, gas, roots, states }
  if (comparesLater) return { ...totals, nodes: nodes.take() }
  nodes.finish()
  return totals
}

function execute(view: View, block: Block, state: LiveState, signal: TaskSignal | undefined): ProcessedBlock {
  const { header, body } = block
  return executeOn(view, { header, body, senders: view.chain.senders(block) }, { state, signal })
}

/** The state on which a block is executed, and what watches the execution. */
interface ExecutionPlace extends Pick<BlockEnvironment, 'tracerOf'> {
  /** Before Byzantium it moves on with each transaction, otherwise it does not change. */
  readonly state: LiveState
  readonly signal: TaskSignal | undefined
}

/** Executes a block. Throws as {@link processBlock}. */
export function executeOn(
  { chain }: Pick<View, 'chain'>,
  block: BlockToProcess,
  { state, signal, tracerOf }: ExecutionPlace,
): ProcessedBlock {
  const environment = {
    config: chain.config,
    state,
    blockHash: (ancestor: number) => chain.canonicalHash(ancestor),
    checkTime: () => signal?.throwIfAborted(),
    rootAfter: (changes: BlockState) => {
      state.apply(changes)
      return state.commit()
    },
    ...(tracerOf && { tracerOf }),
  }
  return onEvmThread((thread) => processBlock(block, environment, thread))
}

function existing<T>(number: number, found: T | undefined): T {
  if (found !== undefined) return found
  const message = `block ${number} is not in this directory, or only its header`
  throw new GethReaderError('BLOCK_NOT_FOUND', message, { block: BigInt(number) })
}

/** The state after a block as a state that moves on. Throws STATE_UNAVAILABLE. */
function stateAfter({ states }: View, { stateRoot }: Header): LiveState {
  const tries = resultOrError(() => states.triesAt(stateRoot))
  if (!(tries instanceof GethReaderError)) return new LiveState(states.stateAt(stateRoot), tries)
  if (states.layoutOf(stateRoot) !== 'history') throw tries
  return new LiveState(states.stateAt(stateRoot), undefined)
}

/** The state after a block, read again. */
function nextState(view: View, header: Header, maxBytes: number): LiveState {
  const state = resultOrError(() => stateAfter(view, header))
  if (!(state instanceof GethReaderError)) return state
  const message = `the states up to block ${header.number} take more than ${maxBytes} bytes, and none of them is on disk`
  throw new GethReaderError('STATE_UNAVAILABLE', message, {
    root: bytesToHex(header.stateRoot),
    block: BigInt(header.number + 1),
    limit: maxBytes,
    cause: state,
  })
}

/** Compares the accounts and slots that a block changes with the state after it, whose tries are not on disk. */
function compareValues(view: View, header: Header, state: BlockState): void {
  const { number } = header
  const difference = withPlace(number, () => differentValue(view, header, state))
  if (difference !== undefined) throw blockFault(number, `its execution gives another state: ${difference}`)
}

/** Whether the hash scheme has the state after a block on disk. */
function hasTrie({ states }: View, { stateRoot }: Header): boolean {
  return states.scheme === 'hash' && states.layoutOf(stateRoot) === 'trie'
}

interface WrongState {
  readonly root: Uint8Array
  readonly state: BlockState
}

function wrongRoot(view: View, header: Header, { root, state }: WrongState): GethReaderError {
  const [expected, found] = [bytesToHex(header.stateRoot), bytesToHex(root)]
  const what = resultOrError(() => differentValue(view, header, state))
  const which = typeof what === 'string' ? `; ${what}` : ''
  const message = `its execution gives the state root ${found}, its header has ${expected}${which}`
  return blockFault(header.number, message, { expected, found })
}

/** The first changed account or slot that is another one in the state after the block; undefined if there is none. */
function differentValue({ states }: View, { stateRoot }: Header, state: BlockState): string | undefined {
  const stored = states.stateAt(stateRoot)
  for (const { address, account, slots } of state.changes()) {
    const other = stored.account(address)
    const [ours, theirs] = [account, other].map((found) =>
      found
        ? `nonce ${found.nonce}, balance ${found.balance}, code hash ${bytesToHex(found.codeHash)}`
        : 'none',
    )
    if (ours !== theirs) {
      return `account ${bytesToHex(address)} is (${ours}), the state after the block has (${theirs})`
    }
    for (const [slot, value] of slots) {
      const found = stored.storage(address, hexToBytes(slot))
      if (equalBytes(found, value)) continue
      const place = `slot ${slot} of account ${bytesToHex(address)}`
      return `${place} is ${bytesToHex(value)}, the state after the block has ${bytesToHex(found)}`
    }
  }
  return undefined
}
