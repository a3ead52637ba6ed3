// Package entry ./server: JSON-RPC over HTTP and WebSocket for an opened directory. Library users do not load it.
import type { GethChain } from '../api/geth-chain.js'
import { ChainServer, type GethServer } from './chain-server.js'
import type { ServerOptions } from './server-options.js'

export type { Logger } from '../logger.js'
export { defaultLimits, type Limits } from '../rpc/limits.js'
export type { GethServer } from './chain-server.js'
export { ConfigError, type ConfigMistake } from './plans/config-error.js'
export {
  checkServiceConfig,
  type FailoverConfig,
  type KeyConfig,
  type PlanConfig,
  parseServiceConfig,
  type ServiceConfig,
} from './plans/service-config.js'
export type { ServerOptions } from './server-options.js'
export type { Certificate } from './transport/certificate.js'

/**
 * A server that does not listen yet, in this process and on its main thread; `--threads` is an option of the command line.
 * Throws {@link ConfigError}, and TypeError or RangeError for other options that cannot be.
 *
 * @example
 * ```ts
 * const server = createServer(chain, { port: 0, httpNamespaces: ['eth', 'net', 'web3', 'debug'] })
 * await server.listen()
 * console.log(server.url)
 * await server.close()
 * ```
 */
export function createServer(chain: GethChain, options: ServerOptions = {}): GethServer {
  return new ChainServer(chain.datadir, options)
}
