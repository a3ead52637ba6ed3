// Package entry ./server: JSON-RPC over HTTP and WebSocket for an opened directory. Library users do not load it.
import type { GethChain } from './api/geth-chain.js'
import { defaultLimits, type Limits } from './rpc/limits.js'
import { addDirectoryMetrics } from './rpc/operations/directory-metrics.js'
import type { Operations } from './rpc/operations/endpoints.js'
import { type OperationsServer, startOperationsServer } from './rpc/operations/operations-server.js'
import { StatusReader } from './rpc/operations/status.js'
import type { ServiceConfig } from './rpc/plans/service-config.js'
import { describeFault } from './rpc/request-outcome.js'
import { Service } from './rpc/service.js'
import { type Certificate, checkCertificate } from './rpc/transport/certificate.js'
import { createHttpApp, type HttpApp } from './rpc/transport/http-server.js'

export { defaultLimits, type Limits } from './rpc/limits.js'
export {
  ConfigError,
  type ConfigMistake,
  checkServiceConfig,
  type FailoverConfig,
  type KeyConfig,
  type PlanConfig,
  parseServiceConfig,
  type ServiceConfig,
} from './rpc/plans/service-config.js'
export type { Certificate } from './rpc/transport/certificate.js'

export interface ServerOptions {
  /** Interface to listen on; default 127.0.0.1. */
  readonly host?: string
  /** Default 8545; 0 for any free port. */
  readonly port?: number
  /** What plans leave out, and what applies without keys. */
  readonly limits?: Limits
  /** Plans and keys; without keys everybody may ask. Its settings are the command line's business. */
  readonly config?: ServiceConfig
  /** Serves HTTPS instead of HTTP. */
  readonly tls?: Certificate
  /** Origins that browsers may ask from, `*` for any; default none. */
  readonly corsOrigins?: readonly string[]
  /** Host names that requests may name besides addresses, `*` for any; default localhost. */
  readonly hostNames?: readonly string[]
  /** Origins, or parts of them, of pages that may open WebSockets, `*` for any; default those of this machine. */
  readonly webSocketOrigins?: readonly string[]
  /**
   * Where /health, /ready, /metrics and the operator's page are answered, none of which needs a key: default beside the
   * rest, else on a port of their own (0 for any free one), on 127.0.0.1 where no host is named.
   */
  readonly operations?: { readonly host?: string; readonly port: number }
  /** How often the directory is looked at for news, in milliseconds; default 1,000, 0 for never. */
  readonly refreshMilliseconds?: number
  /** Told about refreshes that fail; the server goes on with the view it has. Default ignores them. */
  readonly onRefreshError?: (error: unknown) => void
}

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
  /** Stops accepting, lets requests in flight finish. May be called twice. The chain stays the caller's to close. */
  close(): Promise<void>
}

const defaultHost = '127.0.0.1'
const defaultPort = 8_545
const defaultRefreshMilliseconds = 1_000

/** A server that does not listen yet. Throws {@link ConfigError}, and TypeError for a wrong certificate. */
export function createServer(chain: GethChain, options: ServerOptions = {}): GethServer {
  const { host = defaultHost, port = defaultPort, limits = defaultLimits, config = {} } = options
  const service = new Service({ backend: chain.datadir, limits, config })
  if (options.tls) checkCertificate(options.tls)
  const refreshing = refreshRegularly(chain, options)
  const status = new StatusReader(chain.datadir)
  addDirectoryMetrics(service.metrics, chain.datadir, status)
  const operations: Operations = {
    status: () => status.read(!service.isDraining && !refreshing.isFailing),
    metrics: () => service.metrics.text(),
    metricsContentType: service.metrics.contentType,
    onFault: (error) => service.log.error(describeFault(error), 'status cannot be read'),
  }
  let http: HttpApp | undefined
  let operationsServer: OperationsServer | undefined
  let url = ''
  let closing: Promise<void> | undefined
  const listen = async () => {
    const { operations: address, hostNames, ...rest } = options
    const names = hostNames && { hostNames }
    http = await createHttpApp({ ...rest, ...names, service, ...(address ? {} : { operations }) })
    if (address) {
      operationsServer = await startOperationsServer({ operations, ...names, host: defaultHost, ...address })
    }
    url = await http.listen({ host, port })
    refreshing.start()
  }
  const close = async () => {
    service.drain()
    await refreshing.stop()
    http?.webSockets.drain()
    http?.connections.closeWhenIdle()
    await http?.app.close()
    http?.webSockets.terminate()
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

/** Looks for news in the directory, one look after the other. */
function refreshRegularly(chain: GethChain, options: ServerOptions) {
  const { refreshMilliseconds = defaultRefreshMilliseconds, onRefreshError = () => {} } = options
  let timer: NodeJS.Timeout | undefined
  let running: Promise<unknown> | undefined
  let isStopped = false
  let isFailing = false
  const wait = () => {
    if (refreshMilliseconds > 0 && !isStopped) timer = setTimeout(refresh, refreshMilliseconds).unref()
  }
  const refresh = () => {
    running = chain
      .refresh()
      .then(
        () => {
          isFailing = false
        },
        (error: unknown) => {
          isFailing = true
          onRefreshError(error)
        },
      )
      .finally(wait)
  }
  return {
    start: wait,
    /** Whether the last look failed. */
    get isFailing() {
      return isFailing
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
