// Package entry ./server: JSON-RPC over HTTP for an opened directory. Library users do not load it.
import type { GethChain } from './api/geth-chain.js'
import { Dispatcher } from './rpc/dispatcher.js'
import { type HttpServer, startHttpServer } from './rpc/http-server.js'
import { defaultLimits, type Limits } from './rpc/limits.js'

export { defaultLimits, type Limits } from './rpc/limits.js'

export interface ServerOptions {
  /** Interface to listen on; default 127.0.0.1. */
  readonly host?: string
  /** Default 8545; 0 for any free port. */
  readonly port?: number
  readonly limits?: Limits
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
  /** Stops accepting, lets requests in flight finish. May be called twice. The chain stays the caller's to close. */
  close(): Promise<void>
}

const defaultRefreshMilliseconds = 1_000

/** A server that does not listen yet. */
export function createServer(chain: GethChain, options: ServerOptions = {}): GethServer {
  const { host, port, limits = defaultLimits, onRefreshError = () => {} } = options
  const refreshMilliseconds = options.refreshMilliseconds ?? defaultRefreshMilliseconds
  const dispatcher = new Dispatcher(chain.datadir)
  let http: HttpServer | undefined
  let timer: NodeJS.Timeout | undefined
  let refreshing: Promise<unknown> | undefined
  const refresh = () => {
    refreshing = chain
      .refresh()
      .catch(onRefreshError)
      .finally(() => {
        timer = http && setTimeout(refresh, refreshMilliseconds).unref()
      })
  }
  const server = {
    get url() {
      return http?.url ?? ''
    },
    async listen() {
      http = await startHttpServer({
        dispatcher,
        limits,
        ...(host !== undefined && { host }),
        ...(port !== undefined && { port }),
      })
      if (refreshMilliseconds > 0) timer = setTimeout(refresh, refreshMilliseconds).unref()
    },
    async close() {
      const closing = http
      http = undefined
      clearTimeout(timer)
      await refreshing
      await closing?.close()
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
  return server
}
