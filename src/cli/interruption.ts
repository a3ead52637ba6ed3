// Ctrl-C in a command that would end by itself: it stops, releases what it holds and exits with 130.
import { GethReaderError } from '../errors.js'
import { exitInterrupted } from './exit.js'

/**
 * Runs work that SIGINT and SIGTERM abort by its signal. If it then throws ABORTED, the exit code is 130 and nothing is
 * thrown. A second signal ends the process at once.
 */
export async function interruptible(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interruption = new AbortController()
  const interrupt = () => {
    if (interruption.signal.aborted) process.exit(exitInterrupted)
    interruption.abort()
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    await work(interruption.signal)
  } catch (error) {
    const isAborted = error instanceof GethReaderError && error.code === 'ABORTED'
    if (!(isAborted && interruption.signal.aborted)) throw error
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
  if (interruption.signal.aborted) process.exitCode = exitInterrupted
}
