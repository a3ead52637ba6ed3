// What a thread of `geth-reader serve --threads` runs.
import { runThread } from '../server/threads/run-thread.js'
import { describeError } from './exit.js'
import { createLog, type LogLineFormat } from './log.js'
import type { LogLevel } from './log-level.js'
import { openService, type ServeOptions } from './open-service.js'

/** What each thread gets of the flags. */
export interface ThreadSettings extends ServeOptions {
  readonly verbosity: LogLevel
  readonly format: LogLineFormat | undefined
}

runThread<ThreadSettings>(async ({ settings, config, tls, thread, threads }, sharing) => {
  const log = createLog(settings.verbosity, settings.format, { thread })
  return openService(settings, { config, tls, log }, { thread, threads, sharing })
}, describeError)
