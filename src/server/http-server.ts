// The server for clients, over HTTP and HTTPS: its endpoints, its connections, and how it ends. The service decides what the JSON
// means. Follows ServeHTTP in geth's rpc/http.go.
import { rpcError } from '../rpc/json-rpc-error.js'
import { clientEndpoints, refuseWithoutKey } from './client-endpoints.js'
import { type Operations, operationsEndpoints } from './operations/endpoints.js'
import { describeFault } from './request-outcome.js'
import type { Service } from './service.js'
import { type Certificate, checkCertificate } from './transport/certificate.js'
import { Connections } from './transport/connections.js'
import { createCors } from './transport/cross-origin.js'
import { Exchange } from './transport/exchange.js'
import { hostCheck } from './transport/host-check.js'
import { writeRefusal } from './transport/http-response.js'
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

  const endpoints = new Map<string, Endpoint>([
    ...clientEndpoints({ service, connections, exchange, webSockets, hasPage: operations !== undefined }),
    ...(operations ? operationsEndpoints(operations) : []),
  ])
  const router = new Router({
    endpoints,
    isHostAllowed: hostCheck(options.hostNames ?? ['localhost']),
    cors: createCors(options.corsOrigins ?? []),
    // Such a path has no key.
    refuseBrokenPath: () => refuseWithoutKey(service),
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
