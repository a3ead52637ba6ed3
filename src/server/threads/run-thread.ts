// One thread of a service: a process that serves when the primary asks it to, with its part of the limits.
import type { Sharing } from '../chain-server.js'
import type { ForwardedAnswer, ForwardedCall } from '../forwarded-call.js'
import type { MetricValues } from '../metric-values.js'
import type { ServiceConfig } from '../plans/service-config.js'
import type { Certificate } from '../transport/certificate.js'
import { Channel, type Peer } from './channel.js'
import { LeasedQuotas } from './leased-quotas.js'
import { metricsText } from './merge-metrics.js'
import type { ForPrimary, ForThread, Serving, StartFailure, ThreadStart } from './messages.js'
import { recent } from './recent.js'
import { TaskReports } from './task-reports.js'

/** What a thread serves with. */
export interface ThreadServer {
  readonly serving: Serving
  reload(config: ServiceConfig): void
  renewCertificate(tls: Certificate): void
  look(): Promise<void>
  /** Uses so many workers, and always its own. */
  useWorkers(workers: number): void
  /** Answers a call about one of its filters. */
  answer(call: ForwardedCall): Promise<ForwardedAnswer>
  abandon(fault: unknown): void
  metrics(): MetricValues
  /** Ends after the requests under way. */
  close(): Promise<void>
}

/** The number of threads that serve may be this old. */
const statusAgeMilliseconds = 100
/** For the last answers of a thread that ends because of a fault to get to the operating system. */
const lastWordsMilliseconds = 100

/** Waits for the primary and does what it asks. `open` starts the server; `describe` says why it could not. */
export function runThread<Settings>(
  open: (start: ThreadStart<Settings>, sharing: Sharing) => Promise<ThreadServer>,
  describe: (error: unknown) => StartFailure,
): void {
  // A terminal and systemd send these to all processes. The primary decides what they mean.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  let server: ThreadServer | undefined
  process.once('uncaughtException', (fault) => {
    server?.abandon(fault)
    setTimeout(() => process.exit(1), lastWordsMilliseconds)
  })
  const channel = new Channel<ForThread, ForPrimary<Settings>>(process as Peer, {
    recall: (names) => quotas.returnUnused(names),
    reload: (config) => void server?.reload(config),
    renewCertificate: (tls) => void server?.renewCertificate(tls),
    metrics: () => server?.metrics() ?? [],
    answer: (call) => server?.answer(call),
    look: async () => void (await server?.look()),
    useWorkers: (workers) => void server?.useWorkers(workers),
    async close() {
      await server?.close()
      // After the answer to this.
      setImmediate(() => process.disconnect())
      return undefined
    },
  })
  const quotas = new LeasedQuotas({
    lease: (request) => channel.ask('lease', request),
    add: (name, count) => channel.tell('add', { name, count }),
    takeTokens: (request) => channel.ask('takeTokens', request),
  })
  const reports = new TaskReports((tasks) => channel.tell('tasks', tasks))
  const sharingOf = ({ thread, threads }: ThreadStart<Settings>): Sharing => ({
    thread,
    threads,
    quotas,
    metricsText: async () => metricsText(await channel.ask('metrics', undefined)),
    status: recent(statusAgeMilliseconds, () => channel.ask('threads', undefined)),
    askThread: (call) => channel.ask('forward', call),
    onNews: () => channel.tell('news', undefined),
    onTasks: (tasks) => reports.note(tasks),
  })
  const start = async () => {
    const asked = await channel.ask('start', undefined)
    try {
      server = await open(asked, sharingOf(asked))
      channel.tell('started', server.serving)
    } catch (error) {
      channel.tell('started', describe(error))
    }
  }
  start()
}
