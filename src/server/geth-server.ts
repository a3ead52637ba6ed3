// Package entry ./server: JSON-RPC over HTTP and WebSocket for an opened directory. Library users do not load it.
import type { GethChain } from '../api/geth-chain.js'
import { defaultLimits } from '../rpc/limits.js'
import { defaultByteLimits } from './byte-budget.js'
import { DirectoryWatch } from './directory-watch.js'
import { createHttpServer, type HttpServer } from './http-server.js'
import { addCacheMetrics, addDirectoryMetrics } from './operations/directory-metrics.js'
import type { Operations } from './operations/endpoints.js'
import { type OperationsServer, startOperationsServer } from './operations/operations-server.js'
import { StatusReader } from './operations/status.js'
import type { ServiceConfig } from './plans/service-config.js'
import { describeFault } from './request-outcome.js'
import { checkServerOptions, type ServerOptions } from './server-options.js'
import { Service } from './service.js'
import { type Certificate, checkCertificate } from './transport/certificate.js'

export type { Logger } from '../logger.js'
export { defaultLimits, type Limits } from '../rpc/limits.js'
export {
  ConfigError,
  type ConfigMistake,
  checkServiceConfig,
  type FailoverConfig,
  type KeyConfig,
  type PlanConfig,
  parseServiceConfig,
  type ServiceConfig,
} from './plans/service-config.js'
export type { ServerOptions } from './server-options.js'
export type { Certificate } from './transport/certificate.js'

/** A JSON-RPC server over one opened directory. */
export interface GethServer extends AsyncDisposable {
  /** `http://127.0.0.1:8545`, with TLS `https:`; empty before `listen`. */
  readonly url: string
  /** Where operators are answered; empty before `listen`. */
  readonly operationsUrl: string
  /** Starts listening; rejects with Node's error where it cannot. */
  listen(): Promise<void>
  /** Puts another config in force. Throws {@link ConfigError}, and changes nothing then. */
  reload(config: ServiceConfig): void
  /** Uses another certificate for new connections; others stay. Throws TypeError, and changes nothing then. */
  renewCertificate(tls: Certificate): void
  /**
   * Stops accepting, lets requests under way finish within their limit, closes WebSockets with 1001. May be called
   * twice. The chain stays the caller's to close.
   */
  close(): Promise<void>
}

const defaultHost = '127.0.0.1'
const defaultPort = 8_545
const defaultRefreshMilliseconds = 500
const defaultShutdownMilliseconds = 30_000
/**
 * Part of the memory for callers that their bytes may take. The rest is for copies in the making and for garbage: floods of
 * unread answers and of unfinished bodies made the process grow by up to 1.5 times what was counted (2026-11-22).
 */
const countedShare = 3 / 4

/**
 * A server that does not listen yet. Throws {@link ConfigError}, and TypeError or RangeError for other options that
 * cannot be.
 */
export function createServer(chain: GethChain, options: ServerOptions = {}): GethServer {
  checkServerOptions(options)
  const { host = defaultHost, port = defaultPort, limits = defaultLimits, config = {}, logger } = options
  const { memoryBytes = defaultByteLimits.total, keyMemoryBytes = defaultByteLimits.owner } = options
  const { answerCacheBytes, shutdownMilliseconds = defaultShutdownMilliseconds } = options
  const service = new Service({
    backend: chain.datadir,
    limits,
    config,
    memory: { total: memoryBytes * countedShare, owner: keyMemoryBytes },
    ...(logger && { logger }),
    ...(answerCacheBytes !== undefined && { answerCacheBytes }),
    namespaces: {
      ...(options.httpNamespaces && { http: options.httpNamespaces }),
      ...(options.webSocketNamespaces && { websocket: options.webSocketNamespaces }),
    },
  })
  const watch = new DirectoryWatch({
    refresh: () => chain.refresh(),
    milliseconds: options.refreshMilliseconds ?? defaultRefreshMilliseconds,
    log: service.log,
    onError: options.onRefreshError ?? (() => {}),
  })
  const status = new StatusReader(chain.datadir)
  addDirectoryMetrics(service.metrics, chain.datadir, status)
  addCacheMetrics(service.metrics, () => ({
    ...chain.datadir.caches,
    ...(service.answers && { answers: service.answers }),
  }))
  const operations: Operations = {
    status: () => status.read(!service.isDraining && !watch.isFailing),
    metrics: () => service.metrics.text(),
    metricsContentType: service.metrics.contentType,
    onFault: (error) => service.log.error(describeFault(error), 'status cannot be read'),
  }
  let http: HttpServer | undefined
  let operationsServer: OperationsServer | undefined
  let url = ''
  let closing: Promise<void> | undefined
  const listen = async () => {
    const { operations: address, hostNames, ...rest } = options
    const names = hostNames && { hostNames }
    http = createHttpServer({ ...rest, ...names, service, ...(address ? {} : { operations }) })
    if (address) {
      operationsServer = await startOperationsServer({ operations, ...names, host: defaultHost, ...address })
    }
    url = await http.listen({ host, port })
    watch.start()
  }
  const close = async () => {
    service.drain()
    await Promise.all([watch.stop(), http?.close(shutdownMilliseconds)])
    await operationsServer?.close()
    service.close()
    url = ''
  }
  const server: GethServer = {
    get url() {
      return url
    },
    get operationsUrl() {
      return url === '' ? '' : (operationsServer?.url ?? url)
    },
    async listen() {
      try {
        await listen()
      } catch (error) {
        // What listens already, or measures, would keep the process alive.
        await server.close()
        throw error
      }
    },
    reload(config) {
      service.reload(config)
      http?.webSockets.endRevoked()
    },
    renewCertificate(tls) {
      checkCertificate(tls)
      http?.renewCertificate(tls)
    },
    async close() {
      closing ??= close()
      await closing
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
  return server
}
