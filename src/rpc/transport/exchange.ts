// One JSON-RPC body over Node's request and response: read, answered, sent. Whether it may be asked is decided before.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { rpcError, toJsonRpcError } from '../json-rpc-error.js'
import type { Caller } from '../plans/caller.js'
import { describeFault } from '../request-outcome.js'
import type { Service } from '../service.js'
import type { Connections } from './connections.js'
import { readBody } from './http-request.js'
import { writeAnswer, writeRefusal } from './http-response.js'
import { Places } from './places.js'
import type { Timeouts } from './timeouts.js'

interface ExchangeOptions {
  readonly service: Service
  readonly connections: Connections
  readonly timeouts: Timeouts
  /** Requests answered at the same time, see {@link Places}. */
  readonly maxInFlight: number
}

/** Answers requests that were let through. */
export class Exchange {
  readonly #service: Service
  readonly #connections: Connections
  readonly #timeouts: Timeouts
  readonly #places: Places

  constructor({ service, connections, timeouts, maxInFlight }: ExchangeOptions) {
    this.#service = service
    this.#connections = connections
    this.#timeouts = timeouts
    this.#places = new Places(maxInFlight)
  }

  /** Reads and answers a request of this caller; `headers` go with whatever is sent. Never rejects. */
  async run(
    request: IncomingMessage,
    response: ServerResponse,
    { caller, headers }: { readonly caller: Caller; readonly headers: OutgoingHttpHeaders },
  ): Promise<void> {
    const service = this.#service
    try {
      const body = await readBody(request, this.#timeouts.read).catch(toJsonRpcError)
      // The rest of a body that was cut is not read.
      const isLast = !request.complete || service.isDraining
      const all: OutgoingHttpHeaders = isLast ? { ...headers, connection: 'close' } : headers
      if (!(body instanceof Uint8Array)) return writeRefusal(response, body, all)
      if (!this.#places.take(caller, !service.keys.isOpen)) {
        service.metrics.countRefusal('overload')
        return writeRefusal(response, rpcError('overloaded'), all)
      }
      try {
        const answer = await service.answer({
          caller,
          body,
          transport: 'http',
          timeoutMilliseconds: this.#timeouts.answer,
          signal: this.#connections.closing(request.socket),
        })
        await writeAnswer(response, answer, { headers: all, accepted: request.headers['accept-encoding'] })
      } finally {
        this.#places.leave(caller)
      }
    } catch (error) {
      service.log.error(describeFault(error), 'fault')
      if (!response.headersSent) writeRefusal(response, rpcError('crashed'), headers)
    }
  }
}
