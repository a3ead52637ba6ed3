// What a thread of `geth-reader serve --threads` runs.
import { runThread } from '../server/threads/run-thread.js'
import { describeError } from './exit.js'
import { createLog } from './log.js'
import { openService } from './open-service.js'
import type { ServeFlags } from './serve-options.js'

runThread<ServeFlags>(async ({ settings: flags, config, tls, ...place }, sharing) => {
  const log = createLog(flags.verbosity, flags['log.format'], { thread: place.thread })
  return openService({ flags, config, tls, log }, place, sharing)
}, describeError)
