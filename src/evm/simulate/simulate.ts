// Simulates blocks of calls on top of a block, each on the state after the one before. Follows simulator of
// internal/ethapi/simulate.go.
import { bytesToHex, concatBytes, quantity } from '../../bytes.js'
import { deriveListRoot } from '../../chain/block-items.js'
import { emptyRoot, maxUint64 } from '../../constants.js'
import { GethReaderError } from '../../errors.js'
import { hashListJson } from '../../hash-list.js'
import { keccak256 } from '../../kernel/keccak.js'
import { quoteJson } from '../../quote-json.js'
import { encodeBytes, encodeInteger, encodeList } from '../../rlp/encode.js'
import type { TaskSignal } from '../../stop.js'
import { nextBaseFee } from '../../types/base-fee.js'
import { gasPerBlob, nextExcessBlobGas } from '../../types/blob-fee.js'
import { bloomLength, logsBloom } from '../../types/bloom.js'
import type { Withdrawal } from '../../types/body.js'
import { forkRules, isBlockForkActive } from '../../types/fork-rules.js'
import { encodeHeader, type Header } from '../../types/header.js'
import { encodeLog, type StoredLog } from '../../types/receipt.js'
import { unsignedTransaction } from '../access-list/unsigned-transaction.js'
import { applyTransaction } from '../block/apply-transaction.js'
import { BlockState } from '../block/block-state.js'
import { pay } from '../block/process-block.js'
import { requestsHash } from '../block/requests.js'
import { type BlockExecution, endBlock, startBlock } from '../block/system-calls.js'
import { callBlockContext, supportedRules } from '../block-context.js'
import { callClock } from '../call-clock.js'
import { TransactionError } from '../call-errors.js'
import type { CallArguments, CallContext } from '../engine.js'
import type { EvmThread } from '../evm-thread.js'
import { executionReverted } from '../interpreter/frame-errors.js'
import { callMessage, withLegacyPrice } from '../message.js'
import { StateOverlay } from '../overlay/state-overlay.js'
import { applyStateOverrides } from '../overlay/state-overrides.js'
import { PrecompileSet } from '../precompiles/precompile-set.js'
import { revertReason } from '../revert-reason.js'
import type { ExecutionResult } from '../state-transition.js'
import { TraceBudget } from '../tracing/trace-context.js'
import { CallLogs, type NumberedLog } from './call-logs.js'
import { SimulationError } from './refusal.js'
import {
  type BlockOfCalls,
  type PlacedBlock,
  placeBlocks,
  type RefusedSimulation,
  startingHeader,
} from './simulated-chain.js'

/** What is simulated, on top of the block of the header. */
export interface SimulationRequest {
  readonly header: Header
  readonly blocks: readonly BlockOfCalls[]
  /** Adds a log for each transfer of ether. */
  readonly traceTransfers: boolean
  /** Checks nonces and fees as of transactions. */
  readonly validation: boolean
  /** Gas of all calls together; 0 for no limit. */
  readonly gasCap: bigint
  /** 0 for none. */
  readonly timeoutMilliseconds: number
  /** Characters that the results of all calls may take. */
  readonly limitCharacters: number
}

/** A simulated block. */
export interface SimulatedBlock {
  readonly header: Header
  readonly hash: Uint8Array
  /** RLP of the body as geth stores it. */
  readonly body: Uint8Array
  /** One for each transaction; see shownSenders. */
  readonly senders: readonly Uint8Array[]
  /** UTF-8 of the results of the calls as a JSON list. */
  readonly calls: Uint8Array<ArrayBuffer>
}

/** The simulated blocks, or why there are none. */
export type Simulation = { readonly blocks: readonly SimulatedBlock[] } | RefusedSimulation

/** What a simulation runs in. */
interface SimulationSetting {
  readonly context: CallContext
  readonly thread: EvmThread
  readonly signal: TaskSignal
  /** The root of a state; zeros if the tries of the state before are not on disk. */
  readonly rootOf: (state: BlockState) => Uint8Array
}

/** Bytes of a log in a receipt, without topics and data. */
const logBytes = 32

/** What is wrong with a call that geth reports with its own code. */
const failedCallCode = -32_015
const revertedCallCode = 3
const cappedGasNote = " (gas limit was capped by the RPC server's global gas cap)"

/** Simulates. Throws CALL_REJECTED with geth's text for calls that contradict themselves, UNSUPPORTED_FORK and ABORTED. */
export function simulate(request: SimulationRequest, setting: SimulationSetting): Simulation {
  try {
    return { blocks: new Simulator(request, setting).run() }
  } catch (error) {
    if (error instanceof SimulationError) return { refusal: error.refusal, message: error.message }
    const isOver = error instanceof GethReaderError && error.code === 'DEADLINE_EXCEEDED'
    if (!isOver) throw error
    return { refusal: 'timedOut', message: error.message }
  }
}

/** A transaction of a simulated block with its result. */
interface SimulatedCall {
  readonly envelope: Uint8Array
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  readonly result: ExecutionResult
  /** The logs of its receipt. */
  readonly logs: readonly StoredLog[]
  /** The logs that are shown. */
  readonly shownLogs: readonly NumberedLog[]
  readonly isGasCapped: boolean
  readonly blobCount: number
  /** The state root after it, before Byzantium. */
  readonly root: Uint8Array | undefined
}

/** One simulation. */
class Simulator {
  readonly #request: SimulationRequest
  readonly #setting: SimulationSetting
  readonly #state: BlockState
  readonly #checkTime: () => void
  readonly #budget: TraceBudget
  /** Hashes of the base and of the simulated blocks by number. */
  readonly #hashes = new Map<number, Uint8Array>()
  /** Logs by the hash of their transaction, in all blocks so far. */
  readonly #logs = new Map<string, StoredLog[]>()
  #gasLeft: bigint

  constructor(request: SimulationRequest, setting: SimulationSetting) {
    this.#request = request
    this.#setting = setting
    this.#state = new BlockState(setting.context.state)
    this.#checkTime = callClock(request, setting.signal).checkTime
    this.#budget = new TraceBudget(request.limitCharacters)
    this.#gasLeft = request.gasCap === 0n ? maxUint64 : request.gasCap
  }

  run(): SimulatedBlock[] {
    const { header: base, blocks } = this.#request
    const { config } = this.#setting.context
    const results: SimulatedBlock[] = []
    let parent = base
    let previous = base
    this.#hashes.set(base.number, keccak256(encodeHeader(base)))
    for (const block of placeBlocks(base, blocks)) {
      previous = startingHeader(block, previous, config)
      const result = this.#simulateBlock(block, previous, parent)
      this.#hashes.set(result.header.number, result.hash)
      results.push(result)
      parent = result.header
    }
    return results
  }

  #simulateBlock(placed: PlacedBlock, starting: Header, parent: Header): SimulatedBlock {
    const { config } = this.#setting.context
    const { thread, rootOf } = this.#setting
    const state = this.#state
    const header = this.#withFees(starting, parent)
    const { blobBaseFee } = placed.blockOverrides
    const block = callBlockContext(
      header,
      { config, blockHash: (number) => this.#blockHash(number) },
      blobBaseFee === undefined ? {} : { blobBaseFee },
    )
    const rules = supportedRules(config, block)
    const checkTime = this.#checkTime
    const execution: BlockExecution = { config, rules, block, state, thread, checkTime }
    const precompiles = new PrecompileSet(rules)
    if (placed.stateOverrides !== undefined) {
      const overlay = new StateOverlay(state, thread.buffers)
      applyStateOverrides(placed.stateOverrides, { overlay, precompiles, checkTime })
      state.commit(overlay, false)
    }
    // A difficulty takes the fork rules of the merge from calls, but not from what geth does around them.
    const { number, timestamp } = header
    const blockRules = forkRules(config, { number, timestamp, merged: true })
    const tracer = new CallLogs(this.#request.traceTransfers)
    startBlock(execution, header, blockRules, { tracer, precompiles })
    const calls: SimulatedCall[] = []
    let gasUsed = 0n
    for (const call of placed.calls) {
      const done = this.#simulateCall(execution, call, { header, precompiles, tracer, gasUsed })
      gasUsed += done.result.gasUsed
      calls.push(done)
    }
    const shownLogs = calls.flatMap((call) => (call.result.error === undefined ? call.shownLogs : []))
    const outcomes = endBlock(execution, blockRules, { precompiles })
    const withdrawals = blockRules.shanghai ? (placed.blockOverrides.withdrawals ?? []) : undefined
    pay(execution, header, { transactions: [], uncles: [], ...(withdrawals && { withdrawals }) })
    const { receiptsRoot, bloom } = receiptsOf(calls)
    const complete: Header = {
      ...header,
      gasUsed,
      transactionsRoot: calls.length === 0 ? emptyRoot : listRoot(calls.map(({ envelope }) => envelope)),
      receiptsRoot,
      logsBloom: bloom,
      stateRoot: rootOf(state),
      ...(withdrawals && {
        withdrawalsRoot: withdrawals.length === 0 ? emptyRoot : listRoot(withdrawals.map(encodeWithdrawal)),
      }),
      ...(blockRules.cancun && {
        blobGasUsed: BigInt(calls.reduce((sum, { blobCount }) => sum + blobCount, 0)) * gasPerBlob,
      }),
      ...(outcomes && { requestsHash: requestsHash(shownLogs, outcomes, config) }),
    }
    const hash = keccak256(encodeHeader(complete))
    return {
      header: complete,
      hash,
      body: encodeBody(calls, withdrawals),
      senders: shownSenders(calls),
      calls: new TextEncoder().encode(
        `[${calls.map((call, index) => this.#callJson(call, { header: complete, hash, index })).join(',')}]`,
      ),
    }
  }

  /** The header with its parent, base fee and excess of blob gas. */
  #withFees(header: Header, parent: Header): Header {
    const { config } = this.#setting.context
    const { number, timestamp, parentBeaconBlockRoot } = header
    const parentHash = this.#hashes.get(parent.number)!
    const isLondon = isBlockForkActive(config, 'londonBlock', number)
    const isParentLondon = isBlockForkActive(config, 'londonBlock', parent.number)
    const computedFee = this.#request.validation ? nextBaseFee(parent, isParentLondon) : 0n
    const hasBlobs = parentBeaconBlockRoot !== undefined
    const isParentOfBlobs = parent.parentBeaconBlockRoot !== undefined
    const excess = hasBlobs && isParentOfBlobs ? nextExcessBlobGas(config, parent, timestamp) : 0n
    return {
      ...header,
      parentHash,
      ...(isLondon && { baseFeePerGas: header.baseFeePerGas ?? computedFee }),
      ...(hasBlobs && { excessBlobGas: excess ?? 0n }),
    }
  }

  #blockHash(number: number): Uint8Array | undefined {
    return this.#hashes.get(number) ?? this.#setting.context.blockHash(number)
  }

  #simulateCall(
    execution: BlockExecution,
    call: CallArguments,
    { header, precompiles, tracer, gasUsed }: CallSetting,
  ): SimulatedCall {
    this.#checkTime()
    const { config, rules } = execution
    const { chainId } = config
    const from = call.from ?? new Uint8Array(20)
    const nonce = call.nonce ?? this.#state.account(from)?.nonce ?? 0n
    const remaining = header.gasLimit - gasUsed
    const wanted = call.gas ?? remaining
    if (remaining < wanted) {
      const message = `block gas limit reached: remaining: ${remaining}, required: ${wanted}`
      throw new SimulationError(message, 'blockGasLimit')
    }
    const gas = wanted < this.#gasLeft ? wanted : this.#gasLeft
    const baseFee = header.baseFeePerGas
    const message = {
      ...callMessage({ ...call, gas }, { chainId, gasCap: 0n, baseFee }),
      ...(this.#request.validation && { nonce, isSimulated: true }),
    }
    const { type, envelope } = unsignedTransaction(withLegacyPrice(call, baseFee), {
      chainId,
      nonce,
      gas,
      accessList: call.accessList ?? [],
    })
    const applied = applyOrRefuse(() => applyTransaction(execution, message, { tracer, precompiles }), gas)
    if (applied.gasUsed > this.#gasLeft) {
      const text = `RPC gas cap exhausted: need ${applied.gasUsed}, remaining ${this.#gasLeft}`
      throw new SimulationError(text, 'gasCapExhausted')
    }
    this.#gasLeft -= applied.gasUsed
    const hash = keccak256(envelope)
    return {
      envelope,
      hash,
      sender: from,
      result: applied,
      logs: this.#receiptLogs(hash, applied.logs),
      shownLogs: tracer.found,
      isGasCapped: gas < wanted,
      blobCount: type === 3 ? call.blobVersionedHashes!.length : 0,
      root: rules.byzantium ? undefined : this.#setting.rootOf(this.#state),
    }
  }

  /**
   * The logs of a receipt. geth keeps logs by the hash of their transaction, and transactions that differ in nothing but their sender
   * have one hash: the receipt of a later one also has the logs of those before it.
   */
  #receiptLogs(hash: Uint8Array, logs: readonly StoredLog[]): readonly StoredLog[] {
    const key = bytesToHex(hash)
    const earlier = this.#logs.get(key) ?? []
    // Many calls of one hash would repeat their logs as often as there are calls.
    for (const { topics, data } of earlier) this.#budget.take(logBytes + 32 * topics.length + data.length)
    const all = [...earlier, ...logs]
    this.#logs.set(key, all)
    return all
  }

  #callJson({ result, shownLogs, hash, isGasCapped }: SimulatedCall, block: CallPlace): string {
    const { output, error, gasUsed, peakGas } = result
    const returned = error === undefined ? bytesToHex(output) : '0x'
    const logs = shownLogs.map((log) => logJson(log, hash, block))
    const text =
      `{"returnData":"${returned}","logs":[${logs.join(',')}],"gasUsed":"${quantity(gasUsed)}",` +
      `"maxUsedGas":"${quantity(peakGas)}","status":"${error === undefined ? '0x1' : '0x0'}"` +
      `${error === undefined ? '' : `,"error":${errorJson(error, output, isGasCapped)}`}}`
    this.#budget.take(text.length)
    return text
  }
}

interface CallSetting {
  readonly header: Header
  readonly precompiles: PrecompileSet
  readonly tracer: CallLogs
  /** Gas that the calls before it used. */
  readonly gasUsed: bigint
}

/** The place of a call in the chain. */
interface CallPlace {
  readonly header: Header
  readonly hash: Uint8Array
  readonly index: number
}

/** Runs a transaction. A check that refuses it ends the simulation. */
function applyOrRefuse<T>(apply: () => T, gas: bigint): T {
  try {
    return apply()
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error
    throw new SimulationError(`err: ${error.message} (supplied gas ${gas})`, error.refusal)
  }
}

function errorJson(error: Error, output: Uint8Array, isGasCapped: boolean): string {
  if (error !== executionReverted) {
    const message = `${error.message}${isGasCapped ? cappedGasNote : ''}`
    return `{"message":${quoteJson(message)},"code":${failedCallCode}}`
  }
  const reason = revertReason(output)
  const message = reason === undefined ? error.message : `${error.message}: ${reason}`
  return `{"message":${quoteJson(message)},"code":${revertedCallCode},"data":"${bytesToHex(output)}"}`
}

function logJson(
  { address, topics, data, index: logIndex }: NumberedLog,
  hash: Uint8Array,
  block: CallPlace,
): string {
  const { header, hash: blockHash, index } = block
  return (
    `{"address":"${bytesToHex(address)}","topics":${hashListJson(topics)},` +
    `"data":"${bytesToHex(data)}","blockNumber":"${quantity(header.number)}","transactionHash":"${bytesToHex(hash)}",` +
    `"transactionIndex":"${quantity(index)}","blockHash":"${bytesToHex(blockHash)}",` +
    `"blockTimestamp":"${quantity(header.timestamp)}","logIndex":"${quantity(logIndex)}","removed":false}`
  )
}

/**
 * Senders by transaction, as geth shows them. A simulated transaction has no signature, so its hash does not cover its sender: of
 * several with one hash, all show the sender of the last.
 */
function shownSenders(calls: readonly SimulatedCall[]): Uint8Array[] {
  const senders = new Map(calls.map(({ hash, sender }) => [bytesToHex(hash), sender]))
  return calls.map(({ hash }) => senders.get(bytesToHex(hash))!)
}

/** Root and bloom of the receipts of calls. */
function receiptsOf(calls: readonly SimulatedCall[]): { receiptsRoot: Uint8Array; bloom: Uint8Array } {
  if (calls.length === 0) return { receiptsRoot: emptyRoot, bloom: new Uint8Array(bloomLength) }
  let cumulative = 0n
  const receipts = calls.map(({ envelope, result, logs, root }) => {
    cumulative += result.gasUsed
    const outcome = root === undefined ? encodeInteger(result.error === undefined ? 1 : 0) : encodeBytes(root)
    const list = encodeList([
      outcome,
      encodeInteger(cumulative),
      encodeBytes(logsBloom(logs)),
      encodeList(logs.map(encodeLog)),
    ])
    return envelope[0]! < 0x80 ? concatBytes(envelope.subarray(0, 1), list) : list
  })
  return { receiptsRoot: listRoot(receipts), bloom: logsBloom(calls.flatMap(({ logs }) => logs)) }
}

/** Root of the trie that has each item under the RLP of its index. */
function listRoot(items: readonly Uint8Array[]): Uint8Array {
  return deriveListRoot(encodeList(items.map(asListItem)))
}

/** An item in a list of RLP: typed transactions and receipts are strings there. */
function asListItem(item: Uint8Array): Uint8Array {
  return item[0]! < 0x80 ? encodeBytes(item) : item
}

function encodeBody(
  calls: readonly SimulatedCall[],
  withdrawals: readonly Withdrawal[] | undefined,
): Uint8Array {
  const transactions = encodeList(calls.map(({ envelope }) => asListItem(envelope)))
  const uncles = encodeList([])
  return encodeList([
    transactions,
    uncles,
    ...(withdrawals ? [encodeList(withdrawals.map(encodeWithdrawal))] : []),
  ])
}

function encodeWithdrawal({ index, validatorIndex, address, amount }: Withdrawal): Uint8Array {
  return encodeList([
    encodeInteger(index),
    encodeInteger(validatorIndex),
    encodeBytes(address),
    encodeInteger(amount),
  ])
}
