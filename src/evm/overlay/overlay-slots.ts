// The storage slots that a transaction has used.
import { equalWords } from './journaled-words.js'
import type { OverlayAccount } from './overlay-account.js'
import { type OverlayBuffers, slotLoaded } from './overlay-buffers.js'
import { wordBytes, wordLength } from './word-table.js'

/** A slot with its value before the transaction and now. All bytes are copies, 32 each. */
export interface OverlaySlot {
  readonly account: OverlayAccount
  readonly key: Uint8Array
  readonly before: Uint8Array
  readonly value: Uint8Array
}

export function* changedSlots(
  buffers: OverlayBuffers,
  accounts: readonly OverlayAccount[],
): Generator<OverlaySlot> {
  const { storage, slotOriginals } = buffers
  for (let slot = 0; slot < storage.table.size; slot++) {
    const at = slot * wordLength
    if (!equalWords(storage.values, at, slotOriginals, at)) yield slotOf(buffers, accounts, slot)
  }
}

export function* loadedSlots(
  buffers: OverlayBuffers,
  accounts: readonly OverlayAccount[],
): Generator<OverlaySlot> {
  const { storage, slotFlags } = buffers
  for (let slot = 0; slot < storage.table.size; slot++) {
    if ((slotFlags[slot]! & slotLoaded) !== 0) yield slotOf(buffers, accounts, slot)
  }
}

function slotOf(
  { storage, slotOriginals }: OverlayBuffers,
  accounts: readonly OverlayAccount[],
  slot: number,
): OverlaySlot {
  const at = slot * wordLength
  return {
    account: accounts[storage.table.owner(slot)]!,
    key: storage.table.wordBytes(slot),
    before: wordBytes(slotOriginals, at),
    value: wordBytes(storage.values, at),
  }
}
