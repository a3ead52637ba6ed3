// JSON-RPC for clients at `/v3/<key>` and `/ws/v3/<key>`, and at `/` if no keys are configured: who is a caller, and what a path
// without a known key gets.
import type { IncomingMessage } from 'node:http'
import { type Awaitable, whenReady } from '../awaitable.js'
import { httpErrors } from '../rpc/error-table.js'
import { rpcError } from '../rpc/json-rpc-error.js'
import { wantsPage, writePage } from './operations/endpoints.js'
import type { Caller } from './plans/caller.js'
import type { Service } from './service.js'
import type { Connections } from './transport/connections.js'
import type { Exchange } from './transport/exchange.js'
import { isHealthProbe, refusal } from './transport/http-request.js'
import { type Refusal, writeRefusal, writeResponse } from './transport/http-response.js'
import type { Endpoint } from './transport/router.js'
import type { WebSocketEndpoint } from './transport/web-socket-endpoint.js'

const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])
const everyMethod = new Set([...methods, 'TRACE'])

interface ClientEndpointsOptions {
  readonly service: Service
  readonly connections: Connections
  readonly exchange: Exchange
  readonly webSockets: WebSocketEndpoint
  /** Whether browsers get the operator's page at `/`. */
  readonly hasPage: boolean
}

/** The refusal of a path without a key that is known; if nobody needs a key, there is no such path. */
export function refuseWithoutKey({ keys, metrics }: Service): Refusal {
  if (keys.isOpen) return httpErrors.notFound
  metrics.countRefusal('key')
  return rpcError('unauthorized')
}

/** The endpoints by their paths. */
export function clientEndpoints(options: ClientEndpointsOptions): readonly (readonly [string, Endpoint])[] {
  const { service, connections, exchange, webSockets } = options
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
        return writeRefusal(response, refuseWithoutKey(service), added)
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
    if (caller === undefined) return refuseWithoutKey(service)
    return whenReady(claim(request, caller), (surplus) => surplus ?? webSockets.admit(request, caller))
  }
  const root: Endpoint = {
    methods,
    answer(request, response, visit) {
      if (options.hasPage && request.url === '/' && wantsPage(request)) return writePage(response, visit)
      return rpc.answer(request, response, visit)
    },
    upgrade,
  }
  /** The paths of keys without a key. */
  const keyless: Endpoint = {
    methods: everyMethod,
    answer: (_request, response, { headers }) => writeRefusal(response, refuseWithoutKey(service), headers),
    upgrade: () => refuseWithoutKey(service),
  }
  return [
    ['/', root],
    ['/v3/*', rpc],
    ['/ws/v3/*', { methods: new Set(), answer: () => {}, upgrade }],
    ...['/v3', '/v3/', '/ws/v3', '/ws/v3/'].map((path) => [path, keyless] as const),
  ]
}
