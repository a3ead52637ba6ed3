// Executes canonical blocks in a row on top of a state whose trie nodes are at hand, and collects the nodes that they make.
import { bytesToHex, equalBytes, hexToBytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { processBlock } from '../evm/block/process-block.js'
import { TransactionError } from '../evm/call-errors.js'
import { onEvmThread, withLibraries } from '../evm/evm-thread.js'
import { LiveState } from '../state/live-state.js'
import { packRecords, RecordCollector, type ReplayedBlocks } from '../state/replayed-blocks.js'
import { StateCache } from '../state/state-cache.js'
import { TrieValues } from '../state/trie-values.js'
import type { TaskSignal } from '../stop.js'
import type { Header } from '../types/header.js'
import type { View } from './view.js'

/** Bytes of the state that moves on, without new nodes and codes, and of the cache of nodes below it. */
const mostStateBytes = 64 * 2 ** 20
const cacheBytes = 16 * 2 ** 20

/** Blocks to be replayed, both ends included; the state before the first is on disk or was replayed. */
export interface ReplayRange {
  readonly from: number
  readonly to: number
  /** Bytes that the new trie nodes and codes may take. */
  readonly maxBytes: number
}

/**
 * Replays blocks. Throws STATE_UNAVAILABLE if the state before them cannot be walked, if they take more memory than
 * they may, and if a block does not give the gas used or the state root of its header; HISTORY_PRUNED, DAMAGED,
 * UNSUPPORTED_FORMAT and UNSUPPORTED_FORK if a block cannot be read or executed.
 */
export async function replayBlocks(
  view: View,
  range: ReplayRange,
  signal?: TaskSignal,
): Promise<ReplayedBlocks> {
  const { chain, states } = view
  const before = existingHeader(view, range.from - 1)
  const made = new RecordCollector()
  const state = stateOver(view, before.stateRoot, made)
  const roots: Uint8Array[] = []
  for (let number = range.from; number <= range.to; number++) {
    const block = chain.block({ number })
    if (block === undefined)
      throw notReplayed(number, existingHeader(view, number), 'its body is not on disk')
    const { header, body } = block
    const environment = {
      config: chain.config,
      state,
      blockHash: (ancestor: number) => chain.canonicalHash(ancestor),
      checkTime: () => signal?.throwIfAborted(),
    }
    const input = { header, body, senders: chain.senders(block) }
    const processed = await withLibraries(() =>
      onEvmThread((thread) => processBlock(input, environment, thread)),
    ).catch((error) => {
      throw error instanceof TransactionError ? notReplayed(number, header, error.message, error) : error
    })
    const { gasUsed } = processed
    if (gasUsed !== header.gasUsed) {
      throw notReplayed(
        number,
        header,
        `its transactions use ${gasUsed} gas, its header has ${header.gasUsed}`,
      )
    }
    for (const [hex, code] of processed.state.codes()) made.put(hexToBytes(hex), code)
    state.apply(processed.state)
    const root = state.commit((hash, node) => made.put(hash, node))!
    if (!equalBytes(root, header.stateRoot)) {
      throw notReplayed(number, header, `it gives the state root ${bytesToHex(root)}`)
    }
    if (made.bytes > range.maxBytes) throw beyondMemory(number, header, range.maxBytes)
    if (state.bytes > mostStateBytes) state.forget()
    roots.push(root)
  }
  return { base: states.baseOf(before.stateRoot), roots, records: packRecords(made.records) }
}

/** The state with a root as one that moves on, whose new nodes and codes are read from what was collected. */
function stateOver({ states }: View, root: Uint8Array, made: RecordCollector): LiveState {
  const stored = states.triesAt(root)
  const node = (owner: Uint8Array | undefined, path: Uint8Array, hash: Uint8Array) =>
    made.get(hash) ?? stored.nodeReader(owner).node(path, hash)
  return new LiveState(states.stateAt(root), new TrieValues(root, { node }, new StateCache(cacheBytes)))
}

function existingHeader({ chain }: View, number: number): Header {
  const found = chain.header({ number })
  if (found) return found.header
  throw new GethReaderError('BLOCK_NOT_FOUND', `block ${number} is not in this directory`, {
    block: BigInt(number),
  })
}

function notReplayed(number: number, { stateRoot }: Header, why: string, cause?: unknown): GethReaderError {
  const root = bytesToHex(stateRoot)
  return new GethReaderError('STATE_UNAVAILABLE', `block ${number} cannot be replayed: ${why}`, {
    root,
    block: BigInt(number),
    expected: root,
    available: `the states before block ${number}`,
    cause,
  })
}

function beyondMemory(number: number, { stateRoot }: Header, limit: number): GethReaderError {
  const message = `the states up to block ${number} take more than the ${limit} bytes that a replay may take`
  return new GethReaderError('STATE_UNAVAILABLE', message, {
    root: bytesToHex(stateRoot),
    block: BigInt(number),
    limit,
    available: `the states before block ${number}`,
  })
}
