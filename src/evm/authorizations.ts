// Delegations that a transaction sets before it runs (EIP-7702). Follows validateAuthorization and
// applyAuthorization of core/state_transition.go. A tuple that is not valid is passed over without a word.

import { equalBytes } from '../bytes.js'
import { maxUint64 } from '../constants.js'
import type { ChainConfig } from '../types/chain-config.js'
import { recoverAuthority } from '../types/sender.js'
import type { Authorization } from '../types/transaction.js'
import type { CheckTime } from './call-clock.js'
import { delegationCode, delegationTarget } from './delegation.js'
import type { OverlayAccount, StateOverlay } from './overlay/state-overlay.js'

/** Refund for an authority that exists: the intrinsic gas was that of a new account. */
const existingAccountRefund = 25_000 - 12_500

/** What authorizations are applied in. */
interface AuthorizationContext {
  readonly config: ChainConfig
  readonly overlay: StateOverlay
  readonly checkTime: CheckTime
}

/** Sets the delegations of all valid tuples, in order. */
export function applyAuthorizations(
  authorizations: readonly Authorization[],
  { config, overlay, checkTime }: AuthorizationContext,
): void {
  for (const authorization of authorizations) {
    // Each one is a recovery of a public key.
    checkTime()
    const authority = validAuthority(authorization, config.chainId, overlay)
    if (authority !== undefined) applyAuthorization(authorization, authority, overlay)
  }
}

function validAuthority(
  authorization: Authorization,
  chainId: bigint,
  overlay: StateOverlay,
): OverlayAccount | undefined {
  if (authorization.chainId !== 0n && authorization.chainId !== chainId) return undefined
  if (authorization.nonce === maxUint64) return undefined
  const address = recoverAuthority(authorization)
  if (address === undefined) return undefined
  const authority = overlay.account(address)
  // It is in the access list from here on, even if the tuple turns out not to be valid.
  overlay.warmAddress(authority)
  const code = overlay.code(authority)
  if (code.length > 0 && delegationTarget(code) === undefined) return undefined
  return authority.nonce === authorization.nonce ? authority : undefined
}

function applyAuthorization(
  authorization: Authorization,
  authority: OverlayAccount,
  overlay: StateOverlay,
): void {
  if (authority.exists) overlay.refund += existingAccountRefund
  overlay.setNonce(authority, authorization.nonce + 1n)
  const current = delegationTarget(overlay.code(authority))
  if (authorization.address.every((byte) => byte === 0)) {
    if (current !== undefined) overlay.setCode(authority, new Uint8Array())
  } else if (current === undefined || !equalBytes(current, authorization.address)) {
    overlay.setCode(authority, delegationCode(authorization.address))
  }
}
