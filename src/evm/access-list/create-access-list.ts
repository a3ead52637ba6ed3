// The access list of a call: runs the call until a run with the list of the run before touches nothing else.
// Follows AccessList of internal/ethapi/api.go.

import { bigIntToBytes, bytesToHex } from '../../bytes.js'
import type { TaskSignal } from '../../stop.js'
import { contractAddress } from '../../types/derived-receipt.js'
import type { ForkRules } from '../../types/fork-rules.js'
import { callBlockContext, supportedRules, unpaidBlock } from '../block-context.js'
import { overrideState } from '../call.js'
import { callClock } from '../call-clock.js'
import { FrameError, rejectedArguments, TransactionError } from '../call-errors.js'
import { signingAuthority } from '../delegation.js'
import type { AccessListContext, AccessListResult, CallRequest } from '../engine.js'
import { onEvmThread } from '../evm-thread.js'
import { callMessage, withLegacyPrice } from '../message.js'
import { StateOverlay } from '../overlay/state-overlay.js'
import { PrecompileSet, precompileAddresses } from '../precompiles/precompile-set.js'
import { applyMessage } from '../state-transition.js'
import { withFeeDefaults } from './fee-defaults.js'
import { TouchedList } from './touched-list.js'
import { unsignedTransactionHash } from './unsigned-transaction.js'

const gasPerAuthorization = 25_000n

/**
 * Makes an access list in this thread. Ignores block overrides and refuses moved precompiles, as geth does.
 *
 * Throws CALL_REJECTED for a call that cannot become a transaction, DEADLINE_EXCEEDED as a call, and NotLoadedError if a
 * precompile needs a library that this thread has not loaded.
 */
export function createAccessList(
  request: CallRequest,
  context: AccessListContext,
  signal?: TaskSignal,
): AccessListResult {
  const { checkTime, checkEnd } = callClock(request, signal)
  return onEvmThread((thread) => {
    const { config, state } = context
    const { header, stateOverrides: overrides } = request
    const { chainId } = config
    const block = callBlockContext(header, context)
    const rules = supportedRules(config, block)
    const overlay = new StateOverlay(state, thread.buffers)
    overrideState(overrides, { overlay, precompiles: new PrecompileSet(), checkTime })
    const start = overlay.checkpoint()

    const call = withFeeDefaults(request.call, { config, header, suggestTip: () => context.suggestTip() })
    const plain = callMessage(call, { chainId, gasCap: request.gasCap, baseFee: block.baseFee })
    const seenBlock = unpaidBlock(block, plain)
    const nonce = call.nonce ?? overlay.account(plain.from).nonce
    const excluded = excludedAddresses(rules, [plain.from, plain.to ?? contractAddress(plain.from, nonce)])
    const authorizations = plain.authorizations ?? []
    if (BigInt(authorizations.length) > plain.gasLimit / gasPerAuthorization) {
      throw rejectedArguments('insufficient gas to process all authorizations')
    }
    for (const authorization of authorizations) {
      checkTime()
      const authority = signingAuthority(authorization, chainId)
      if (authority !== undefined) excluded.add(bytesToHex(authority))
    }

    let previous = new TouchedList(call.accessList ?? [], excluded, checkTime)
    while (true) {
      overlay.revertTo(start)
      const accessList = previous.entries()
      const touched = new TouchedList(accessList, excluded, checkTime)
      const message = { ...plain, accessList }
      const precompiles = new PrecompileSet(rules)
      const setting = { config, rules, overlay, block: seenBlock, message, precompiles, checkTime }
      try {
        const { error, gasUsed } = applyMessage(setting, thread, {
          hostOperations: touched.recordingOperations(),
          onFault: (execution, frame) => touched.recordFault(execution, frame),
        })
        checkEnd()
        if (error !== undefined && !(error instanceof FrameError)) throw error
        if (touched.equals(previous)) {
          return { accessList, gasUsed, ...(error !== undefined && { error: error.message }) }
        }
      } catch (error) {
        if (!(error instanceof TransactionError)) throw error
        const sent = withLegacyPrice(call, block.baseFee)
        const hash = unsignedTransactionHash(sent, { chainId, nonce, gas: plain.gasLimit, accessList })
        throw rejectedArguments(`failed to apply transaction: ${bytesToHex(hash)} err: ${error.message}`)
      }
      previous = touched
    }
  })
}

/** Addresses in hex that are warm without an entry: sender, target, precompiles. */
function excludedAddresses(rules: ForkRules, parties: readonly Uint8Array[]): Set<string> {
  const precompiles = [...precompileAddresses(rules).keys()].map((address) =>
    bigIntToBytes(BigInt(address), 20),
  )
  return new Set([...parties, ...precompiles].map(bytesToHex))
}
