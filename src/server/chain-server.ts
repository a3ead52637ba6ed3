// Everything of one server over one opened directory: the service, its transports, the watch over the directory, and the
// answers for operators. It may be one of several threads that share their limits and answer operators together.
import type { Datadir } from '../datadir/datadir.js'
import { type DirectoryWatch, defaultLookMilliseconds } from '../datadir/directory-watch.js'
import { defaultLimits } from '../rpc/limits.js'
import { defaultByteLimits } from './byte-budget.js'
import { watchServedDirectory } from './directory-watch.js'
import type { AskThread, ForwardedAnswer, ForwardedCall } from './forwarded-call.js'
import { createHttpServer, type HttpServer } from './http-server.js'
import { metricsContentType } from './metric-values.js'
import type { ServiceMetrics } from './metrics.js'
import { addCacheMetrics, addDirectoryMetrics } from './operations/directory-metrics.js'
import type { Operations } from './operations/endpoints.js'
import { type OperationsServer, startOperationsServer } from './operations/operations-server.js'
import { StatusReader, type ThreadStatus } from './operations/status.js'
import type { ServiceConfig } from './plans/service-config.js'
import type { Quotas } from './quotas/quotas.js'
import { describeFault } from './request-outcome.js'
import { checkServerOptions, type ServerOptions } from './server-options.js'
import { defaultQueueLimits, Service } from './service.js'
import { type Certificate, checkCertificate } from './transport/certificate.js'

/** A JSON-RPC server over one opened directory. */
export interface GethServer extends AsyncDisposable {
  /** `http://127.0.0.1:8545`, with TLS `https:`; empty before `listen`. */
  readonly url: string
  /** Where operators are answered; empty before `listen`. */
  readonly operationsUrl: string
  /**
   * Starts listening; rejects with Node's error if it cannot.
   *
   * @example
   * ```ts
   * await using server = createServer(chain, { port: 0 })
   * await server.listen()
   * console.log(server.url, server.operationsUrl)
   * ```
   */
  listen(): Promise<void>
  /**
   * Puts another config in force. Throws {@link ConfigError}, and changes nothing then.
   *
   * @example
   * ```ts
   * const server = createServer(chain, { port: 0 })
   * const config = parseServiceConfig('{ "plans": { "free": { "maxBatch": 10 } } }')
   * server.reload(config)
   * console.log('plans in force:', Object.keys(config.plans ?? {}))
   * ```
   */
  reload(config: ServiceConfig): void
  /**
   * Uses another certificate for new connections; others stay. Throws TypeError, and changes nothing then.
   *
   * @example
   * ```ts
   * const server = createServer(chain, { port: 0, tls: { cert, key } })
   * server.renewCertificate({ cert, key })
   * console.log('new connections get the new certificate')
   * ```
   */
  renewCertificate(tls: Certificate): void
  /**
   * Stops accepting, lets requests under way finish within their limit, closes WebSockets with 1001. May be called
   * twice. The chain stays the caller's to close.
   *
   * @example
   * ```ts
   * const server = createServer(chain, { port: 0 })
   * await server.listen()
   * await server.close()
   * console.log(await chain.getBlockNumber(), 'can still be read')
   * ```
   */
  close(): Promise<void>
}

/** What a server shares with others that answer on the same port. */
export interface Sharing {
  /** Which of them this is, from 1. */
  readonly thread: number
  /** How many they are. */
  readonly threads: number
  readonly quotas: Quotas
  /** Metrics of all in Prometheus' text format. */
  metricsText(): Promise<string>
  status(): Promise<ThreadStatus>
  readonly askThread: AskThread
  /** Called when this server has found something new in the directory. */
  onNews(): void
  /** Called with the number of tasks that workers of this process run or that wait for them. */
  onTasks(tasks: number): void
}

const defaultHost = '127.0.0.1'
const defaultPort = 8_545
const defaultShutdownMilliseconds = 30_000
/**
 * Part of the memory for callers that their bytes may take. The rest is for copies in the making and for garbage: floods of
 * unread answers and of unfinished bodies made the process grow by up to 1.5 times what was counted (2026-11-22).
 */
const countedShare = 3 / 4

/** A server of which {@link GethServer} is what users see. */
export class ChainServer implements GethServer {
  readonly #options: ServerOptions
  readonly #service: Service
  readonly #watch: DirectoryWatch
  readonly #onNews: () => void
  #stopWatch = () => {}
  readonly #operations: Operations
  #http: HttpServer | undefined
  #operationsServer: OperationsServer | undefined
  #url = ''
  #closing: Promise<void> | undefined

  /** Throws ConfigError, TypeError and RangeError. */
  constructor(datadir: Datadir, options: ServerOptions, sharing?: Sharing) {
    checkServerOptions(options)
    this.#options = options
    const { limits = defaultLimits, config = {}, logger, answerCacheBytes } = options
    const { memoryBytes = defaultByteLimits.total, keyMemoryBytes = defaultByteLimits.owner } = options
    /** Each of several threads has its part; with one that runs, a long call would hold up others of its caller. */
    const part = (count: number) => Math.max(2, Math.ceil(count / (sharing?.threads ?? 1)))
    const service = new Service({
      backend: datadir,
      head: datadir,
      ...(sharing && { thread: sharing.thread, askThread: sharing.askThread }),
      limits,
      config,
      memory: { total: memoryBytes * countedShare, owner: keyMemoryBytes },
      queueLimits: { running: part(defaultQueueLimits.running), waiting: part(defaultQueueLimits.waiting) },
      ...(logger && { logger }),
      ...(answerCacheBytes !== undefined && { answerCacheBytes }),
      ...(sharing && { quotas: sharing.quotas }),
      namespaces: {
        ...(options.httpNamespaces && { http: options.httpNamespaces }),
        ...(options.webSocketNamespaces && { websocket: options.webSocketNamespaces }),
      },
    })
    this.#service = service
    this.#watch = datadir.watch
    this.#onNews = () => sharing?.onNews()
    const status = new StatusReader(datadir)
    addDirectoryMetrics(service.metrics, datadir, status)
    addCacheMetrics(service.metrics, () => ({
      ...datadir.caches,
      ...(service.answers && { answers: service.answers }),
    }))
    this.#operations = {
      status: async () => ({
        ...(await status.read(!service.isDraining && !this.#watch.isFailing)),
        ...(sharing && { threads: await sharing.status() }),
      }),
      metrics: async () => sharing?.metricsText() ?? service.metrics.text(),
      metricsContentType,
      onFault: (error) => service.log.error(describeFault(error), 'status cannot be read'),
    }
  }

  get url(): string {
    return this.#url
  }

  get operationsUrl(): string {
    return this.#url === '' ? '' : (this.#operationsServer?.url ?? this.#url)
  }

  /** What this server alone counts. */
  get metrics(): ServiceMetrics {
    return this.#service.metrics
  }

  async listen(): Promise<void> {
    try {
      await this.#listen()
    } catch (error) {
      // What listens already, or measures, would keep the process alive.
      await this.close()
      throw error
    }
  }

  reload(config: ServiceConfig): void {
    this.#service.reload(config)
    this.#http?.webSockets.endRevoked()
  }

  renewCertificate(tls: Certificate): void {
    checkCertificate(tls)
    this.#http?.renewCertificate(tls)
  }

  /** Looks for news in the directory now, because another thread has found some. */
  async look(): Promise<void> {
    await this.#watch.lookNow()
  }

  /** Answers a call about a filter of this thread. */
  async answer(call: ForwardedCall): Promise<ForwardedAnswer> {
    return this.#service.answerForwarded(call)
  }

  /** Answers requests under way with an error: after a fault that nobody has caught, the process has to end. */
  abandon(fault: unknown): void {
    this.#service.log.error(describeFault(fault), 'fault, this thread ends')
    this.#http?.abandon()
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close()
    await this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #listen(): Promise<void> {
    const { operations: address, hostNames, host = defaultHost, port = defaultPort, ...rest } = this.#options
    const operations = this.#operations
    const names = hostNames && { hostNames }
    const service = this.#service
    this.#http = createHttpServer({ ...rest, ...names, service, ...(address ? {} : { operations }) })
    if (address) {
      this.#operationsServer = await startOperationsServer({
        operations,
        ...names,
        host: defaultHost,
        ...address,
      })
    }
    this.#url = await this.#http.listen({ host, port })
    this.#stopWatch = watchServedDirectory({
      watch: this.#watch,
      milliseconds: this.#options.refreshMilliseconds ?? defaultLookMilliseconds,
      log: service.log,
      onError: this.#options.onRefreshError ?? (() => {}),
      onView: this.#onNews,
    })
  }

  async #close(): Promise<void> {
    const { shutdownMilliseconds = defaultShutdownMilliseconds } = this.#options
    this.#service.drain()
    this.#stopWatch()
    await this.#http?.close(shutdownMilliseconds)
    await this.#operationsServer?.close()
    this.#service.close()
    this.#url = ''
  }
}
