// States inside of a block: the root after each of its transactions, and the storage of an account before one of them.
// Follows IntermediateRoots of eth/tracers/api.go and storageRangeAt of eth/api_debug.go.
import { bytesToHex, equalBytes } from '../bytes.js'
import { emptyRoot } from '../constants.js'
import { applyTransaction } from '../evm/block/apply-transaction.js'
import { BlockState } from '../evm/block/block-state.js'
import { openBlock } from '../evm/block/process-block.js'
import { rejectedArguments, TransactionError } from '../evm/call-errors.js'
import { onEvmThread, withLibraries } from '../evm/evm-thread.js'
import { executeBefore, messageOf } from '../evm/tracing/trace-block.js'
import { keccak256 } from '../kernel/keccak.js'
import { LiveState } from '../state/live-state.js'
import type { TaskSignal } from '../stop.js'
import type { Header } from '../types/header.js'
import { listSlots, type NamedSlot } from './list-state.js'
import { onStateOf } from './nearest-states.js'
import { type BlockToTrace, tracedBlock } from './trace.js'
import type { View } from './view.js'

/** A block on top of the state after another. */
export interface BlockOnState {
  readonly block: BlockToTrace
  /** The block before. */
  readonly parent: Header
}

/**
 * Roots after each transaction, up to one that the rules refuse. Throws STATE_UNAVAILABLE if the trie nodes of the state
 * before the block are not at hand.
 */
export async function intermediateRoots(
  view: View,
  { block, parent }: BlockOnState,
  signal: TaskSignal,
): Promise<readonly Uint8Array[]> {
  const compute = () => onStateOf(view, parent, () => rootsOf(view, { block, parent }, signal))
  return withLibraries(compute)
}

function rootsOf(view: View, { block, parent }: BlockOnState, signal: TaskSignal): Uint8Array[] {
  const traced = tracedBlock(view, block, signal)
  const { states } = view
  const live = new LiveState(states.stateAt(parent.stateRoot), states.triesAt(parent.stateRoot))
  return onEvmThread((thread) => {
    const environment = { ...traced.environment, state: live }
    const start = openBlock(traced.header, environment, thread)
    const roots: Uint8Array[] = []
    for (let index = 0; index < traced.transactions.length; index++) {
      const state = index === 0 ? start.state : new BlockState(live)
      try {
        applyTransaction({ ...start, state }, messageOf(traced, index))
      } catch (error) {
        if (error instanceof TransactionError) break
        throw error
      }
      live.apply(state)
      roots.push(live.commit()!)
      signal.throwIfAborted()
    }
    return roots
  })
}

/** Storage before a transaction of a block. */
export interface StorageInBlock {
  readonly hash: Uint8Array
  readonly parent: Header
  readonly index: bigint
  readonly address: Uint8Array
  /** First hash of a slot. */
  readonly start: Uint8Array
  /** Slots at most. */
  readonly limit: number
}

/**
 * Slots as they were before the block, as geth reads them; undefined if the account has no storage before the transaction.
 * Throws CALL_REJECTED if there is no such transaction, STATE_UNAVAILABLE.
 */
export async function storageInBlock(
  view: View,
  { hash, parent, index, address, start, limit }: StorageInBlock,
  signal: TaskSignal,
): Promise<readonly NamedSlot[] | undefined> {
  const hasStorage = await withLibraries(() =>
    onStateOf(view, parent, () => {
      const block = tracedBlock(view, { hash }, signal)
      const { length } = block.transactions
      if (index < 0n || (index >= length && index > 0n)) {
        throw rejectedArguments(`transaction index ${index} out of range for block ${bytesToHex(hash)}`)
      }
      return onEvmThread((thread) => {
        const { state } = executeBefore(block, Number(index), thread).execution
        const account = state.account(address)
        return account !== undefined && !equalBytes(account.storageRoot, emptyRoot)
      })
    }),
  )
  if (!hasStorage) return undefined
  return listSlots(view, { header: parent, owner: keccak256(address), start, limit }, signal)
}
