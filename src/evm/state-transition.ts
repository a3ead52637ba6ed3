// The state transition: what happens before, in and after the frames of a transaction. Follows core/state_transition.go:
// checks, gas purchase, intrinsic gas, access list, frames, refund, fees. Calls take the same steps with fewer checks, see
// Message.nonce. Sizes are bounded by what fits in memory, so geth's overflow checks of gas have no counterpart.
import { maxUint64 } from '../constants.js'
import { gasPerBlob } from '../types/blob-fee.js'
import { type ForkRules, isBlockForkActive, isTimeForkActive } from '../types/fork-rules.js'
import { checksumAddress, IntrinsicGasError, TransactionError } from './call-errors.js'
import { applyAuthorizations, delegationTarget } from './delegation.js'
import type { InterpreterThread } from './interpreter/execution.js'
import { maxInitCodeSize } from './interpreter/execution.js'
import { type FrameOptions, runFrames } from './interpreter/run-frames.js'
import type { Message, MessageContext } from './message.js'
import { precompileAddresses } from './precompiles/precompile-set.js'

/** How a transaction ended, and what it cost. */
export interface ExecutionResult {
  readonly output: Uint8Array
  /** Undefined on success. */
  readonly error: Error | undefined
  /** Gas that the sender pays for. */
  readonly gasUsed: bigint
  /** The same before refunds. */
  readonly peakGas: bigint
}

/** Gas of a transaction that passed its checks. */
interface StartedTransaction {
  /** Gas of the first frame. */
  readonly gas: bigint
  /** The least that is charged at the end; 0 before Prague. */
  readonly floorGas: bigint
}

const maxBlobs = 6
/** Gas limit of one transaction from Osaka on (EIP-7825). */
export const maxTransactionGas = 16_777_216n
const maxUint256 = 2n ** 256n - 1n

/** Runs a message from its checks to its fees. Throws TransactionError if a check refuses it. */
export function applyMessage(
  context: MessageContext,
  thread: InterpreterThread,
  options?: FrameOptions,
): ExecutionResult {
  const { gas, floorGas } = startTransaction(context)
  const { output, error, gasLeft } = runFrames(context, { gas, thread }, options)
  const { gasUsed, peakGas } = settleTransaction(context, { floorGas, gasLeft })
  return { output, error, gasUsed, peakGas }
}

/** Checks the message, takes the gas from the sender and sets up the access list. Throws TransactionError. */
export function startTransaction(context: MessageContext): StartedTransaction {
  const { message, rules, overlay } = context
  checkSender(context)
  checkFees(context)
  checkBlobs(context)
  checkShape(context)
  buyGas(context)

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
    throw new TransactionError(
      `insufficient funds for transfer: address ${checksumAddress(message.from)}`,
      'insufficientFunds',
    )
  }
  fillAccessList(context)
  if (message.to !== undefined) startCall(message.to, context)
  return { gas: message.gasLimit - intrinsic, floorGas }
}

function checkSender({ message, rules, overlay, block }: MessageContext): void {
  const { nonce, from } = message
  if (nonce === undefined) return
  const sender = overlay.account(from)
  if (sender.nonce !== nonce) {
    const address = checksumAddress(from)
    const relation = sender.nonce < nonce ? 'high' : 'low'
    throw new TransactionError(
      `nonce too ${relation}: address ${address}, tx: ${nonce} state: ${sender.nonce}`,
      sender.nonce < nonce ? 'nonceTooHigh' : 'nonceTooLow',
    )
  }
  if (nonce === maxUint64)
    throw new TransactionError(`nonce has max value: address ${checksumAddress(from)}, nonce: ${nonce}`)
  if (message.isSimulated) return
  if (rules.osaka && message.gasLimit > maxTransactionGas) {
    throw new TransactionError(
      `transaction gas limit too high (cap: ${maxTransactionGas}, tx: ${message.gasLimit})`,
    )
  }
  const code = overlay.usedCode(sender)
  if (code.length > 0 && delegationTarget(code) === undefined) {
    throw new TransactionError(
      `sender not an eoa: address ${checksumAddress(from)}, len(code): ${code.length}`,
      'senderHasCode',
    )
  }
  if (message.gasLimit > block.gasLimit) throw new TransactionError('gas limit reached')
}

function checkFees({ message, rules, block }: MessageContext): void {
  const { nonce, from, feeCap, tipCap } = message
  if (!rules.london || (nonce === undefined && feeCap === 0n && tipCap === 0n)) return
  if (feeCap < tipCap) {
    throw new TransactionError(
      `max priority fee per gas higher than max fee per gas: address ${checksumAddress(from)}, ` +
        `maxPriorityFeePerGas: ${tipCap}, maxFeePerGas: ${feeCap}`,
      'tipAboveFeeCap',
    )
  }
  const baseFee = block.baseFee ?? 0n
  if (feeCap < baseFee) {
    throw new TransactionError(
      `max fee per gas less than block base fee: address ${checksumAddress(from)}, maxFeePerGas: ${feeCap}, baseFee: ${baseFee}`,
      'feeCapTooLow',
    )
  }
}

function checkBlobs({ message, rules, block }: MessageContext): void {
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

function checkShape({ message, rules }: MessageContext): void {
  const { authorizations, from, to, input } = message
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
      'initCodeTooLarge',
    )
  }
}

/** Takes the price of the gas from the sender, whose balance must cover the highest possible price and the value. */
function buyGas({ message, config, block, overlay }: MessageContext): void {
  const within256Bits = (amount: bigint): bigint => {
    if (amount <= maxUint256) return amount
    const address = checksumAddress(message.from)
    throw new TransactionError(
      `insufficient funds for gas * price + value: address ${address} required balance exceeds 256 bits`,
      'insufficientFunds',
    )
  }
  let cost = within256Bits(message.gasLimit * message.gasPrice)
  let mostNeeded = within256Bits(message.gasLimit * message.feeCap + message.value)
  const blobs = message.blobHashes?.length ?? 0
  // Only the config decides: a block before the merge that an override moves past Cancun pays for blobs too.
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
      'insufficientFunds',
    )
  }
  overlay.subtractBalance(sender, cost)
}

function fillAccessList({ message, rules, block, overlay, checkTime }: MessageContext): void {
  const precompiles = precompileAddresses(rules)
  overlay.startAccessList((address) => precompiles.has(address))
  overlay.warmAddressBytes(message.from)
  if (message.to !== undefined) overlay.warmAddressBytes(message.to)
  for (const { address, storageKeys } of message.accessList ?? []) {
    overlay.warmAddressBytes(address)
    checkTime()
    for (const key of storageKeys) {
      overlay.warmSlotBytes(address, key)
      checkTime()
    }
  }
  if (rules.shanghai) overlay.warmAddressBytes(block.coinbase)
}

/** Raises the nonce and sets delegations before the first frame of a message call. A failed frame does not undo it. */
function startCall(to: Uint8Array, context: MessageContext): void {
  const { message, overlay } = context
  const sender = overlay.account(message.from)
  overlay.setNonce(sender, BigInt.asUintN(64, sender.nonce + 1n))
  if (message.authorizations !== undefined) {
    applyAuthorizations(message.authorizations, context)
  }
  const target = delegationTarget(overlay.usedCode(overlay.account(to)))
  if (target !== undefined) overlay.warmAddressBytes(target)
}

/** Returns the gas that is left to the sender and pays the block's beneficiary. */
export function settleTransaction(
  { message, rules, block, overlay }: MessageContext,
  { floorGas, gasLeft }: { readonly floorGas: bigint; readonly gasLeft: bigint },
): Pick<ExecutionResult, 'gasUsed' | 'peakGas'> {
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

/** Gas that must be available before execution starts, and is spent when it does. */
function intrinsicGas(message: Message, rules: ForkRules): bigint {
  const isCreation = message.to === undefined
  let gas = isCreation && rules.homestead ? 53_000 : 21_000
  gas += (message.authorizations?.length ?? 0) * 25_000
  const zeros = countZeros(message.input)
  gas += zeros * 4 + (message.input.length - zeros) * (rules.istanbul ? 16 : 68)
  if (isCreation && rules.shanghai) gas += Math.ceil(message.input.length / 32) * 2
  for (const { storageKeys } of message.accessList ?? []) gas += 2_400 + storageKeys.length * 1_900
  return BigInt(gas)
}

/** The least gas that a transaction pays for from Prague on, by the size of its data (EIP-7623). */
function floorDataGas(message: Message): bigint {
  const zeros = countZeros(message.input)
  const tokens = (message.input.length - zeros) * 4 + zeros
  return BigInt(21_000 + tokens * 10)
}

function countZeros(bytes: Uint8Array): number {
  let zeros = 0
  for (const byte of bytes) if (byte === 0) zeros++
  return zeros
}
