// Proofs and slots of the state after a block.
import { readSlots, type SlotsOfAccount } from '../state/read-slots.js'
import { proveState, type StateProof } from '../state/state-proof.js'
import type { TaskSignal } from '../stop.js'
import type { Header } from '../types/header.js'
import { onStateOf } from './nearest-states.js'
import type { View } from './view.js'

/** What to prove. */
export interface BlockProof {
  /** The block after which the state is. */
  readonly header: Pick<Header, 'number' | 'stateRoot'>
  /** 20 bytes. */
  readonly address: Uint8Array
  /** 32 bytes each. */
  readonly slots: readonly Uint8Array[]
}

/** Throws STATE_UNAVAILABLE, also if only values of the state are on disk and not the nodes of its tries. */
export function proveBlockState(
  view: View,
  { header, address, slots }: BlockProof,
  signal?: TaskSignal,
): StateProof {
  return onStateOf(view, header, () =>
    proveState(view.states.triesAt(header.stateRoot), { address, slots, ...(signal && { signal }) }),
  )
}

/** Slots to read. */
export interface BlockSlots extends Pick<BlockProof, 'header'> {
  readonly accounts: readonly SlotsOfAccount[]
}

/** Words of each account, in order. Throws STATE_UNAVAILABLE. */
export function readBlockSlots(
  view: View,
  { header, accounts }: BlockSlots,
  signal?: TaskSignal,
): Uint8Array[][] {
  return onStateOf(view, header, () => readSlots(view.states.stateAt(header.stateRoot), accounts, signal))
}
