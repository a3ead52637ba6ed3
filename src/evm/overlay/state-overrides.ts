// Applies the caller's state overrides to the overlay before the transaction starts. Follows StateOverride.Apply of
// internal/ethapi/override.
import { compareBytes } from '../../bytes.js'
import type { CheckTime } from '../call-clock.js'
import { checksumAddress, rejectedArguments } from '../call-errors.js'
import type { AccountOverride, StateOverrides } from '../engine.js'
import type { PrecompileSet } from '../precompiles/precompile-set.js'
import type { StateOverlay } from './state-overlay.js'

/** What overrides are applied to. */
export interface OverrideTarget {
  readonly overlay: StateOverlay
  readonly precompiles: PrecompileSet
  readonly checkTime: CheckTime
}

/** Applies the overrides in ascending order of addresses. Throws CALL_REJECTED with geth's text if they conflict. */
export function applyStateOverrides(
  overrides: StateOverrides,
  { overlay, precompiles, checkTime }: OverrideTarget,
): void {
  const sorted = overrides.toSorted(([a], [b]) => compareBytes(a, b))
  const movedTo: Uint8Array[] = []
  for (const [address, override] of sorted) {
    checkTime()
    if (movedTo.some((target) => compareBytes(target, address) === 0)) {
      throw rejectedArguments(
        `account ${checksumAddress(address)} has already been overridden by a precompile`,
      )
    }
    const { movePrecompileTo: target } = override
    if (target !== undefined) {
      if (precompiles.at(address) === undefined) {
        throw rejectedArguments(`account ${checksumAddress(address)} is not a precompile`)
      }
      if (sorted.some(([other]) => compareBytes(other, target) === 0)) {
        throw rejectedArguments(`account ${checksumAddress(target)} is already overridden`)
      }
      precompiles.copy(address, target)
      movedTo.push(target)
    }
    precompiles.remove(address)
    applyAccount(address, override, { overlay, checkTime })
    overlay.keepChanges()
  }
}

function applyAccount(
  address: Uint8Array,
  override: AccountOverride,
  { overlay, checkTime }: Pick<OverrideTarget, 'overlay' | 'checkTime'>,
): void {
  const account = overlay.account(address)
  const { nonce, code, balance, state, stateDiff } = override
  if (nonce !== undefined) overlay.setNonce(account, nonce)
  if (code !== undefined) overlay.setCode(account, code)
  if (balance !== undefined) overlay.setBalance(account, balance)
  if (state !== undefined && stateDiff !== undefined) {
    throw rejectedArguments(`account ${checksumAddress(address)} has both 'state' and 'stateDiff'`)
  }
  if (state !== undefined) overlay.replaceStorage(account)
  const value = new Uint32Array(8)
  for (const [key, bytes] of state ?? stateDiff ?? []) {
    checkTime()
    new Uint8Array(value.buffer).set(bytes)
    const slot = overlay.slot(account, key)
    overlay.loadSlot(slot)
    overlay.setSlot(account, slot, value, 0)
  }
}
