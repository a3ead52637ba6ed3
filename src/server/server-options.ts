// Options of a server and their bounds.
import { checkLogger, type Logger } from '../logger.js'
import { checkLimits, checkNumber, type Limits, maxMilliseconds } from '../rpc/limits.js'
import { checkNamespaces } from '../rpc/namespaces.js'
import type { ServiceConfig } from './plans/service-config.js'
import { type Certificate, checkCertificate } from './transport/certificate.js'

/** Options of createServer. */
export interface ServerOptions {
  /** Interface to listen on; default 127.0.0.1. */
  readonly host?: string
  /** Default 8545; 0 for any free port. */
  readonly port?: number
  /** What plans leave out, and what applies without keys. */
  readonly limits?: Limits
  /** Namespaces of the methods that HTTP requests may call; default `eth`, `net` and `web3`. A plan may name others. */
  readonly httpNamespaces?: readonly string[]
  /** The same for WebSockets. */
  readonly webSocketNamespaces?: readonly string[]
  /** Plans and keys; without keys everybody may ask. Its settings are the command line's business. */
  readonly config?: ServiceConfig
  /** Serves HTTPS instead of HTTP. */
  readonly tls?: Certificate
  /** Origins that browsers may ask from, `*` for any; default none. */
  readonly corsOrigins?: readonly string[]
  /** Host names that requests may name, in addition to addresses, `*` for any; default localhost. */
  readonly hostNames?: readonly string[]
  /** Origins, or parts of them, of pages that may open WebSockets, `*` for any; default those of this machine. */
  readonly webSocketOrigins?: readonly string[]
  /**
   * Where /health, /ready, /metrics and the operator's page are answered, none of which needs a key: default beside the
   * rest, else on a port of their own (0 for any free one), on 127.0.0.1 if no host is named.
   */
  readonly operations?: { readonly host?: string; readonly port: number }
  /** Gets a line for what happens; a pino logger fits. Lines hold no key, no partner's URL and no arguments. Default none. */
  readonly logger?: Logger
  /**
   * Bytes of cached answers, for equal requests to the same snapshot of the directory; default 32 MiB, 0 for none.
   */
  readonly answerCacheBytes?: number
  /**
   * Memory for requests that arrive or wait and for answers that are not sent, in bytes, of all callers together; default
   * 160 MiB. Requests for which there is none wait, and are refused in the end.
   */
  readonly memoryBytes?: number
  /** The same for one key, or for one connection if nobody needs a key; default 64 MiB. */
  readonly keyMemoryBytes?: number
  /** Connections of clients at the same time, WebSockets included; more are closed at once. Default 8,192. */
  readonly maxConnections?: number
  /** How often the directory is looked at for news, in milliseconds; default 500, 0 for never. */
  readonly refreshMilliseconds?: number
  /** Called after a refresh that fails; the server goes on with the view it has. Default ignores failures. */
  readonly onRefreshError?: (error: unknown) => void
  /** How long `close` waits for requests under way before it cuts them off, in milliseconds; default 30,000. */
  readonly shutdownMilliseconds?: number
}

/** A larger number is a typo: the heap of a thread is smaller. */
const maxAnswerCacheBytes = 2 ** 31

/** A request of the default size and its answer must fit. */
const minMemoryBytes = 2 ** 24
const maxMemoryBytes = 2 ** 40

/** Throws TypeError and RangeError, which name the option. */
export function checkServerOptions(options: ServerOptions): void {
  const { host, port, operations, limits, tls, logger } = options
  const { httpNamespaces, webSocketNamespaces } = options
  const { answerCacheBytes, refreshMilliseconds, shutdownMilliseconds } = options
  const { memoryBytes, keyMemoryBytes, maxConnections } = options
  checkHost('host', host)
  checkPort('port', port)
  if (operations !== undefined) {
    checkHost('operations.host', operations.host)
    checkPort('operations.port', operations.port)
  }
  if (limits) checkLimits(limits)
  if (httpNamespaces) checkNamespaces('httpNamespaces', httpNamespaces)
  if (webSocketNamespaces) checkNamespaces('webSocketNamespaces', webSocketNamespaces)
  if (tls) checkCertificate(tls)
  if (logger !== undefined) checkLogger(logger)
  const cacheBounds = { minimum: 0, maximum: maxAnswerCacheBytes }
  if (answerCacheBytes !== undefined) checkNumber('answerCacheBytes', answerCacheBytes, cacheBounds)
  const memoryBounds = { minimum: minMemoryBytes, maximum: maxMemoryBytes }
  if (memoryBytes !== undefined) checkNumber('memoryBytes', memoryBytes, memoryBounds)
  if (keyMemoryBytes !== undefined) checkNumber('keyMemoryBytes', keyMemoryBytes, memoryBounds)
  if (maxConnections !== undefined) {
    checkNumber('maxConnections', maxConnections, { minimum: 1, maximum: 2 ** 20 })
  }
  const bounds = { minimum: 0, maximum: maxMilliseconds }
  if (refreshMilliseconds !== undefined) checkNumber('refreshMilliseconds', refreshMilliseconds, bounds)
  if (shutdownMilliseconds !== undefined) checkNumber('shutdownMilliseconds', shutdownMilliseconds, bounds)
}

/** Node takes an empty host for every interface, which is no way to say that. */
function checkHost(name: string, host: unknown): void {
  if (host === undefined || (typeof host === 'string' && host.trim() !== '')) return
  const text = 'expected an address or a host name (0.0.0.0 or :: for every interface)'
  throw new TypeError(`${name}: ${text}, got ${JSON.stringify(host)}`)
}

function checkPort(name: string, port: unknown): void {
  if (port !== undefined) checkNumber(name, port, { minimum: 0, maximum: 65_535 })
}
