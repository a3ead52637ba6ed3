// The errors with which frames fail, with the texts of core/vm/errors.go. Errors of gas functions begin with "out of
// gas: ". Each is one object: inner frames fail often, and a new error would cost a stack trace each time.
import { withoutStack } from '../../errors.js'
import type { ForkRules } from '../../types/fork-rules.js'
import { FrameError, OutOfGasError } from '../call-errors.js'

function frameError(message: string, FrameErrorClass = FrameError): FrameError {
  return withoutStack(() => new FrameErrorClass(message))
}

export const outOfGas = frameError('out of gas', OutOfGasError)
/** A call that cannot pay for the access to its target, the memory or the transfer. */
export const outOfGasInPrice = frameError('out of gas: out of gas', OutOfGasError)
/** An offset or length beyond 64 bits. */
export const gasOverflow = frameError('gas uint64 overflow')
/** A memory size or price that is too large for geth's computation. */
export const gasOverflowInPrice = frameError('out of gas: gas uint64 overflow', OutOfGasError)
export const reentrancySentry = frameError('out of gas: not enough gas for reentrancy sentry', OutOfGasError)
export const writeProtection = frameError('write protection')
export const writeProtectionInPrice = frameError('out of gas: write protection', OutOfGasError)
export const invalidJump = frameError('invalid jump destination')
export const returnDataOutOfBounds = frameError('return data out of bounds')
export const depthExceeded = frameError('max call depth exceeded')
export const insufficientBalance = frameError('insufficient balance for transfer')
export const addressCollision = frameError('contract address collision')
export const nonceOverflow = frameError('nonce uint64 overflow')
export const codeStoreOutOfGas = frameError('contract creation code storage out of gas')
export const invalidCode = frameError('invalid code: must not begin with 0xef')
export const executionReverted = frameError('execution reverted')

/** Whether the changes of a frame last in spite of its error: before Homestead a creation succeeds if it cannot pay for its code. */
export function keepsState(error: Error, { homestead }: ForkRules): boolean {
  return error === codeStoreOutOfGas && !homestead
}
