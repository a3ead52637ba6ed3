// A server of its own for operators, where /health, /ready, /metrics and the page shall not be on the port of clients.
import fastify from 'fastify'
import { httpErrors } from '../error-table.js'
import { Connections } from '../transport/connections.js'
import { hostCheck } from '../transport/host-check.js'
import { sendRefusal } from '../transport/http-response.js'
import { answerClientError, createNodeServer } from '../transport/node-server.js'
import { defaultTimeouts } from '../transport/timeouts.js'
import { addOperations, type Operations, sendPage } from './endpoints.js'

/** A server for operators that listens. */
export interface OperationsServer {
  /** `http://127.0.0.1:9545` */
  readonly url: string
  /** Stops at once: nobody waits for a probe. */
  close(): Promise<void>
}

export interface OperationsServerOptions {
  readonly operations: Operations
  readonly host: string
  /** 0 for any free one. */
  readonly port: number
  /** Host names that requests may name besides addresses, `*` for any; default localhost. */
  readonly hostNames?: readonly string[]
}

/** Listens for operators; rejects with Node's error where it cannot. */
export async function startOperationsServer({
  operations,
  host,
  port,
  hostNames = ['localhost'],
}: OperationsServerOptions): Promise<OperationsServer> {
  const connections = new Connections()
  const app = fastify({
    logger: false,
    serverFactory(handler) {
      const server = createNodeServer(handler, defaultTimeouts)
      connections.follow(server)
      return server
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, connections),
    frameworkErrors: (_error, _request, reply) => {
      sendRefusal(reply, httpErrors.notFound)
    },
  })
  const isHostAllowed = hostCheck(hostNames)
  app.addHook('onRequest', async ({ headers }, reply) =>
    isHostAllowed(headers.host) ? undefined : sendRefusal(reply, httpErrors.hostNotAllowed),
  )
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, httpErrors.notFound))
  app.get('/', async (_request, reply) => sendPage(reply))
  addOperations(app, operations)
  const url = await app.listen({ host, port })
  return {
    url,
    async close() {
      connections.destroy()
      await app.close()
    },
  }
}
