// Which web pages may ask: CORS headers for HTTP, and the check of origins for WebSocket. Follows newCorsHandler in
// geth's node/rpcstack.go with github.com/rs/cors, and wsHandshakeValidator in its rpc/websocket.go.
import type { IncomingHttpHeaders } from 'node:http'
import { hostname } from 'node:os'

const allowedMethods = new Set(['GET', 'POST', 'OPTIONS'])
const maxAgeSeconds = 600

/** What pages may read in addition to the headers that browsers always let them read. geth has no such headers. */
const readableHeaders = { 'access-control-expose-headers': 'X-Request-Id, Retry-After' }

/** CORS headers of one response. */
type CorsHeaders = Readonly<Record<string, string>>

/** Rules for requests from pages of certain origins. */
export interface Cors {
  /** Headers for an ordinary request. Other origins are served too, without the header that lets pages read on. */
  headers(method: string, headers: IncomingHttpHeaders): CorsHeaders
  /** Headers of the answer to a preflight; undefined if the request is none. */
  preflight(method: string, headers: IncomingHttpHeaders): CorsHeaders | undefined
}

/** CORS for a list of origins, in which `*` stands for any text; undefined for an empty list. */
export function createCors(origins: readonly string[]): Cors | undefined {
  if (origins.length === 0) return undefined
  const isAllowed = originPattern(origins)
  const allowOrigin = (method: string, origin: string | undefined) =>
    origin !== undefined && allowedMethods.has(method.toUpperCase()) && isAllowed(origin)
      ? { 'access-control-allow-origin': origins.includes('*') ? '*' : origin }
      : undefined
  return {
    headers(method, { origin }) {
      const allowed = allowOrigin(method, origin)
      return { vary: 'Origin', ...allowed, ...(allowed && readableHeaders) }
    },
    preflight(method, { origin, ...headers }) {
      const wanted = headers['access-control-request-method']
      if (method !== 'OPTIONS' || !wanted) return undefined
      const vary = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'
      const allowed = allowOrigin(wanted, origin)
      if (allowed === undefined) return { vary }
      const names = headers['access-control-request-headers']
      return {
        vary,
        ...allowed,
        'access-control-allow-methods': wanted.toUpperCase(),
        ...(names && { 'access-control-allow-headers': names }),
        'access-control-max-age': String(maxAgeSeconds),
      }
    },
  }
}

function originPattern(origins: readonly string[]): (origin: string) => boolean {
  const patterns = origins.map((origin) => {
    const [start = '', end] = origin.toLowerCase().split(/\*(.*)/s)
    return { start, end }
  })
  return (text) => {
    const origin = text.toLowerCase()
    return patterns.some(({ start, end }) => {
      if (end === undefined) return origin === start
      return origin.length >= start.length + end.length && origin.startsWith(start) && origin.endsWith(end)
    })
  }
}

/** Scheme, host and port of an origin or of a rule; empty for what a rule leaves open. */
function originParts(text: string): readonly [scheme: string, host: string, port: string] | undefined {
  const origin = text.toLowerCase()
  if (!origin.includes('://')) {
    const [, host, port = ''] = /^([^:]*)(?::(.*))?$/s.exec(origin) ?? []
    return host === undefined ? undefined : ['', host, port]
  }
  const match = /^([a-z][a-z0-9+.-]*):\/\/(?:\[([^\]]*)\]|([^:/?#]*))(?::(\d*))?(?:[/?#].*)?$/.exec(origin)
  return match === null ? undefined : [match[1]!, match[2] ?? match[3] ?? '', match[4] ?? '']
}

/**
 * A test for the Origin header of a WebSocket upgrade. No header passes: only browsers send it. Rules are origins, or
 * parts of them (`example.org`, `localhost:8080`); `*` is any; no rules are pages of this machine.
 */
export function originCheck(rules: readonly string[]): (origin: string | undefined) => boolean {
  if (rules.includes('*')) return () => true
  const named = rules.filter((rule) => rule !== '')
  const effective = named.length > 0 ? named : ['http://localhost', `http://${hostname()}`]
  const allowed = effective.map(originParts).filter((rule) => rule !== undefined)
  return (origin) => {
    if (origin === undefined) return true
    const parts = originParts(origin)
    return (
      parts !== undefined && allowed.some((rule) => rule.every((part, i) => part === '' || part === parts[i]))
    )
  }
}
