// Reads slots of several accounts of one state.
import type { TaskSignal } from '../stop.js'
import type { StateReader } from './state-source.js'

/** An account and slots of 32 bytes. */
export interface SlotsOfAccount {
  readonly address: Uint8Array
  readonly slots: readonly Uint8Array[]
}

/** Words of each account, in order. Throws as the reader. */
export function readSlots(
  state: StateReader,
  accounts: readonly SlotsOfAccount[],
  signal?: TaskSignal,
): Uint8Array[][] {
  return accounts.map(({ address, slots }) =>
    slots.map((slot) => {
      signal?.throwIfAborted()
      return state.storage(address, slot)
    }),
  )
}
