// Opens a directory and serves it in this process, alone or as one of several threads.
import { availableParallelism } from 'node:os'
import { openDatadir } from '../api/open-datadir.js'
import type { DatadirOptions } from '../datadir/datadir.js'
import type { Logger } from '../logger.js'
import { ChainServer, type Sharing } from '../server/chain-server.js'
import type { ServiceConfig } from '../server/plans/service-config.js'
import type { ServerOptions } from '../server/server-options.js'
import type { ThreadServer } from '../server/threads/run-thread.js'
import type { Certificate } from '../server/transport/certificate.js'
import { datadirOptions } from './datadir-options.js'
import { limitsOf, type ServeFlags } from './serve-options.js'

const mebibyte = 1_048_576

export interface ServiceSettings {
  readonly flags: ServeFlags
  readonly config: ServiceConfig
  readonly tls: Certificate | undefined
  readonly log: Logger
}

/** One thread of several; the first has number 1. */
interface ThreadPlace {
  readonly thread: number
  readonly threads: number
}

const onlyThread: ThreadPlace = { thread: 1, threads: 1 }

/** Serves until it is closed. What memory and workers the flags allow is divided between the threads. */
export async function openService(
  { flags, config, tls, log }: ServiceSettings,
  place: ThreadPlace = onlyThread,
  sharing?: Sharing,
): Promise<ThreadServer> {
  const chain = await openDatadir(partOf(datadirOptions(flags, log), place))
  const options: ServerOptions = {
    host: flags['http.addr'],
    port: flags['http.port'],
    httpNamespaces: flags['http.api'],
    webSocketNamespaces: flags['ws.api'],
    corsOrigins: flags['http.corsdomain'],
    hostNames: flags['http.vhosts'],
    webSocketOrigins: flags['ws.origins'],
    limits: limitsOf(flags),
    answerCacheBytes: Math.floor((flags['cache.answers'] * mebibyte) / place.threads),
    memoryBytes: flags['memory.total'] * mebibyte,
    keyMemoryBytes: flags['memory.key'] * mebibyte,
    maxConnections: flags['http.maxconnections'],
    shutdownMilliseconds: flags['shutdown.timeout'],
    logger: log,
    config,
    ...(tls && { tls }),
    ...operationsOf(flags),
  }
  try {
    const server = new ChainServer(chain, options, sharing)
    await server.listen()
    const { url, operationsUrl } = server
    const facts = await chain.datadir.ask((view) => ({
      chainId: view.config.chainId,
      head: view.head().header.number,
    }))
    return {
      serving: { url, operationsUrl, ...facts },
      reload: (config) => server.reload(config),
      renewCertificate: (tls) => server.renewCertificate(tls),
      look: () => server.look(),
      abandon: (fault) => server.abandon(fault),
      metrics: () => server.metrics.values(),
      async close() {
        await server.close()
        await chain.close()
      },
    }
  } catch (error) {
    await chain.close()
    throw error
  }
}

/** The part of one thread; whole workers, at least one. */
function partOf(options: DatadirOptions, { thread, threads }: ThreadPlace): DatadirOptions {
  if (threads === 1) return options
  const { workers = availableParallelism(), cacheBytes = 64 * mebibyte, replay } = options
  const more = thread <= workers % threads ? 1 : 0
  return {
    ...options,
    workers: Math.max(1, Math.floor(workers / threads) + more),
    cacheBytes: Math.floor(cacheBytes / threads),
    ...(replay && {
      replay: { ...replay, memoryBytes: Math.floor((replay.memoryBytes ?? 256 * mebibyte) / threads) },
    }),
  }
}

function operationsOf({ 'ops.addr': host, 'ops.port': port }: ServeFlags): Pick<ServerOptions, 'operations'> {
  return port === undefined ? {} : { operations: { port, ...(host !== undefined && { host }) } }
}
