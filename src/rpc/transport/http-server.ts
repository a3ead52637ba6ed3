// JSON-RPC over HTTP and HTTPS at `/v3/<key>`, and at `/` where no keys are configured: who may ask, statuses, headers,
// time limits and shutdown. What the JSON means is the service's business. Follows ServeHTTP in geth's rpc/http.go.
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:https'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { httpErrors } from '../error-table.js'
import { rpcError } from '../json-rpc-error.js'
import { addOperations, type Operations, sendPage, wantsPage } from '../operations/endpoints.js'
import type { Caller } from '../plans/caller.js'
import { describeFault } from '../request-outcome.js'
import type { Service } from '../service.js'
import { type Certificate, checkCertificate } from './certificate.js'
import { Connections } from './connections.js'
import { type Cors, createCors } from './cross-origin.js'
import { Exchange } from './exchange.js'
import { hostCheck } from './host-check.js'
import { isHealthProbe, refusal } from './http-request.js'
import { sendError, sendRefusal } from './http-response.js'
import { answerClientError, createNodeServer } from './node-server.js'
import { defaultTimeouts, type Timeouts } from './timeouts.js'
import { WebSocketEndpoint } from './web-socket-endpoint.js'

/** Settings of {@link createHttpApp}. */
export interface HttpAppOptions {
  readonly service: Service
  /** Serves HTTPS instead of HTTP. */
  readonly tls?: Certificate
  /** Origins that browsers may ask from, `*` for any; default none, and no CORS headers at all. */
  readonly corsOrigins?: readonly string[]
  /** Host names that requests may name besides addresses, `*` for any; default localhost. */
  readonly hostNames?: readonly string[]
  /** Origins, or parts of them, of pages that may open WebSockets, `*` for any; default those of this machine. */
  readonly webSocketOrigins?: readonly string[]
  /** Answers operators on the same port. */
  readonly operations?: Operations
  readonly timeouts?: Timeouts
  /** Requests answered at the same time, see {@link Places}; more are refused with 503. Default 1024. */
  readonly maxInFlight?: number
}

/** The application and its connections. */
export interface HttpApp {
  readonly app: FastifyInstance
  readonly connections: Connections
  readonly webSockets: WebSocketEndpoint
  /** Starts listening; resolves to the URL, rejects with Node's error where it cannot. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>
  /** Uses another certificate for new connections; others stay. Throws TypeError, and changes nothing then. */
  renewCertificate(tls: Certificate): void
  /**
   * Stops accepting, lets requests under way finish and closes WebSockets with 1001; what is not done within the limit
   * is cut off.
   */
  close(limitMilliseconds: number): Promise<void>
}

/** For clients to answer the end of a WebSocket. */
const farewellMilliseconds = 500

/** A path with a key in it that stands for itself. */
const ordinaryPath = /^\/v3\/([\w-]+)$/

/** Longest key that is looked at; Node bounds a whole request line by 16 KiB. */
const maxKeyLength = 16_384

/** The application without its socket; `inject` of fastify reaches it. Throws TypeError for a wrong certificate. */
export async function createHttpApp(options: HttpAppOptions): Promise<HttpApp> {
  const { service, tls, operations, timeouts = defaultTimeouts, maxInFlight = 1_024 } = options
  const connections = new Connections()
  const exchange = new Exchange({ service, connections, timeouts, maxInFlight })
  const isHostAllowed = hostCheck(options.hostNames ?? ['localhost'])
  const cors = createCors(options.corsOrigins ?? [])
  /** More than one where a host name stands for several addresses. */
  const servers: Server[] = []
  if (tls) checkCertificate(tls)
  /**
   * Answers an ordinary request, for which nothing is left to decide but who asks, without the router: that takes as long
   * as a short answer (2026-11-21, `npm run load`). False for everything else, and for all that is to be refused.
   */
  const answerOrdinary = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { method = '', url = '', headers } = request
    if (method !== 'POST' || cors !== undefined || headers['content-type'] !== 'application/json')
      return false
    const [, key] = ordinaryPath.exec(url) ?? []
    if ((url !== '/' && key === undefined) || !isHostAllowed(headers.host)) return false
    const caller = refusal(method, headers) ? undefined : service.keys.find(key)
    if (!caller) return false
    exchange.run(request, response, caller)
    return true
  }
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: maxKeyLength },
    serverFactory: (handler) => {
      const answer = (request: IncomingMessage, response: ServerResponse) => {
        if (!answerOrdinary(request, response)) handler(request, response)
      }
      const server = createNodeServer(answer, timeouts, tls)
      connections.follow(server)
      servers.push(server)
      return server
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, connections),
    // A path that cannot be decoded holds no key. Nobody else ends the connection where it asked for a WebSocket.
    frameworkErrors: (_error, request, reply) => {
      reply.raw.once('finish', () => request.raw.socket.destroySoon())
      refuseWithoutKey(service, reply.header('connection', 'close'))
    },
  })
  const webSockets = new WebSocketEndpoint({ service, timeouts, origins: options.webSocketOrigins ?? [] })
  await webSockets.addTo(app)
  // The body is left to the exchange; what it may be is decided before, by refusal().
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async () => undefined)
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, httpErrors.notFound))
  app.setErrorHandler((error, _request, reply) => {
    service.log.error(describeFault(error), 'fault')
    return sendError(reply, rpcError('crashed'))
  })
  app.decorateRequest('caller', null)
  addOriginRules(app, isHostAllowed, cors)

  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.hijack()
    return exchange.run(request.raw, reply.raw, request.caller!, reply.getHeaders() as OutgoingHttpHeaders)
  }
  const findCaller = (request: FastifyRequest) => {
    const { key } = request.params as { key?: string }
    request.caller = service.keys.find(key) ?? null
    return request.caller
  }
  const screenUpgrade = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!request.ws) return sendRefusal(reply, httpErrors.notFound)
    return findCaller(request) === null ? refuseWithoutKey(service, reply) : webSockets.screen(request, reply)
  }
  const screen = async (request: FastifyRequest, reply: FastifyReply) => {
    const { method, url, headers } = request
    if (request.ws) return sendRefusal(reply, httpErrors.notFound)
    if (operations && url === '/' && wantsPage(request)) return sendPage(reply)
    const isProbe = isHealthProbe(method, url, headers)
    if (findCaller(request) === null && !(isProbe && url === '/')) return refuseWithoutKey(service, reply)
    if (isProbe) return reply.code(200).send()
    const refused = refusal(method, headers)
    return refused && sendRefusal(reply, refused)
  }
  const method = ['HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']
  const wsHandler = webSockets.accept
  app.route({ method, url: '/', onRequest: screen, handler })
  app.route({
    method: 'GET',
    url: '/',
    onRequest: (request, reply) => (request.ws ? screenUpgrade(request, reply) : screen(request, reply)),
    handler,
    wsHandler,
  })
  app.route({ method: ['GET', ...method], url: '/v3/:key', onRequest: screen, handler })
  app.route({ method: 'GET', url: '/ws/v3/:key', onRequest: screenUpgrade, handler, wsHandler })
  if (operations) addOperations(app, operations)
  service.metrics.add({
    name: 'connections',
    help: 'Open connections',
    label: 'transport',
    read: () => ({
      http: connections.open - webSockets.connections,
      websocket: webSockets.connections,
    }),
  })
  // The paths of keys without a key: nothing where no key is needed, a missing one where it is.
  for (const url of ['/v3', '/v3/', '/ws/v3', '/ws/v3/']) {
    app.all(url, { onRequest: async (_request, reply) => refuseWithoutKey(service, reply), handler })
  }
  return {
    app,
    connections,
    webSockets,
    async listen(address) {
      const url = await app.listen({ ...address })
      return tls ? url.replace(/^http:/, 'https:') : url
    },
    renewCertificate(tls) {
      checkCertificate(tls)
      for (const server of servers) if (server instanceof TlsServer) server.setSecureContext(tls)
    },
    async close(limitMilliseconds) {
      webSockets.drain()
      connections.closeWhenIdle()
      const cutOff = setTimeout(() => {
        service.log.warn({ requests: service.inFlight }, 'requests under way are cut off')
        webSockets.end()
        setTimeout(() => connections.destroy(), farewellMilliseconds)
      }, limitMilliseconds)
      await app.close()
      clearTimeout(cutOff)
      webSockets.terminate()
    },
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; set before the body is read. */
    caller: Caller | null
  }
}

/** Hosts and origins, checked before anything else; preflights are answered here, since they come without a key. */
function addOriginRules(
  app: FastifyInstance,
  isHostAllowed: (host: string | undefined) => boolean,
  cors: Cors | undefined,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const { method, headers, ws } = request
    // WebSockets have the rules of the endpoint.
    if (ws) return undefined
    if (!isHostAllowed(headers.host)) return sendRefusal(reply, httpErrors.hostNotAllowed)
    if (cors === undefined) return undefined
    const preflight = cors.preflight(method, headers)
    if (preflight !== undefined) return reply.headers(preflight).code(200).send()
    reply.headers(cors.headers(method, headers))
    return undefined
  })
}

function refuseWithoutKey(service: Service, reply: FastifyReply): FastifyReply {
  if (service.keys.isOpen) return sendRefusal(reply, httpErrors.notFound)
  service.metrics.countRefusal('key')
  return sendError(reply, rpcError('unauthorized'))
}
