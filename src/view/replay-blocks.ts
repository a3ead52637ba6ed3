// Executes canonical blocks in a row on top of a state whose trie nodes are at hand, and keeps the nodes that they make.
import { bytesToHex, equalBytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { processBlock } from '../evm/block/process-block.js'
import { TransactionError } from '../evm/call-errors.js'
import { onEvmThread, withLibraries } from '../evm/evm-thread.js'
import { packRecords, type ReplayedBlocks } from '../state/replayed-blocks.js'
import type { TaskSignal } from '../stop.js'
import type { Header } from '../types/header.js'
import { NewStates } from './new-states.js'
import type { View } from './view.js'

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
  const made = new NewStates(view, before.stateRoot)
  const roots: Uint8Array[] = []
  for (let number = range.from; number <= range.to; number++) {
    const parentRoot = roots.at(-1) ?? before.stateRoot
    const block = chain.block({ number })
    if (block === undefined)
      throw notReplayed(number, existingHeader(view, number), 'its body is not on disk')
    const { header, body } = block
    const environment = {
      config: chain.config,
      state: made.at(parentRoot),
      blockHash: (ancestor: number) => chain.canonicalHash(ancestor),
      checkTime: () => signal?.throwIfAborted(),
    }
    const input = { header, body, senders: chain.senders(block) }
    const { state, gasUsed } = await withLibraries(() =>
      onEvmThread((thread) => processBlock(input, environment, thread)),
    ).catch((error) => {
      throw error instanceof TransactionError ? notReplayed(number, header, error.message, error) : error
    })
    if (gasUsed !== header.gasUsed) {
      throw notReplayed(
        number,
        header,
        `its transactions use ${gasUsed} gas, its header has ${header.gasUsed}`,
      )
    }
    const root = made.commit(parentRoot, state)
    if (!equalBytes(root, header.stateRoot)) {
      throw notReplayed(number, header, `it gives the state root ${bytesToHex(root)}`)
    }
    if (made.bytes > range.maxBytes) throw beyondMemory(number, header, range.maxBytes)
    roots.push(root)
  }
  return { base: states.baseOf(before.stateRoot), roots, records: packRecords(made.records) }
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
