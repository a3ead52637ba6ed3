// How a command fails: one readable message on standard error and an exit code.
import { inspect } from 'node:util'
import { type ErrorCode, GethReaderError, isSystemError } from '../errors.js'
import { plainLines } from './cell-text.js'

export const exitFailed = 1
const exitUsage = 2
const exitTryAgain = 3
const exitNever = 4
export const exitInterrupted = 130

/** What another attempt, or another directory of the same chain, does not change. */
const neverCodes: readonly ErrorCode[] = [
  'HISTORY_PRUNED',
  'STATE_UNAVAILABLE',
  'DAMAGED',
  'MISSING_FILE',
  'NOT_A_DATADIR',
  'UNSUPPORTED_ENGINE',
  'UNSUPPORTED_FORMAT',
  'UNSUPPORTED_FORK',
  'BLOCK_NOT_FOUND',
  'CALL_FAILED',
]
const againCodes: readonly ErrorCode[] = ['VIEW_UNSTABLE', 'WORKER_FAILED', 'NO_SPACE', 'RESOURCE_EXHAUSTED']

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
  console.error(plainLines(text))
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

/** The exit code of a command that reads datasets: 4 if this directory cannot give them, and 3 if another run may succeed. */
export function datasetExitCode(error: unknown): number {
  return error instanceof GethReaderError && neverCodes.includes(error.code) ? exitNever : exitTryAgain
}

/** Runs a command that reads datasets. An error about the directory is reported, and its exit code set. */
export async function withDatasetExit(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isOfDirectory =
      error instanceof GethReaderError && [...neverCodes, ...againCodes].includes(error.code)
    if (!isOfDirectory) throw error
    reportError(error)
    process.exitCode = datasetExitCode(error)
  }
}

function describeSystemError(error: Error & { readonly code: string }): string {
  if (error.code === 'EADDRINUSE')
    return `${error.message}; choose another port with --http.port or --ops.port`
  if (error.code === 'ENOSPC') return `${error.message}; free space or point TMPDIR at a larger file system`
  return error.message
}
