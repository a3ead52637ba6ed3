// How a command fails: one readable message on standard error and an exit code.
import { GethReaderError } from '../errors.js'

export const exitFailed = 1
const exitUsage = 2
export const exitInterrupted = 130

/** A failure whose cause is outside of this program. Its text says everything; no stack is printed. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}

/** Prints an error for a person, with the stack if it is a fault of this program. Returns the exit code. */
export function reportError(error: unknown): number {
  if (error instanceof GethReaderError) {
    console.error(`geth-reader: ${error.message} (${error.code})`)
    if (error.facts.available !== undefined) console.error(`available: ${error.facts.available}`)
    return exitFailed
  }
  if (error instanceof TypeError || error instanceof RangeError) {
    console.error(`geth-reader: ${error.message}`)
    return exitUsage
  }
  if (error instanceof CommandFailure) {
    console.error(`geth-reader: ${error.message}`)
    return exitFailed
  }
  if (isSystemError(error)) {
    console.error(`geth-reader: ${describeSystemError(error)}`)
    return exitFailed
  }
  console.error('geth-reader: unexpected failure, please report it')
  console.error(error)
  return exitFailed
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error
}

function describeSystemError(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE')
    return `${error.message}; choose another port with --http.port or --ops.port`
  if (error.code === 'ENOSPC') return `${error.message}; free space or point TMPDIR at a larger file system`
  return error.message
}
