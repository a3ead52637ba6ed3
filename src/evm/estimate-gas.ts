// The least gas limit with which a call succeeds, within geth's tolerance and by geth's search, so the numbers are equal.
// Follows eth/gasestimator, and DoEstimateGas of internal/ethapi/api.go.

import { GethReaderError } from '../errors.js'
import type { TaskSignal } from '../stop.js'
import { gasPerBlob } from '../types/blob-fee.js'
import { isBlockForkActive, isTimeForkActive } from '../types/fork-rules.js'
import type { Header } from '../types/header.js'
import { type BlockContext, callBlockContext, supportedRules, unpaidBlock } from './block-context.js'
import { callFailure, overrideState } from './call.js'
import { type CallClock, callClock } from './call-clock.js'
import { IntrinsicGasError, OutOfGasError, rejectedArguments, TransactionError } from './call-errors.js'
import type { BlockOverrides, CallContext, CallRequest } from './engine.js'
import { type EvmThread, onEvmThread } from './evm-thread.js'
import { callMessage, type Message } from './message.js'
import { type Checkpoint, StateOverlay } from './overlay/state-overlay.js'
import { PrecompileSet } from './precompiles/precompile-set.js'
import { applyMessage, type ExecutionResult, maxTransactionGas } from './state-transition.js'

/** Gas of a plain transfer, which is tried first if it may be enough. */
const transferGas = 21_000n
/** Gas that a callee gets for free with a transfer. */
const callStipend = 2_300n
/** The answer may be too high by this share of it. */
const errorRatio = 0.015

/**
 * Estimates gas in this thread. A gas limit in the call bounds the answer; `gasCap` 0 is no cap.
 *
 * Throws CALL_REJECTED for a call that is refused with any gas limit or needs more than the highest one, CALL_FAILED and
 * CALL_REVERTED for a call that fails for another reason than gas, DEADLINE_EXCEEDED as a call, and NotLoadedError if a
 * precompile needs a library that this thread has not loaded.
 */
export function estimateGas(request: CallRequest, context: CallContext, signal?: TaskSignal): bigint {
  const clock = callClock(request, signal)
  return onEvmThread((thread) => searchGas(new Estimation(request, context, { thread, clock })))
}

function searchGas(estimation: Estimation): bigint {
  if (estimation.isPlainTransfer && estimation.transferSucceeds()) return transferGas
  let enough = estimation.highestGas()
  const highest = estimation.attempt(enough)
  if (highest === undefined || highest.error !== undefined) throw estimation.failure(highest, enough)

  // The gas of a run with enough gas is a lower bound, except for code that reads the gas that is left.
  let tooLittle = highest.gasUsed - 1n
  const likely = ((highest.peakGas + callStipend) * 64n) / 63n
  if (likely < enough) {
    if (estimation.suffices(likely)) enough = likely
    else tooLittle = likely
  }
  while (tooLittle + 1n < enough) {
    if (Number(enough - tooLittle) / Number(enough) < errorRatio) break
    let middle = tooLittle + (enough - tooLittle) / 2n
    // Most calls need little more than they use.
    if (middle > tooLittle * 2n) middle = tooLittle * 2n
    if (estimation.suffices(middle)) enough = middle
    else tooLittle = middle
  }
  return enough
}

interface EstimationTools {
  readonly thread: EvmThread
  readonly clock: CallClock
}

/** One call that runs with different gas limits on the same state. */
class Estimation {
  readonly #request: CallRequest
  readonly #context: CallContext
  readonly #tools: EstimationTools
  /** The state with the overrides, from which each run starts. */
  readonly #overlay: StateOverlay
  readonly #start: Checkpoint
  readonly #block: BlockContext
  readonly #seenBlock: BlockContext
  readonly #message: Message

  constructor(request: CallRequest, context: CallContext, tools: EstimationTools) {
    this.#request = request
    this.#context = context
    this.#tools = tools
    const { blockOverrides } = request
    // Overrides are checked with the context of a call; the runs below have another context.
    const block = callBlockContext(request.header, context, blockOverrides)
    this.#overlay = new StateOverlay(context.state, tools.thread.buffers)
    overrideState(request.stateOverrides, {
      overlay: this.#overlay,
      // Overrides are checked by these rules; the call may run by other rules.
      precompiles: new PrecompileSet(supportedRules(context.config, block)),
      checkTime: tools.clock.checkTime,
    })
    this.#start = this.#overlay.checkpoint()
    const header = overriddenHeader(request.header, blockOverrides)
    this.#block = callBlockContext(header, context, remainingOverrides(blockOverrides))
    this.#message = callMessage(
      { ...request.call, gas: request.call.gas ?? 0n },
      { chainId: context.config.chainId, gasCap: request.gasCap, baseFee: header.baseFeePerGas },
    )
    this.#seenBlock = unpaidBlock(this.#block, this.#message)
  }

  get isPlainTransfer(): boolean {
    const { input, to } = this.#message
    if (input.length > 0 || to === undefined) return false
    const state = this.#overriddenState()
    return state.code(state.account(to)).length === 0
  }

  transferSucceeds(): boolean {
    try {
      return this.suffices(transferGas)
    } catch (error) {
      // The next attempt, with the highest gas limit, reports it.
      if (error instanceof GethReaderError && error.code === 'CALL_REJECTED') return false
      throw error
    }
  }

  /** The highest gas limit: by the limit of the call, the funds of its sender, and the caps. */
  highestGas(): bigint {
    const { gasLimit } = this.#message
    const { gasCap } = this.#request
    let highest = gasLimit >= transferGas ? gasLimit : this.#block.gasLimit
    if (highest > maxTransactionGas && this.#isTimeFork('osakaTime')) highest = maxTransactionGas
    const affordable = this.#affordableGas()
    if (affordable !== undefined && highest > affordable) highest = affordable
    return gasCap !== 0n && highest > gasCap ? gasCap : highest
  }

  suffices(gasLimit: bigint): boolean {
    const attempt = this.attempt(gasLimit)
    return attempt !== undefined && attempt.error === undefined
  }

  /** Undefined if the gas does not pay for the first opcode. Throws CALL_REJECTED for a call refused otherwise. */
  attempt(gasLimit: bigint): ExecutionResult | undefined {
    const { config } = this.#context
    const { thread, clock } = this.#tools
    const { checkTime } = clock
    const rules = supportedRules(config, this.#block)
    const setting = {
      config,
      rules,
      block: this.#seenBlock,
      overlay: this.#overriddenState(),
      message: { ...this.#message, gasLimit },
      // Overrides that move precompiles have no effect on estimates, as in geth.
      precompiles: new PrecompileSet(rules),
      checkTime,
    }
    try {
      const result = applyMessage(setting, thread)
      clock.checkEnd()
      return result
    } catch (error) {
      if (error instanceof IntrinsicGasError) return undefined
      if (!(error instanceof TransactionError)) throw error
      throw new GethReaderError('CALL_REJECTED', `failed with ${gasLimit} gas: ${error.message}`, {
        cause: error,
      })
    }
  }

  /** Why a call fails with the highest gas limit. */
  failure(attempt: ExecutionResult | undefined, gasLimit: bigint): Error {
    if (attempt?.error === undefined || attempt.error instanceof OutOfGasError) {
      return rejectedArguments(`gas required exceeds allowance (${gasLimit})`)
    }
    return callFailure(attempt, attempt.error, this.#tools.clock.checkTime)
  }

  /** Gas that the sender can pay for; undefined if the gas costs nothing. */
  #affordableGas(): bigint | undefined {
    const { from, value, feeCap, blobFeeCap = 0n, blobHashes = [] } = this.#message
    if (feeCap === 0n) return undefined
    const state = this.#overriddenState()
    let funds = state.account(from).balance
    if (value >= funds) throw rejectedArguments('insufficient funds for transfer')
    funds -= value
    if (blobHashes.length > 0 && this.#isTimeFork('cancunTime')) {
      const blobFees = BigInt.asUintN(256, BigInt(blobHashes.length) * gasPerBlob * blobFeeCap)
      if (blobFees >= funds) throw rejectedArguments('insufficient funds for gas * price + value')
      funds -= blobFees
    }
    return funds / feeCap
  }

  #isTimeFork(fork: 'cancunTime' | 'osakaTime'): boolean {
    const { config } = this.#context
    const { number, timestamp } = this.#block
    return isBlockForkActive(config, 'londonBlock', number) && isTimeForkActive(config, fork, timestamp)
  }

  /** The state with the overrides, after reverting the changes of earlier runs. */
  #overriddenState(): StateOverlay {
    this.#overlay.revertTo(this.#start)
    return this.#overlay
  }
}

/** The header with the overrides. An estimate derives everything else from it, also the active forks. */
function overriddenHeader(header: Header, overrides: BlockOverrides = {}): Header {
  const { number, difficulty, time, gasLimit, feeRecipient, prevRandao, baseFeePerGas } = overrides
  return {
    ...header,
    ...(number !== undefined && { number: Number(number) }),
    ...(difficulty !== undefined && { difficulty }),
    ...(time !== undefined && { timestamp: time }),
    ...(gasLimit !== undefined && { gasLimit }),
    ...(feeRecipient !== undefined && { miner: feeRecipient }),
    ...(prevRandao !== undefined && { mixHash: prevRandao }),
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
  }
}

/** The overrides for which a header has no field, and the number, which may not fit in a header. */
function remainingOverrides({ number, blobBaseFee }: BlockOverrides = {}): BlockOverrides {
  return { ...(number !== undefined && { number }), ...(blobBaseFee !== undefined && { blobBaseFee }) }
}
