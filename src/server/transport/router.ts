// From the path of a request to the endpoint that answers it, for clients and operators. Before that, the rules that hold
// for every path: host names and CORS. WebSocket upgrades follow rules of their own, as in geth.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Awaitable } from '../../awaitable.js'
import { httpErrors } from '../../rpc/error-table.js'
import { rpcError } from '../../rpc/json-rpc-error.js'
import type { Cors } from './cross-origin.js'
import { type Refusal, writeRefusal, writeResponse } from './http-response.js'

/** What a request asks of an endpoint. */
export interface Visit {
  /** The last segment of the path, decoded, for a path that ends in `*`. */
  readonly key: string | undefined
  /** Headers that every response has. */
  readonly headers: OutgoingHttpHeaders
}

/** Takes over the connection of an upgrade request. */
export type TakeSocket = (socket: Duplex, head: Buffer) => void

/** What answers at one path. */
export interface Endpoint {
  /** HTTP methods that are answered; others get 404. */
  readonly methods: ReadonlySet<string>
  answer(request: IncomingMessage, response: ServerResponse, visit: Visit): void | Promise<void>
  /** Decides about a WebSocket. Without this member every upgrade gets 404. */
  upgrade?(request: IncomingMessage, key: string | undefined): Awaitable<Refusal | TakeSocket>
}

interface RouterOptions {
  /** By path; the last segment may be `*`, which stands for any text but an empty one. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  readonly isHostAllowed: (host: string | undefined) => boolean
  readonly cors?: Cors | undefined
  /** How a path is refused whose percent-encoding is broken. */
  readonly refuseBrokenPath: () => Refusal
  /** Called with what an endpoint throws. */
  readonly onFault: (error: unknown) => void
}

/** Sends requests to endpoints. */
export class Router {
  readonly #options: RouterOptions

  constructor(options: RouterOptions) {
    this.#options = options
  }

  /** Answers a request. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    const { isHostAllowed, cors } = this.#options
    const { method = '', headers } = request
    if (!isHostAllowed(headers.host)) {
      writeRefusal(response, httpErrors.hostNotAllowed)
      return
    }
    // Preflights have no key.
    const preflight = cors?.preflight(method, headers)
    if (preflight !== undefined) writeResponse(response, { status: 200, headers: { ...preflight } })
    else this.#route(request, response, { ...cors?.headers(method, headers) })
  }

  /** Decides about a WebSocket upgrade. */
  upgrade(request: IncomingMessage): Awaitable<Refusal | TakeSocket> {
    const found = this.#find(request.url ?? '')
    if (found === undefined) return this.#options.refuseBrokenPath()
    const { endpoint, key } = found
    if (request.method !== 'GET' || endpoint?.upgrade === undefined) return httpErrors.notFound
    return endpoint.upgrade(request, key)
  }

  #route(request: IncomingMessage, response: ServerResponse, headers: OutgoingHttpHeaders): void {
    const found = this.#find(request.url ?? '')
    if (found === undefined) {
      writeRefusal(response, this.#options.refuseBrokenPath(), headers)
      return
    }
    const { endpoint, key } = found
    if (!endpoint?.methods.has(request.method ?? '')) {
      writeRefusal(response, httpErrors.notFound, headers)
      return
    }
    const fail = (error: unknown) => {
      this.#options.onFault(error)
      if (!response.headersSent) writeRefusal(response, rpcError('crashed'), headers)
    }
    try {
      endpoint.answer(request, response, { key, headers })?.catch(fail)
    } catch (error) {
      fail(error)
    }
  }

  /** The endpoint at a path, if there is one; undefined if the path cannot be decoded. */
  #find(url: string): { readonly endpoint?: Endpoint | undefined; readonly key?: string } | undefined {
    const { endpoints } = this.#options
    try {
      const path = pathOf(url)
      const endpoint = endpoints.get(path.includes('%') ? decodeURI(path) : path)
      const keyStart = path.lastIndexOf('/') + 1
      if (endpoint !== undefined || keyStart === path.length) return { endpoint }
      const key = decodeURIComponent(path.slice(keyStart))
      return { endpoint: endpoints.get(`${decodeURI(path.slice(0, keyStart))}*`), key }
    } catch {
      return undefined
    }
  }
}

/** The path of a request target, which may be a whole URL. */
function pathOf(url: string): string {
  const end = url.search(/[?#]/)
  const path = end < 0 ? url : url.slice(0, end)
  return path.startsWith('/') ? path : path.replace(/^https?:\/\/[^/]*/, '')
}
