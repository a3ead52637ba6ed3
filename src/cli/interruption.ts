// Ctrl-C in a command that runs to an end of its own: it stops, releases what it holds and ends with 130.
import { exitInterrupted } from './exit.js'

/**
 * Runs work that stops when its signal is aborted, which SIGINT and SIGTERM do; then the exit code is 130 and the
 * signal's reason is not thrown. A second signal ends the process at once.
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
    if (error !== interruption.signal.reason) throw error
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
  if (interruption.signal.aborted) process.exitCode = exitInterrupted
}
