// How a command fails: one readable message on standard error and an exit code.
import { inspect } from 'node:util'
import { GethReaderError, isSystemError } from '../errors.js'

export const exitFailed = 1
const exitUsage = 2
export const exitInterrupted = 130

/** A failure whose cause is outside of this program. Its text says everything; no stack is printed. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}

/** An error for a person, and the exit code that it means. */
interface ErrorReport {
  readonly text: string
  readonly exitCode: number
}

/** A failure of another process of this program, which has described it. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure'
  readonly report: ErrorReport

  constructor(report: ErrorReport) {
    super(report.text)
    this.report = report
  }
}

/** Prints an error for a person, with the stack if it is a fault of this program. Returns the exit code. */
export function reportError(error: unknown): number {
  const { text, exitCode } = describeError(error)
  console.error(text)
  return exitCode
}

/** An error as {@link reportError} prints it. */
export function describeError(error: unknown): ErrorReport {
  if (error instanceof GethReaderError) {
    const { available } = error.facts
    const range = available === undefined ? '' : `\navailable: ${available}`
    return { text: `geth-reader: ${error.message} (${error.code})${range}`, exitCode: exitFailed }
  }
  if (error instanceof ReportedFailure) return error.report
  if (error instanceof TypeError || error instanceof RangeError) {
    return { text: `geth-reader: ${error.message}`, exitCode: exitUsage }
  }
  if (error instanceof CommandFailure) return { text: `geth-reader: ${error.message}`, exitCode: exitFailed }
  if (isSystemError(error)) {
    return { text: `geth-reader: ${describeSystemError(error)}`, exitCode: exitFailed }
  }
  const text = `geth-reader: unexpected failure, please report it\n${inspect(error)}`
  return { text, exitCode: exitFailed }
}

function describeSystemError(error: Error & { readonly code: string }): string {
  if (error.code === 'EADDRINUSE')
    return `${error.message}; choose another port with --http.port or --ops.port`
  if (error.code === 'ENOSPC') return `${error.message}; free space or point TMPDIR at a larger file system`
  return error.message
}
