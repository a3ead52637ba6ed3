// The errors of calls, with geth's texts: internal/ethapi/errors.go, core/error.go, core/vm/errors.go.
import { bytesToHex } from '../bytes.js'
import { GethReaderError, withoutStack } from '../errors.js'
import { keccak256 } from '../kernel/keccak.js'
import { revertReason } from './revert-reason.js'

/** A failure of one frame. The caller gets its text if the first frame fails without a revert. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/** A frame ran out of gas: more gas might change the outcome. */
export class OutOfGasError extends FrameError {}

/** Which check refuses a transaction, as far as callers distinguish them. */
export type TransactionRefusal =
  | 'nonceTooHigh'
  | 'nonceTooLow'
  | 'senderHasCode'
  | 'tipAboveFeeCap'
  | 'feeCapTooLow'
  | 'insufficientFunds'
  | 'intrinsicGas'
  | 'initCodeTooLarge'
  | 'other'

/** Why a transaction is not executed. A call reports it with its gas limit. */
export class TransactionError extends Error {
  override readonly name = 'TransactionError'
  readonly refusal: TransactionRefusal

  constructor(message: string, refusal: TransactionRefusal = 'other') {
    super(message)
    this.refusal = refusal
  }
}

/** The gas limit does not pay for the intrinsic gas. */
export class IntrinsicGasError extends TransactionError {
  constructor(message: string) {
    super(message, 'intrinsicGas')
  }
}

/** CALL_REJECTED for arguments that cannot become a transaction. */
export function rejectedArguments(message: string): GethReaderError {
  return withoutStack(() => new GethReaderError('CALL_REJECTED', message))
}

/** CALL_REJECTED for a transaction refused before execution. */
export function rejectedTransaction(cause: TransactionError, gasLimit: bigint): GethReaderError {
  const message = `err: ${cause.message} (supplied gas ${gasLimit})`
  return withoutStack(() => new GethReaderError('CALL_REJECTED', message, { cause }))
}

/** CALL_FAILED for the top frame. */
export function failedCall(cause: FrameError, gasUsed: bigint): GethReaderError {
  return withoutStack(() => new GethReaderError('CALL_FAILED', cause.message, { cause, gasUsed }))
}

/** CALL_REVERTED with the payload, and with the reason if the payload has one. */
export function revertedCall(payload: Uint8Array, gasUsed: bigint): GethReaderError {
  const reason = revertReason(payload)
  const message = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
  const data = bytesToHex(payload)
  return withoutStack(() => new GethReaderError('CALL_REVERTED', message, { data, gasUsed }))
}

/** DEADLINE_EXCEEDED for a call that ran out of time. */
export function timedOutCall(timeoutMilliseconds: number): GethReaderError {
  const timeout = formatDuration(timeoutMilliseconds)
  return new GethReaderError('DEADLINE_EXCEEDED', `execution aborted (timeout = ${timeout})`, {
    limit: timeoutMilliseconds,
  })
}

/** CALL_FAILED for a call whose frames need more memory than the limit; geth has no such limit. */
export function memoryExhausted(limitBytes: number): GethReaderError {
  const message = `the call needs more memory than the limit of ${limitBytes / 2 ** 20} MiB`
  return new GethReaderError('CALL_FAILED', message, { limit: limitBytes })
}

/** CALL_FAILED for a call that uses more accounts, slots or transient slots than the limit; geth has no such limit. */
export function slotsExhausted(limit: number): GethReaderError {
  const message = `the call uses more accounts or slots than the limit of ${limit}`
  return new GethReaderError('CALL_FAILED', message, { limit })
}

/** A duration as Go prints it: `5s`, `1m0s`, `1.5s`, `250ms`. Whole milliseconds and above. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0s'
  if (milliseconds < 1000) return `${milliseconds}ms`
  const seconds = Number(((milliseconds % 60_000) / 1000).toFixed(3))
  const minutes = Math.floor(milliseconds / 60_000) % 60
  const hours = Math.floor(milliseconds / 3_600_000)
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`
}

/** An address with the mixed-case checksum of EIP-55, as geth prints it in error texts. */
export function checksumAddress(address: Uint8Array): string {
  const digits = bytesToHex(address).slice(2)
  const hash = bytesToHex(keccak256(new TextEncoder().encode(digits))).slice(2)
  let text = '0x'
  for (let i = 0; i < digits.length; i++) {
    const digit = digits[i]!
    text += hash[i]! >= '8' ? digit.toUpperCase() : digit
  }
  return text
}
