// What operators and their machines ask for: /health, /ready, /metrics, and the page at `/`. None of it needs a key, and
// none of it shows what a key protects.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { TokenBucket } from '../quotas/token-bucket.js'
import { writeResponse } from '../transport/http-response.js'
import type { Endpoint, Visit } from '../transport/router.js'
import { operatorPage } from './operator-page.js'
import type { Status } from './status.js'

/** Where the answers come from. */
export interface Operations {
  /** The state of the service; throws if it cannot be read. */
  status(): Promise<Status>
  /** All metrics in Prometheus' text format. */
  metrics(): Promise<string>
  readonly metricsContentType: string
  /** Called with the error if a status cannot be read. */
  onFault(error: unknown): void
}

interface Reply {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** The text of metrics takes milliseconds of the main thread and needs no key: more scrapes get the last text. */
const scrapesPerSecond = 10
const scrapesAtOnce = 50

/** Some load balancers ask with HEAD. */
const methods = new Set(['GET', 'HEAD'])

/** /health, /ready and /metrics. */
export function operationsEndpoints(operations: Operations): readonly (readonly [string, Endpoint])[] {
  return [
    ['/health', endpoint(() => json(200, { status: 'ok' }))],
    ['/ready', endpoint(() => ready(operations))],
    ['/metrics', metricsEndpoint(operations)],
  ]
}

/** The page at `/` alone. */
export const pageEndpoint: Endpoint = {
  methods,
  answer: (_request, response, visit) => writePage(response, visit),
}

/** Whether a request comes from a browser that wants to show something. */
export function wantsPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true
}

/** Writes the operator's page. */
export function writePage(response: ServerResponse, { headers: added }: Visit): void {
  const { html, contentSecurityPolicy } = operatorPage()
  const headers = {
    ...added,
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
  write(response, headers, { status: 200, type: 'text/html; charset=utf-8', text: html })
}

function endpoint(reply: () => Reply | Promise<Reply>): Endpoint {
  return {
    methods,
    async answer(_request, response, { headers }) {
      write(response, headers, await reply())
    },
  }
}

function metricsEndpoint({ metrics, metricsContentType: type }: Operations): Endpoint {
  const rate = new TokenBucket(scrapesPerSecond, scrapesAtOnce, performance.now())
  let last: Promise<string> | undefined
  return endpoint(async () => {
    if (last === undefined || rate.take(1, performance.now()) === 0) last = metrics()
    return { status: 200, type, text: await last }
  })
}

async function ready(operations: Operations): Promise<Reply> {
  try {
    const status = await operations.status()
    return json(status.ready ? 200 : 503, status)
  } catch (error) {
    // The client does not get the error: messages name paths.
    operations.onFault(error)
    return json(503, { ready: false })
  }
}

function json(status: number, value: object): Reply {
  return { status, type: 'application/json; charset=utf-8', text: JSON.stringify(value) }
}

function write(response: ServerResponse, added: OutgoingHttpHeaders, { status, type, text }: Reply): void {
  const headers = { ...added, 'cache-control': 'no-store', 'content-type': type }
  writeResponse(response, { status, headers, body: Buffer.from(text) })
}
