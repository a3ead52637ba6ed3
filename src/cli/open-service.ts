// Opens a directory and serves it in this process, alone or as one of several threads. Knows no flags: threads do not load the
// command line.
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { Datadir } from '../datadir/datadir.js'
import type { DatadirOptions } from '../datadir/directory-options.js'
import type { Logger } from '../logger.js'
import { ChainServer, type Sharing } from '../server/chain-server.js'
import type { ServiceConfig } from '../server/plans/service-config.js'
import type { ServerOptions } from '../server/server-options.js'
import type { ThreadServer } from '../server/threads/run-thread.js'
import { maxBorrowed } from '../server/threads/worker-shares.js'
import type { Certificate } from '../server/transport/certificate.js'

/** What all threads of a service have in common, and what is divided between them. */
export interface ServeOptions {
  readonly datadir: DatadirOptions
  readonly server: ServerOptions
}

/** What a service has from files and where it writes its log. */
interface ServiceContext {
  readonly config: ServiceConfig
  readonly tls: Certificate | undefined
  readonly log: Logger
}

/** One thread of several; the first has number 1. */
interface ThreadPlace {
  readonly thread: number
  readonly threads: number
  readonly sharing: Sharing
}

const mebibyte = 1_048_576
/**
 * Default of `--cache`. Threads divide it, and also the two defaults below. The indexes of 3.6 GiB of LevelDB take 75 MiB, and
 * traces of an archive read all of them: with a quarter of this default they were read again and again, and a traced block took
 * 2.5 to 3.5 times as long, with 120 MB less memory in two threads (2026-11-22).
 */
const defaultCacheBytes = 256 * mebibyte
const defaultReplayBytes = 256 * mebibyte
const defaultAnswerBytes = 32 * mebibyte

/** Serves until it is closed. */
export async function openService(
  options: ServeOptions,
  { config, tls, log }: ServiceContext,
  place?: ThreadPlace,
): Promise<ThreadServer> {
  const part = partOf(options, place ?? onlyThread)
  limitWorkers()
  const datadir = await Datadir.open({ ...part.datadir, logger: log })
  try {
    const serverOptions = { ...part.server, config, logger: log, ...(tls && { tls }) }
    const server = new ChainServer(datadir, serverOptions, place?.sharing)
    const useWorkers = place ? shareWorkers(datadir, options, place) : () => {}
    await server.listen()
    const { url, operationsUrl } = server
    const facts = await datadir.ask((view) => ({
      chainId: view.chain.config.chainId,
      head: view.chain.head().header.number,
    }))
    return {
      serving: { url, operationsUrl, ...facts },
      reload: (config) => server.reload(config),
      renewCertificate: (tls) => server.renewCertificate(tls),
      look: () => server.look(),
      answer: (call) => server.answer(call),
      useWorkers,
      metrics: () => server.metrics.values(),
      abandon: (fault) => server.abandon(fault),
      async close() {
        await server.close()
        await datadir.close()
      },
    }
  } catch (error) {
    await datadir.close()
    throw error
  }
}

/** Lends workers to other threads and gets theirs. */
function shareWorkers(
  datadir: Datadir,
  options: ServeOptions,
  { sharing }: ThreadPlace,
): (workers: number) => void {
  const own = datadir.workers.limit
  const mostBorrowed = Math.min(maxBorrowed, Math.max(0, workersOf(options.datadir) - own))
  return datadir.shareWorkers({ mostBorrowed, onTasks: (tasks) => sharing.onTasks(tasks) })
}

function workersOf({ workers = availableParallelism() }: DatadirOptions): number {
  return workers
}

const onlyThread = { thread: 1, threads: 1 } as const

/** The options of one thread: it gets its share of the workers and caches. */
function partOf(
  { datadir, server }: ServeOptions,
  { thread, threads }: Pick<ThreadPlace, 'thread' | 'threads'>,
): ServeOptions {
  const { cacheBytes = defaultCacheBytes, replay } = datadir
  const workers = workersOf(datadir)
  const { answerCacheBytes = defaultAnswerBytes } = server
  const more = thread <= workers % threads ? 1 : 0
  const divide = (bytes: number) => Math.floor(bytes / threads)
  return {
    datadir: {
      ...datadir,
      workers: Math.max(1, divide(workers) + more),
      cacheBytes: divide(cacheBytes),
      ...(replay && { replay: { ...replay, memoryBytes: divide(replay.memoryBytes ?? defaultReplayBytes) } }),
    },
    server: { ...server, answerCacheBytes: divide(answerCacheBytes) },
  }
}

/**
 * Semi-spaces of workers that are started later. With V8's default of 16 MiB each worker takes up to 48 MiB more under load
 * (2026-11-25). This process keeps its own: with 4 MiB it takes a tenth more processor time (2026-11-26).
 */
function limitWorkers(): void {
  const flag = '--max-semi-space-size'
  if (!process.execArgv.some((given) => given.startsWith(flag))) setFlagsFromString(`${flag}=4`)
}
