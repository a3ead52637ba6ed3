// What happens around the frames of a transaction: checks, gas purchase, access list, refund, fees. Follows
// core/state_transition.go; calls go through the same steps with fewer checks, see Message.nonce.

import { maxUint64 } from '../constants.js'
import { gasPerBlob } from '../types/blob-fee.js'
import type { ChainConfig } from '../types/chain-config.js'
import { type ForkRules, isBlockForkActive, isTimeForkActive } from '../types/fork-rules.js'
import { applyAuthorizations } from './authorizations.js'
import type { BlockContext } from './block-context.js'
import type { CheckTime } from './call-clock.js'
import { checksumAddress, IntrinsicGasError, TransactionError } from './call-errors.js'
import { maxInitCodeSize } from './code-limits.js'
import { delegationTarget } from './delegation.js'
import { floorDataGas, intrinsicGas } from './intrinsic-gas.js'
import type { Message } from './message.js'
import type { StateOverlay } from './overlay/state-overlay.js'
import { precompileAddresses } from './precompiles/precompile-set.js'

/** Everything a transaction runs in. */
export interface TransactionContext {
  readonly config: ChainConfig
  readonly rules: ForkRules
  readonly block: BlockContext
  readonly overlay: StateOverlay
  /** Called at the latest every few milliseconds; throws if the work is to stop. */
  readonly checkTime: CheckTime
}

/** A transaction that passed its checks and is ready for its first frame. */
export interface StartedTransaction {
  /** Gas of the first frame. */
  readonly gas: bigint
  /** The least that is charged at the end, 0 before Prague. */
  readonly floorGas: bigint
}

const maxBlobs = 6
/** Gas limit of one transaction from Osaka on (EIP-7825). */
export const maxTransactionGas = 16_777_216n
const maxUint256 = 2n ** 256n - 1n

/** Checks the message, takes the gas from the sender and sets up the access list. Throws TransactionError. */
export function startTransaction(message: Message, context: TransactionContext): StartedTransaction {
  const { rules, overlay } = context
  checkSender(message, context)
  checkFees(message, context)
  checkBlobs(message, context)
  checkShape(message, context)
  buyGas(message, context)

  const intrinsic = intrinsicGas(message, rules)
  if (message.gasLimit < intrinsic) {
    throw new IntrinsicGasError(`intrinsic gas too low: have ${message.gasLimit}, want ${intrinsic}`)
  }
  const floorGas = rules.prague ? floorDataGas(message) : 0n
  if (message.gasLimit < floorGas) {
    throw new TransactionError(
      `insufficient gas for floor data gas cost: have ${message.gasLimit}, want ${floorGas}`,
    )
  }
  const sender = overlay.account(message.from)
  if (sender.balance < message.value) {
    throw new TransactionError(`insufficient funds for transfer: address ${checksumAddress(message.from)}`)
  }
  fillAccessList(message, context)
  if (message.to !== undefined) prepareCall(message, message.to, context)
  return { gas: message.gasLimit - intrinsic, floorGas }
}

function checkSender(message: Message, { rules, overlay, block }: TransactionContext): void {
  const { nonce, from } = message
  if (nonce === undefined) return
  const sender = overlay.account(from)
  if (sender.nonce !== nonce) {
    const address = checksumAddress(from)
    const relation = sender.nonce < nonce ? 'high' : 'low'
    throw new TransactionError(
      `nonce too ${relation}: address ${address}, tx: ${nonce} state: ${sender.nonce}`,
    )
  }
  if (nonce === maxUint64)
    throw new TransactionError(`nonce has max value: address ${checksumAddress(from)}, nonce: ${nonce}`)
  if (rules.osaka && message.gasLimit > maxTransactionGas) {
    throw new TransactionError(
      `transaction gas limit too high (cap: ${maxTransactionGas}, tx: ${message.gasLimit})`,
    )
  }
  const code = overlay.code(sender)
  if (code.length > 0 && delegationTarget(code) === undefined) {
    throw new TransactionError(
      `sender not an eoa: address ${checksumAddress(from)}, len(code): ${code.length}`,
    )
  }
  if (message.gasLimit > block.gasLimit) throw new TransactionError('gas limit reached')
}

function checkFees({ nonce, from, feeCap, tipCap }: Message, { rules, block }: TransactionContext): void {
  if (!rules.london || (nonce === undefined && feeCap === 0n && tipCap === 0n)) return
  if (feeCap < tipCap) {
    throw new TransactionError(
      `max priority fee per gas higher than max fee per gas: address ${checksumAddress(from)}, ` +
        `maxPriorityFeePerGas: ${tipCap}, maxFeePerGas: ${feeCap}`,
    )
  }
  const baseFee = block.baseFee ?? 0n
  if (feeCap < baseFee) {
    throw new TransactionError(
      `max fee per gas less than block base fee: address ${checksumAddress(from)}, maxFeePerGas: ${feeCap}, baseFee: ${baseFee}`,
    )
  }
}

function checkBlobs(message: Message, { rules, block }: TransactionContext): void {
  const { blobHashes, blobFeeCap = 0n } = message
  if (blobHashes === undefined) return
  if (message.to === undefined) throw new TransactionError('blob transaction of type create')
  if (blobHashes.length === 0) throw new TransactionError('blob transaction missing blob hashes')
  if (rules.osaka && blobHashes.length > maxBlobs) {
    throw new TransactionError('blob transaction has too many blobs')
  }
  const invalid = blobHashes.findIndex((hash) => hash[0] !== 0x01)
  if (invalid >= 0) throw new TransactionError(`blob ${invalid} has invalid hash version`)
  const blobBaseFee = block.blobBaseFee ?? 0n
  const isFree = message.nonce === undefined && blobFeeCap === 0n
  if (rules.cancun && !isFree && blobFeeCap < blobBaseFee) {
    throw new TransactionError(
      `max fee per blob gas less than block blob gas fee: address ${checksumAddress(message.from)} ` +
        `blobGasFeeCap: ${blobFeeCap}, blobBaseFee: ${blobBaseFee}`,
    )
  }
}

function checkShape({ authorizations, from, to, input }: Message, { rules }: TransactionContext): void {
  if (authorizations !== undefined && to === undefined) {
    throw new TransactionError(
      `EIP-7702 transaction cannot be used to create contract (sender ${checksumAddress(from)})`,
    )
  }
  if (authorizations?.length === 0) {
    throw new TransactionError(`EIP-7702 transaction with empty auth list (sender ${checksumAddress(from)})`)
  }
  if (to === undefined && rules.shanghai && input.length > maxInitCodeSize) {
    throw new TransactionError(
      `max initcode size exceeded: code size ${input.length} limit ${maxInitCodeSize}`,
    )
  }
}

/** Takes what the gas costs from the sender, who must be able to pay the most that it could cost, and the value. */
function buyGas(message: Message, { config, block, overlay }: TransactionContext): void {
  const within256Bits = (amount: bigint): bigint => {
    if (amount <= maxUint256) return amount
    const address = checksumAddress(message.from)
    throw new TransactionError(
      `insufficient funds for gas * price + value: address ${address} required balance exceeds 256 bits`,
    )
  }
  let cost = within256Bits(message.gasLimit * message.gasPrice)
  let mostNeeded = within256Bits(message.gasLimit * message.feeCap + message.value)
  const blobs = message.blobHashes?.length ?? 0
  // By the config alone: a block before the merge, moved past Cancun in time, pays for blobs as well.
  const paysForBlobs =
    blobs > 0 &&
    isBlockForkActive(config, 'londonBlock', block.number) &&
    isTimeForkActive(config, 'cancunTime', block.timestamp)
  if (paysForBlobs) {
    const blobGas = BigInt(blobs) * gasPerBlob
    mostNeeded = within256Bits(mostNeeded + blobGas * (message.blobFeeCap ?? 0n))
    cost = within256Bits(cost + blobGas * (block.blobBaseFee ?? 0n))
  }
  const sender = overlay.account(message.from)
  if (sender.balance < mostNeeded) {
    const address = checksumAddress(message.from)
    throw new TransactionError(
      `insufficient funds for gas * price + value: address ${address} have ${sender.balance} want ${mostNeeded}`,
    )
  }
  overlay.subtractBalance(sender, cost)
}

function fillAccessList(message: Message, { rules, block, overlay, checkTime }: TransactionContext): void {
  const precompiles = precompileAddresses(rules)
  overlay.startAccessList((address) => precompiles.has(address))
  overlay.warmAddressBytes(message.from)
  if (message.to !== undefined) overlay.warmAddressBytes(message.to)
  for (const { address, storageKeys } of message.accessList ?? []) {
    const account = overlay.account(address)
    overlay.warmAddress(account)
    checkTime()
    for (const key of storageKeys) {
      overlay.warmSlot(overlay.slot(account, key))
      checkTime()
    }
  }
  if (rules.shanghai) overlay.warmAddressBytes(block.coinbase)
}

/** What happens before the first frame of a message call, and is kept even where that frame fails. */
function prepareCall(message: Message, to: Uint8Array, context: TransactionContext): void {
  const { overlay } = context
  const sender = overlay.account(message.from)
  overlay.setNonce(sender, BigInt.asUintN(64, sender.nonce + 1n))
  if (message.authorizations !== undefined) {
    applyAuthorizations(message.authorizations, context)
  }
  const target = delegationTarget(overlay.code(overlay.account(to)))
  if (target !== undefined) overlay.warmAddressBytes(target)
}

/** What a transaction took. */
export interface GasUse {
  /** What the sender pays for. */
  readonly gasUsed: bigint
  /** The same before refunds. */
  readonly peakGas: bigint
}

/** Gives back the gas that is left and pays the block's beneficiary. */
export function settleTransaction(
  message: Message,
  context: TransactionContext,
  { floorGas, gasLeft }: { readonly floorGas: bigint; readonly gasLeft: bigint },
): GasUse {
  const { rules, block, overlay } = context
  const usedBeforeRefund = message.gasLimit - gasLeft
  const largestRefund = usedBeforeRefund / (rules.london ? 5n : 2n)
  const refund = BigInt(overlay.refund) < largestRefund ? BigInt(overlay.refund) : largestRefund
  const used = usedBeforeRefund - refund
  const gasUsed = used < floorGas ? floorGas : used

  const sender = overlay.account(message.from)
  if (gasUsed < message.gasLimit) {
    overlay.addBalance(sender, (message.gasLimit - gasUsed) * message.gasPrice)
  }
  const isFree = message.nonce === undefined && message.feeCap === 0n && message.tipCap === 0n
  if (!isFree) {
    const tip = rules.london ? message.gasPrice - (block.baseFee ?? 0n) : message.gasPrice
    overlay.addBalance(overlay.account(block.coinbase), gasUsed * tip)
  }
  return { gasUsed, peakGas: usedBeforeRefund < floorGas ? floorGas : usedBeforeRefund }
}
