// JSON-RPC over HTTP and HTTPS at `/v3/<key>`, and at `/` if no keys are configured: which endpoint has which path, who
// is a caller, and shutdown. The service decides what the JSON means. Follows ServeHTTP in geth's rpc/http.go.
import type { IncomingMessage } from 'node:http'
import { type Awaitable, whenReady } from '../awaitable.js'
import { httpErrors } from '../rpc/error-table.js'
import { rpcError } from '../rpc/json-rpc-error.js'
import { type Operations, operationsEndpoints, wantsPage, writePage } from './operations/endpoints.js'
import type { Caller } from './plans/caller.js'
import { describeFault } from './request-outcome.js'
import type { Service } from './service.js'
import { type Certificate, checkCertificate } from './transport/certificate.js'
import { Connections } from './transport/connections.js'
import { createCors } from './transport/cross-origin.js'
import { Exchange } from './transport/exchange.js'
import { hostCheck } from './transport/host-check.js'
import { isHealthProbe, refusal } from './transport/http-request.js'
import { type Refusal, writeRefusal, writeResponse } from './transport/http-response.js'
import { type ListenAddress, NodeServer } from './transport/node-server.js'
import { type Endpoint, Router } from './transport/router.js'
import { defaultTimeouts, type Timeouts } from './transport/timeouts.js'
import { WebSocketEndpoint } from './transport/web-socket-endpoint.js'

/** Settings of {@link createHttpServer}. */
export interface HttpServerOptions {
  readonly service: Service
  /** Serves HTTPS instead of HTTP. */
  readonly tls?: Certificate
  /** Origins that browsers may ask from, `*` for any; default none, and no CORS headers at all. */
  readonly corsOrigins?: readonly string[]
  /** Host names that requests may name, `*` for any; default localhost. Addresses always pass. */
  readonly hostNames?: readonly string[]
  /** Origins, or parts of them, of pages that may open WebSockets, `*` for any; default those of this machine. */
  readonly webSocketOrigins?: readonly string[]
  /** Answers operators on the same port. */
  readonly operations?: Operations
  /** Connections at the same time, WebSockets included; more are closed. Default 8,192. */
  readonly maxConnections?: number
  readonly timeouts?: Timeouts
  /** Requests answered at the same time; more are refused with 503. Default 1024. */
  readonly maxInFlight?: number
}

/** The server for clients. */
export interface HttpServer {
  readonly webSockets: WebSocketEndpoint
  /** Starts listening; resolves to the URL. Rejects with Node's error. */
  listen(address: ListenAddress): Promise<string>
  /** Uses another certificate for new connections; others stay. Throws TypeError, and changes nothing then. */
  renewCertificate(tls: Certificate): void
  /** Answers requests under way with an error, because the process has to end. */
  abandon(): void
  /**
   * Stops accepting, lets requests under way finish and closes WebSockets with 1001; what is not done within the limit
   * is cut off.
   */
  close(limitMilliseconds: number): Promise<void>
}

const defaultMaxConnections = 8_192

/** Time for clients to answer the close of a WebSocket. */
const closingMilliseconds = 500

const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])
const everyMethod = new Set([...methods, 'TRACE'])

/** A server that does not listen yet. Throws TypeError for a wrong certificate. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { service, tls, operations, timeouts = defaultTimeouts, maxInFlight = 1_024 } = options
  if (tls) checkCertificate(tls)
  const connections = new Connections({
    counter: service.quotas.counter('connections', options.maxConnections ?? defaultMaxConnections),
    onRefused: () => service.metrics.countRefusal('connections'),
  })
  const exchange = new Exchange({ service, connections, timeouts, maxInFlight })
  const webSockets = new WebSocketEndpoint({ service, timeouts, origins: options.webSocketOrigins ?? [] })

  /** The refusal of a path without a key that is known; if nobody needs a key, there is no such path. */
  const refuseWithoutKey = (): Refusal => {
    if (service.keys.isOpen) return httpErrors.notFound
    service.metrics.countRefusal('key')
    return rpcError('unauthorized')
  }
  /** The refusal of a connection that the caller's plan does not allow. */
  const claim = ({ socket }: IncomingMessage, caller: Caller): Awaitable<Refusal | undefined> =>
    whenReady(connections.claim(socket, caller), (surplus) => {
      if (surplus !== undefined) service.metrics.countRefusal('connections')
      return surplus
    })
  const rpc: Endpoint = {
    methods,
    answer(request, response, { key, headers: added }) {
      const { method = '', url = '', headers } = request
      const caller = service.keys.find(key)
      const isProbe = isHealthProbe(method, url, headers)
      if (caller === undefined && !(isProbe && url === '/')) {
        return writeRefusal(response, refuseWithoutKey(), added)
      }
      if (isProbe) return writeResponse(response, { status: 200, headers: added })
      return whenReady(claim(request, caller!), (surplus) => {
        if (surplus !== undefined) return writeRefusal(response, surplus, { ...added, connection: 'close' })
        const refused = refusal(method, headers, caller!.plan.limits.bodyBytes)
        if (refused !== undefined) return writeRefusal(response, refused, added)
        return exchange.run(request, response, { caller: caller!, headers: added })
      })
    },
  }
  const upgrade = (request: IncomingMessage, key: string | undefined) => {
    const caller = service.keys.find(key)
    if (caller === undefined) return refuseWithoutKey()
    return whenReady(claim(request, caller), (surplus) => surplus ?? webSockets.admit(request, caller))
  }
  const root: Endpoint = {
    methods,
    answer(request, response, visit) {
      if (operations && request.url === '/' && wantsPage(request)) return writePage(response, visit)
      return rpc.answer(request, response, visit)
    },
    upgrade,
  }
  /** The paths of keys without a key. */
  const keyless: Endpoint = {
    methods: everyMethod,
    answer: (_request, response, { headers }) => writeRefusal(response, refuseWithoutKey(), headers),
    upgrade: refuseWithoutKey,
  }
  const endpoints = new Map<string, Endpoint>([
    ['/', root],
    ['/v3/*', rpc],
    ['/ws/v3/*', { methods: new Set(), answer: () => {}, upgrade }],
    ...['/v3', '/v3/', '/ws/v3', '/ws/v3/'].map((path) => [path, keyless] as const),
    ...(operations ? operationsEndpoints(operations) : []),
  ])
  const router = new Router({
    endpoints,
    isHostAllowed: hostCheck(options.hostNames ?? ['localhost']),
    cors: createCors(options.corsOrigins ?? []),
    // Such a path has no key.
    refuseBrokenPath: refuseWithoutKey,
    onFault: (error) => service.log.error(describeFault(error), 'fault'),
  })
  const server = new NodeServer({ router, connections, timeouts, tls })
  service.metrics.add({
    name: 'connections',
    help: 'Open connections',
    label: 'transport',
    read: () => ({
      http: connections.open - webSockets.connections,
      websocket: webSockets.connections,
    }),
  })
  return {
    webSockets,
    listen: (address) => server.listen(address),
    renewCertificate(tls) {
      checkCertificate(tls)
      server.useCertificate(tls)
    },
    abandon() {
      for (const response of connections.unanswered()) {
        writeRefusal(response, rpcError('crashed'), { connection: 'close' })
      }
      webSockets.terminate()
    },
    async close(limitMilliseconds) {
      webSockets.drain()
      connections.closeWhenIdle()
      const cutOff = setTimeout(() => {
        service.log.warn({ requests: service.inFlight }, 'requests under way are cut off')
        webSockets.end()
        setTimeout(() => connections.destroy(), closingMilliseconds)
      }, limitMilliseconds)
      await server.close()
      clearTimeout(cutOff)
      webSockets.terminate()
    },
  }
}
