// The state root of a block without transactions on top of the head: what its system calls change.
import { processBlock } from '../evm/block/process-block.js'
import { onEvmThread, withLibraries } from '../evm/evm-thread.js'
import { commitChanges } from '../state/commit-changes.js'
import type { TaskSignal } from '../stop.js'
import type { Header } from '../types/header.js'
import type { View } from './view.js'

/**
 * The root after the block, whose header names that of the state before. Throws STATE_UNAVAILABLE if the trie nodes of the state before are not on
 * disk, and UNSUPPORTED_FORK.
 */
export async function pendingRoot(
  { chain, states }: View,
  header: Header,
  signal: TaskSignal,
): Promise<Uint8Array> {
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
