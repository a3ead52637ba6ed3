// JSON-RPC over HTTP at `/` and `/v3/<key>`: statuses, headers, compression, time limits and shutdown. What the JSON
// means is the dispatcher's business. Follows ServeHTTP in geth's rpc/http.go.
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { Connections } from './connections.js'
import type { Dispatcher } from './dispatcher.js'
import { isHealthProbe, readBody, refusal } from './http-request.js'
import { tooManyRequests } from './json-rpc-error.js'
import { defaultLimits, type Limits } from './limits.js'
import { errorResponse } from './message.js'

const readSeconds = 30
const idleSeconds = 120
/** An unfinished request is answered this long before geth's write limit of 30 s would cut it off. */
const answerMilliseconds = 29_900
/** Below about one network packet compression costs more than it saves. */
const compressionThresholdBytes = 1_400

const compress = promisify(gzip)

/** Settings of {@link startHttpServer}. */
export interface HttpServerOptions {
  readonly dispatcher: Dispatcher
  /** Interface to listen on; default 127.0.0.1. */
  readonly host?: string
  /** Default 8545; 0 for any free port. */
  readonly port?: number
  readonly limits?: Limits
  /** Requests answered at the same time; more are refused with 503. Default 1024. */
  readonly maxInFlight?: number
}

/** A server that listens. */
export interface HttpServer {
  /** `http://127.0.0.1:8545` */
  readonly url: string
  readonly port: number
  /** Stops accepting, lets running requests finish, closes. May be called twice. */
  close(): Promise<void>
}

/** Listens for JSON-RPC over HTTP; rejects with Node's error where it cannot. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host = '127.0.0.1', port = 8545 } = options
  const app = createHttpApp(options)
  const url = await app.listen({ host, port })
  const address = app.server.address()
  return {
    url,
    port: address !== null && typeof address === 'object' ? address.port : port,
    close: () => app.close(),
  }
}

/** The application without its socket; `inject` of fastify reaches it. */
export function createHttpApp(options: HttpServerOptions): FastifyInstance {
  const { dispatcher, limits = defaultLimits, maxInFlight = 1_024 } = options
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    keepAliveTimeout: idleSeconds * 1_000,
    requestTimeout: readSeconds * 1_000,
    return503OnClosing: true,
  })
  const connections = new Connections(app.server)
  app.addHook('preClose', async () => connections.closeWhenIdle())
  // The body is read as it is; what it may be is decided before, by refusal().
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request: FastifyRequest, payload: Readable) => readBody(payload))
  app.setNotFoundHandler((_request, reply) => reply.code(404).send())

  let inFlight = 0
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.header('content-type', 'application/json')
    // The rest of a body that was cut is not read.
    if (!request.raw.complete) reply.header('connection', 'close')
    if (inFlight >= maxInFlight) {
      return reply.code(503).send(Buffer.from(errorResponse('null', tooManyRequests().toJson())))
    }
    inFlight++
    try {
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const response = await dispatcher.handle((request.body as string | undefined) ?? '', {
        limits,
        timeoutMilliseconds: answerMilliseconds,
        duplex: false,
        signal: gone.signal,
      })
      return await send(request, reply, response)
    } finally {
      inFlight--
    }
  }
  for (const url of ['/', '/v3/:key(^[^/]+$)']) {
    app.route({
      method: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'],
      url,
      onRequest: screen,
      handler: answer,
    })
  }
  return app
}

/** Answers what needs no body: probes and refusals. */
async function screen(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  const { method, url, headers } = request
  if (isHealthProbe(method, url, headers)) return reply.code(200).send()
  const refused = refusal(method, headers)
  if (refused === undefined) return undefined
  if (refused.status === 413) reply.header('connection', 'close')
  return reply
    .code(refused.status)
    .header('content-type', 'text/plain; charset=utf-8')
    .header('x-content-type-options', 'nosniff')
    .send(`${refused.text}\n`)
}

/** Bytes rather than text: to the type of a text fastify would append a charset. */
async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  response: string | undefined,
): Promise<FastifyReply> {
  const body = Buffer.from(response ?? '')
  const accepted = request.headers['accept-encoding']
  if (body.length < compressionThresholdBytes || !accepted?.includes('gzip')) return reply.send(body)
  const compressed = await compress(body, { level: constants.Z_BEST_SPEED })
  return reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding').send(compressed)
}
