// Package entry ./server: JSON-RPC over HTTP for an opened directory. Library users do not load it.
import type { GethChain } from './api/geth-chain.js'
import { defaultLimits, type Limits } from './rpc/limits.js'
import type { ServiceConfig } from './rpc/plans/service-config.js'
import { Service } from './rpc/service.js'
import { type Certificate, createHttpApp } from './rpc/transport/http-server.js'

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
export type { Certificate } from './rpc/transport/http-server.js'

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
  /** How often the directory is looked at for news, in milliseconds; default 1,000, 0 for never. */
  readonly refreshMilliseconds?: number
  /** Told about refreshes that fail; the server goes on with the view it has. Default ignores them. */
  readonly onRefreshError?: (error: unknown) => void
}

/** A JSON-RPC server over one opened directory. */
export interface GethServer extends AsyncDisposable {
  /** `http://127.0.0.1:8545`; empty before `listen`. */
  readonly url: string
  /** Starts listening; rejects with Node's error where it cannot. */
  listen(): Promise<void>
  /** Puts another config in force. Throws {@link ConfigError}, and changes nothing then. */
  reload(config: ServiceConfig): void
  /** Stops accepting, lets requests in flight finish. May be called twice. The chain stays the caller's to close. */
  close(): Promise<void>
}

const defaultHost = '127.0.0.1'
const defaultPort = 8_545
const defaultRefreshMilliseconds = 1_000

/** A server that does not listen yet. Throws {@link ConfigError}. */
export function createServer(chain: GethChain, options: ServerOptions = {}): GethServer {
  const { host = defaultHost, port = defaultPort, limits = defaultLimits, config = {} } = options
  const service = new Service({ backend: chain.datadir, limits, config })
  const { app, connections } = createHttpApp({ service, ...options })
  const refreshing = refreshRegularly(chain, options)
  let url = ''
  let closing: Promise<void> | undefined
  const close = async () => {
    service.drain()
    connections.closeWhenIdle()
    await refreshing.stop()
    await app.close()
    url = ''
  }
  const server: GethServer = {
    get url() {
      return url
    },
    async listen() {
      url = await app.listen({ host, port })
      refreshing.start()
    },
    reload: (config) => service.reload(config),
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
