// The server's part in the watch over its directory: how often it looks, and what the log says of a directory that cannot be
// read.
import type { DirectoryWatch } from '../datadir/directory-watch.js'
import type { Logger } from '../logger.js'
import { describeFault } from './request-outcome.js'

interface ServedWatchOptions {
  readonly watch: DirectoryWatch
  /** Between two looks; 0 for none at all. */
  readonly milliseconds: number
  readonly log: Logger
  /** Called after each look that fails. */
  onError(error: unknown): void
  /** Called when there is a newer view. */
  onView(): void
}

/** Watches the directory for a server until the function that it returns is called. */
export function watchServedDirectory({
  watch,
  milliseconds,
  log,
  onError,
  onView,
}: ServedWatchOptions): () => void {
  if (milliseconds === 0) return () => {}
  const onFailure = (error: unknown, failures: number) => {
    // Once, not at every look.
    if (failures === 1)
      log.warn(describeFault(error), 'the directory cannot be read; the last view is served')
    onError(error)
  }
  const onRecovery = () => log.info({}, 'the directory can be read again')
  return watch.listen({ onView, onFailure, onRecovery }, { milliseconds, isPrompt: false })
}
