// The witness of a block: what is needed to execute it without a state. Follows ExecutionWitness of eth/api_debug.go.
import { bytesToHex, compareBytes, equalBytes } from '../bytes.js'
import type { HashedHeader } from '../chain/block.js'
import { GethReaderError } from '../errors.js'
import type { BlockState } from '../evm/block/block-state.js'
import { processBlock } from '../evm/block/process-block.js'
import { rejectedArguments, TransactionError } from '../evm/call-errors.js'
import { onEvmThread, withLibraries } from '../evm/evm-thread.js'
import { TraceBudget } from '../evm/tracing/trace-context.js'
import { StateWitness } from '../state/state-witness.js'
import type { TaskSignal } from '../stop.js'
import type { Header } from '../types/header.js'
import { onStateOf } from './nearest-states.js'
import { blockNotFound } from './trace.js'
import type { View } from './view.js'

/** A block whose witness is wanted. */
export interface WitnessRequest {
  readonly hash: Uint8Array
  /** The block before. */
  readonly parent: Header
  /** Characters that the lists may take. */
  readonly limitCharacters: number
}

/** Lists are JSON as UTF-8, of data in ascending order. */
export interface ExecutionWitness {
  /** The parent, and before it the ancestors whose hashes are read; ascending. */
  readonly headers: readonly HashedHeader[]
  readonly codes: Uint8Array
  readonly nodes: Uint8Array
}

/**
 * Executes a block. Throws STATE_UNAVAILABLE if the trie nodes of the state before it are not at hand, or if it does not give
 * the state root of its header; CALL_FAILED for a witness that takes more than its limit; as processBlock.
 */
export function executionWitness(
  view: View,
  request: WitnessRequest,
  signal: TaskSignal,
): Promise<ExecutionWitness> {
  return withLibraries(() => onStateOf(view, request.parent, () => collect(view, request, signal)))
}

function collect(
  view: View,
  { hash, parent, limitCharacters }: WitnessRequest,
  signal: TaskSignal,
): ExecutionWitness {
  const { chain, states } = view
  const block = chain.block({ hash })!
  const { header, body } = block
  const budget = new TraceBudget(limitCharacters, 'witness')
  const witness = new StateWitness(
    { state: states.stateAt(parent.stateRoot), tries: states.triesAt(parent.stateRoot) },
    (bytes) => budget.take(listItemCharacters(bytes)),
  )
  let oldest = parent.number
  const environment = {
    config: chain.config,
    state: witness,
    blockHash(number: number) {
      oldest = Math.min(oldest, number)
      return chain.canonicalHash(number)
    },
    checkTime: () => signal.throwIfAborted(),
  }
  const input = { header, body, senders: chain.senders(block) }
  const root = onEvmThread((thread) => witness.commit(execute(input, environment, thread).changes()))
  if (!equalBytes(root, header.stateRoot)) throw otherRoot(header, root)
  return {
    headers: ancestors(view, header, oldest),
    codes: sortedListJson(witness.codes),
    nodes: sortedListJson(witness.nodes),
  }
}

function execute(...parameters: Parameters<typeof processBlock>): BlockState {
  try {
    return processBlock(...parameters).state
  } catch (error) {
    throw error instanceof TransactionError ? rejectedArguments(error.message) : error
  }
}

/** The headers from the one with a number on to the parent of a header. */
function ancestors({ chain }: View, { parentHash }: Header, oldest: number): HashedHeader[] {
  const headers: HashedHeader[] = []
  for (let hash = parentHash; ; ) {
    const found = chain.header({ hash })
    if (found === undefined) throw blockNotFound(hash)
    headers.unshift({ header: found.header, hash: found.hash })
    if (found.header.number <= oldest) return headers
    hash = found.header.parentHash
  }
}

function otherRoot({ number, stateRoot }: Header, root: Uint8Array): GethReaderError {
  const [expected, found] = [bytesToHex(stateRoot), bytesToHex(root)]
  const message = `the transactions of block ${number} give the state root ${found}, its header has ${expected}`
  return new GethReaderError('DAMAGED', message, { block: BigInt(number), expected, found })
}

/** Characters of `"0x…",`. */
function listItemCharacters(bytes: number): number {
  return 2 * bytes + 5
}

function sortedListJson(items: Iterable<Uint8Array>): Uint8Array {
  const texts = [...items].sort(compareBytes).map((item) => `"${bytesToHex(item)}"`)
  return new TextEncoder().encode(`[${texts.join(',')}]`)
}
