// The state root of a block without transactions on top of the head: what its system calls change.
import { GethReaderError } from '../errors.js'
import { processBlock } from '../evm/block/process-block.js'
import { onEvmThread, withLibraries } from '../evm/evm-thread.js'
import { commitChanges } from '../state/commit-changes.js'
import type { TaskSignal } from '../stop.js'
import type { Header } from '../types/header.js'
import type { View } from './view.js'

/**
 * The root after the block, whose header names that of the state before. Undefined if the trie nodes of that state are not on
 * disk, or the rules of the block are not supported.
 */
export async function pendingRoot(
  view: View,
  header: Header,
  signal: TaskSignal,
): Promise<Uint8Array | undefined> {
  try {
    return await computeRoot(view, header, signal)
  } catch (error) {
    const code = error instanceof GethReaderError ? error.code : undefined
    if (code === 'STATE_UNAVAILABLE' || code === 'UNSUPPORTED_FORK') return undefined
    throw error
  }
}

async function computeRoot({ chain, states }: View, header: Header, signal: TaskSignal): Promise<Uint8Array> {
  const { stateRoot } = header
  const environment = {
    config: chain.config,
    state: states.stateAt(stateRoot),
    blockHash: (number: number) => chain.canonicalHash(number),
    checkTime: () => signal.throwIfAborted(),
  }
  const block = { header, body: { transactions: [], uncles: [], withdrawals: [] }, senders: [] }
  const { state } = await withLibraries(() =>
    onEvmThread((thread) => processBlock(block, environment, thread)),
  )
  return commitChanges(states.triesAt(stateRoot), state.changes(), () => {})
}
