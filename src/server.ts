// Package entry ./server: JSON-RPC over HTTP and WebSocket for an opened directory. Library users do not load it.
import type { GethChain } from './api/geth-chain.js'
import { defaultLimits, type Limits } from './rpc/limits.js'
import type { ServiceConfig } from './rpc/plans/service-config.js'
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
  /** How often the directory is looked at for news, in milliseconds; default 1,000, 0 for never. */
  readonly refreshMilliseconds?: number
  /** Told about refreshes that fail; the server goes on with the view it has. Default ignores them. */
  readonly onRefreshError?: (error: unknown) => void
}

/** A JSON-RPC server over one opened directory. */
export interface GethServer extends AsyncDisposable {
  /** `http://127.0.0.1:8545`, with TLS `https:`; empty before `listen`. */
  readonly url: string
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
  let http: HttpApp | undefined
  let url = ''
  let closing: Promise<void> | undefined
  const close = async () => {
    service.drain()
    await refreshing.stop()
    http?.webSockets.drain()
    http?.connections.closeWhenIdle()
    await http?.app.close()
    http?.webSockets.terminate()
    url = ''
  }
  const server: GethServer = {
    get url() {
      return url
    },
    async listen() {
      http = await createHttpApp({ service, ...options })
      url = await http.listen({ host, port })
      refreshing.start()
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
  const wait = () => {
    if (refreshMilliseconds > 0 && !isStopped) timer = setTimeout(refresh, refreshMilliseconds).unref()
  }
  const refresh = () => {
    running = chain.refresh().catch(onRefreshError).finally(wait)
  }
  return {
    start: wait,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
