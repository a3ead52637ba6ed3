// What operators and their machines ask for: /health, /ready, /metrics, and the page at `/`. None of it needs a key, and
// none of it shows what a key protects.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { operatorPage } from './operator-page.js'
import type { Status } from './status.js'

/** Where the answers come from. */
export interface Operations {
  /** The state of the service; throws where that cannot be told. */
  status(): Status
  /** All metrics in Prometheus' text format. */
  metrics(): Promise<string>
  readonly metricsContentType: string
  /** Told about what kept a status from being read. */
  onFault(error: unknown): void
}

/** Some balancers ask with HEAD. */
const probe = { exposeHeadRoute: true }

const noStore = { 'cache-control': 'no-store' }

/** Adds /health, /ready and /metrics to an application. */
export function addOperations(app: FastifyInstance, operations: Operations): void {
  app.get('/health', probe, async (_request, reply) => reply.headers(noStore).send({ status: 'ok' }))

  app.get('/ready', probe, async (_request, reply) => {
    reply.headers(noStore)
    try {
      const status = operations.status()
      return reply.code(status.ready ? 200 : 503).send(status)
    } catch (error) {
      // The client is not told: messages name paths.
      operations.onFault(error)
      return reply.code(503).send({ ready: false })
    }
  })

  app.get('/metrics', async (_request, reply) =>
    reply
      .headers(noStore)
      .header('content-type', operations.metricsContentType)
      .send(await operations.metrics()),
  )
}

/** Whether a request comes from a browser that wants to show something. */
export function wantsPage({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true
}

/** Sends the operator's page. */
export function sendPage(reply: FastifyReply): FastifyReply {
  const { html, contentSecurityPolicy } = operatorPage()
  return reply
    .headers(noStore)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', contentSecurityPolicy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .send(html)
}
