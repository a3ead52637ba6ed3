// A call or transaction as the state transition takes it, with all defaults filled in and all fees resolved, and its
// context. Follows core.Message, and CallDefaults and ToMessage of internal/ethapi/transaction_args.go.
import { equalBytes, hexToBytes } from '../bytes.js'
import { maxUint64 } from '../constants.js'
import type { ChainConfig } from '../types/chain-config.js'
import type { ForkRules } from '../types/fork-rules.js'
import type { AccessListEntry, Authorization } from '../types/transaction.js'
import type { BlockContext } from './block-context.js'
import type { CheckTime } from './call-clock.js'
import { rejectedArguments } from './call-errors.js'
import type { CallArguments } from './engine.js'
import type { StateOverlay } from './overlay/state-overlay.js'
import type { PrecompileSet } from './precompiles/precompile-set.js'

/** The sender of calls that a block makes by itself (EIP-4788). It pays nothing. */
export const systemAddress = hexToBytes('fffffffffffffffffffffffffffffffffffffffe')

/** Whether an address is that of the system. */
export function isSystem(address: Uint8Array): boolean {
  // Each CALL asks: to call a function that compares all bytes took a fiftieth of a nested call (2026-11-25).
  return address[0] === 0xff && equalBytes(address, systemAddress)
}

/** Every field is always present, even if undefined: objects of one shape are faster than optional fields. */
export interface Message {
  readonly from: Uint8Array
  /** Undefined for contract creation. */
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly input: Uint8Array
  readonly gasLimit: bigint
  /** Price of a unit of gas for the sender. */
  readonly gasPrice: bigint
  readonly feeCap: bigint
  readonly tipCap: bigint
  readonly accessList: readonly AccessListEntry[] | undefined
  readonly blobFeeCap: bigint | undefined
  readonly blobHashes: readonly Uint8Array[] | undefined
  readonly authorizations: readonly Authorization[] | undefined
  /**
   * The nonce of a real transaction. Undefined in a call, for which the nonce, the sender's code, the gas limit of a
   * transaction and a base fee that the caller does not offer to pay are not checked.
   */
  readonly nonce: bigint | undefined
  /**
   * Whether a message with a nonce may come from an account with code, and use any gas: a simulated transaction. Of one
   * without a nonce this is true anyway.
   */
  readonly isSimulated: boolean
}

/** What transactions of one block run in. */
export interface TransactionContext {
  readonly config: ChainConfig
  readonly rules: ForkRules
  readonly block: BlockContext
  readonly overlay: StateOverlay
  /** Called every few milliseconds at the latest. Throws if the work must stop. */
  readonly checkTime: CheckTime
}

/** A message with everything that it runs in. */
export interface MessageContext extends TransactionContext {
  readonly message: Message
  readonly precompiles: PrecompileSet
}

/** What the defaults of a call depend on. */
interface CallLimits {
  readonly chainId: bigint
  /** Upper bound of gas, 0 for none. */
  readonly gasCap: bigint
  /** Base fee of the block, undefined before London. */
  readonly baseFee: bigint | undefined
}

/** Fills in what the caller omitted. Throws CALL_REJECTED with geth's text if arguments contradict each other. */
export function callMessage(call: CallArguments, { chainId, gasCap, baseFee }: CallLimits): Message {
  const { maxFeePerGas, maxPriorityFeePerGas } = call
  if (call.gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined)) {
    throw rejectedArguments('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  if (call.chainId !== undefined && call.chainId !== chainId) {
    throw rejectedArguments(`chainId does not match node's (have=${call.chainId}, want=${chainId})`)
  }
  const { gasPrice, feeCap, tipCap } = callFees(call, baseFee)
  return {
    from: call.from ?? new Uint8Array(20),
    to: call.to,
    value: call.value ?? 0n,
    input: call.input ?? new Uint8Array(),
    gasLimit: callGasLimit(call.gas, gasCap),
    gasPrice,
    feeCap,
    tipCap,
    accessList: call.accessList,
    blobFeeCap: call.maxFeePerBlobGas ?? (call.blobVersionedHashes && 0n),
    blobHashes: call.blobVersionedHashes,
    authorizations: call.authorizationList,
    nonce: undefined,
    isSimulated: false,
  }
}

function callGasLimit(gas: bigint | undefined, gasCap: bigint): bigint {
  if (gas === undefined) return gasCap === 0n ? maxUint64 / 2n : gasCap
  return gasCap > 0n && gasCap < gas ? gasCap : gas
}

/** Whether geth makes a legacy transaction of a call: it has a price, or gets one of 0, as before London. */
export function isLegacyCall({ gasPrice }: CallArguments, baseFee: bigint | undefined): boolean {
  return gasPrice !== undefined || baseFee === undefined
}

/** The call with the price of 0 that it gets before London. */
export function withLegacyPrice(call: CallArguments, baseFee: bigint | undefined): CallArguments {
  return isLegacyCall(call, baseFee) ? { ...call, gasPrice: call.gasPrice ?? 0n } : call
}

function callFees(
  call: CallArguments,
  baseFee: bigint | undefined,
): Pick<Message, 'gasPrice' | 'feeCap' | 'tipCap'> {
  if (baseFee === undefined || call.gasPrice !== undefined) {
    const gasPrice = call.gasPrice ?? 0n
    return { gasPrice, feeCap: gasPrice, tipCap: gasPrice }
  }
  // The default that eth_createAccessList sets, the tip and twice the base fee, may be too long: geth wraps it.
  const feeCap = BigInt.asUintN(256, call.maxFeePerGas ?? 0n)
  const tipCap = call.maxPriorityFeePerGas ?? 0n
  if (feeCap === 0n && tipCap === 0n) return { gasPrice: 0n, feeCap, tipCap }
  // geth's sum wraps at 256 bits.
  const price = BigInt.asUintN(256, tipCap + baseFee)
  return { gasPrice: price > feeCap ? feeCap : price, feeCap, tipCap }
}
