// The least gas limit with which a call succeeds, give or take what geth allows itself: its numbers, found in its way.
// Follows eth/gasestimator, and DoEstimateGas of internal/ethapi/api.go.

import { GethReaderError } from '../errors.js'
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

/** Gas of a plain transfer, which is tried first where it may suffice. */
const transferGas = 21_000n
/** Gas that a callee gets for free with a transfer. */
const callStipend = 2_300n
/** Share of the answer by which it may be too high. */
const errorRatio = 0.015

/**
 * Estimates gas at once, in this thread. A gas limit in the call bounds the answer; `gasCap` 0 is no cap.
 *
 * Throws CALL_REJECTED for a call that no gas limit makes acceptable and where the most that is allowed is too little,
 * CALL_FAILED and CALL_REVERTED for one that fails for another reason than gas; DEADLINE_EXCEEDED as a call;
 * NotLoadedError where a precompile needs a library that this thread has not loaded.
 */
export function estimateGas(request: CallRequest, context: CallContext): bigint {
  const clock = callClock(request)
  return onEvmThread((thread) => searchGas(new Estimation(request, context, { thread, clock })))
}

function searchGas(estimation: Estimation): bigint {
  if (estimation.isPlainTransfer && estimation.transferSucceeds()) return transferGas
  let enough = estimation.highestGas()
  const highest = estimation.attempt(enough)
  if (highest === undefined || highest.error !== undefined) throw estimation.failure(highest, enough)

  // What a run takes that lacks nothing is a lower bound, except for code that looks at the gas that is left.
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

/** One call, to be run with different gas limits on the same state. */
class Estimation {
  readonly #request: CallRequest
  readonly #context: CallContext
  readonly #tools: EstimationTools
  /** The state with the overrides, on which each run begins. */
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
    // Errors of the overrides come by the context of a call; what runs later has one of its own.
    const block = callBlockContext(request.header, context, blockOverrides)
    this.#overlay = new StateOverlay(context.state, tools.thread.buffers)
    overrideState(request.stateOverrides, {
      overlay: this.#overlay,
      // The rules by which overrides are checked; the call itself may run by others.
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
      // It is told about the next attempt, which has all the gas there is.
      if (error instanceof GethReaderError && error.code === 'CALL_REJECTED') return false
      throw error
    }
  }

  /** The most gas that the call can be given: by its own limit, its sender's funds, and the caps. */
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

  /** Undefined where the gas does not pay for the first opcode. Throws CALL_REJECTED for a call refused otherwise. */
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
      // Moved ones have not moved here.
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

  /** Why a call fails that has all the gas it can be given. */
  failure(attempt: ExecutionResult | undefined, gasLimit: bigint): Error {
    if (attempt?.error === undefined || attempt.error instanceof OutOfGasError) {
      return rejectedArguments(`gas required exceeds allowance (${gasLimit})`)
    }
    return callFailure(attempt, attempt.error)
  }

  /** What the sender can pay for; undefined where the gas costs nothing. */
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

  /** The state as the call finds it: what earlier runs changed is taken back. */
  #overriddenState(): StateOverlay {
    this.#overlay.revertTo(this.#start)
    return this.#overlay
  }
}

/** An estimation overrides the header, from which everything else follows anew: also which forks rule. */
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

/** What a header has no field for, and the number in full. */
function remainingOverrides({ number, blobBaseFee }: BlockOverrides = {}): BlockOverrides {
  return { ...(number !== undefined && { number }), ...(blobBaseFee !== undefined && { blobBaseFee }) }
}
