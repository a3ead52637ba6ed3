// Delegated code (EIP-7702): an account whose code names another account runs that account's code. Follows
// core/types/tx_setcode.go, and validateAuthorization and applyAuthorization of core/state_transition.go.
import { equalBytes } from '../bytes.js'
import { maxUint64, noBytes } from '../constants.js'
import { recoverAuthority } from '../types/sender.js'
import type { Authorization } from '../types/transaction.js'
import type { TransactionContext } from './message.js'
import type { OverlayAccount } from './overlay/overlay-account.js'
import type { StateOverlay } from './overlay/state-overlay.js'

const prefix = [0xef, 0x01, 0x00] as const
/** Refund for an authority that exists: the intrinsic gas is that of a new account. */
const existingAccountRefund = 25_000 - 12_500

/** The 20-byte address that a delegation names, a view of the code; undefined for any other code. */
export function delegationTarget(code: Uint8Array): Uint8Array | undefined {
  if (code.length !== 23 || !prefix.every((byte, i) => code[i] === byte)) return undefined
  return code.subarray(3)
}

/** The code of an account that delegates to the address. */
function delegationCode(target: Uint8Array): Uint8Array {
  const code = new Uint8Array(23)
  code.set(prefix)
  code.set(target, 3)
  return code
}

/** Sets the delegations of all valid tuples, in order. Skips tuples that are not valid. */
export function applyAuthorizations(
  authorizations: readonly Authorization[],
  { config, overlay, checkTime }: Pick<TransactionContext, 'config' | 'overlay' | 'checkTime'>,
): void {
  for (const authorization of authorizations) {
    // Each one recovers a public key.
    checkTime()
    const authority = validAuthority(authorization, config.chainId, overlay)
    if (authority !== undefined) applyAuthorization(authorization, authority, overlay)
  }
}

/** The address whose delegation a tuple may set, before the account itself is looked at; undefined if there is none. */
export function signingAuthority(authorization: Authorization, chainId: bigint): Uint8Array | undefined {
  if (authorization.chainId !== 0n && authorization.chainId !== chainId) return undefined
  return authorization.nonce === maxUint64 ? undefined : recoverAuthority(authorization)
}

function validAuthority(
  authorization: Authorization,
  chainId: bigint,
  overlay: StateOverlay,
): OverlayAccount | undefined {
  const address = signingAuthority(authorization, chainId)
  if (address === undefined) return undefined
  const authority = overlay.account(address)
  // The access list has it from here on, even if the tuple turns out not to be valid.
  overlay.warmAddress(authority)
  const code = overlay.usedCode(authority)
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
  const current = delegationTarget(overlay.usedCode(authority))
  if (authorization.address.every((byte) => byte === 0)) {
    if (current !== undefined) overlay.setCode(authority, noBytes)
  } else if (current === undefined || !equalBytes(current, authorization.address)) {
    overlay.setCode(authority, delegationCode(authorization.address))
  }
}
