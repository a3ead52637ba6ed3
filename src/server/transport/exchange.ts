// One JSON-RPC body over Node's request and response: read, answered, sent. The caller is known, and the request may be
// read. What it takes is given back when the response is sent, and not when the answer is made.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { onceFor } from '../../once-for.js'
import { JsonRpcError, rpcError } from '../../rpc/json-rpc-error.js'
import type { ByteCharge } from '../byte-budget.js'
import type { Admission } from '../plans/admission.js'
import type { Caller } from '../plans/caller.js'
import type { Counter } from '../quotas/counter.js'
import { describeFault } from '../request-outcome.js'
import type { Service, ServiceAnswer } from '../service.js'
import type { Connections } from './connections.js'
import { readBody } from './http-request.js'
import { writeAnswer, writeRefusal } from './http-response.js'
import type { Timeouts } from './timeouts.js'

interface ExchangeOptions {
  readonly service: Service
  readonly connections: Connections
  readonly timeouts: Timeouts
  /** Requests answered at the same time, of all callers. */
  readonly maxInFlight: number
}

/** What a request has taken. */
interface Holdings {
  readonly admission: Admission
  readonly charge: ByteCharge
}

/** Memory that an answer is expected to take. A request is not begun before it is free. */
export const answerBytes = 65_536

/** Answers requests that were let through. */
export class Exchange {
  readonly #service: Service
  readonly #connections: Connections
  readonly #timeouts: Timeouts
  /** Requests that are being answered, of all callers and of each. */
  readonly #answered: Counter
  readonly #answeredOf: (caller: Caller) => Counter

  constructor({ service, connections, timeouts, maxInFlight }: ExchangeOptions) {
    this.#service = service
    this.#connections = connections
    this.#timeouts = timeouts
    const { quotas } = service
    this.#answered = quotas.counter('answered', maxInFlight)
    this.#answeredOf = onceFor(({ id }) => quotas.counter(`answered ${id}`, maxInFlight, this.#answered))
  }

  /** Reads and answers a request of this caller; `headers` go with whatever is sent. Never rejects. */
  async run(
    request: IncomingMessage,
    response: ServerResponse,
    { caller, headers }: { readonly caller: Caller; readonly headers: OutgoingHttpHeaders },
  ): Promise<void> {
    const service = this.#service
    const sent = this.#connections.sent(request, response)
    const holdings: Holdings = {
      admission: service.admit(caller, Number(request.headers['content-length'] ?? 0)),
      charge: service.bytes.open(service.keys.isOpen ? request.socket : caller),
    }
    // Body and answer are variables of functions that end before: what waits for a slow client would keep them.
    await this.#respond(request, response, { holdings, headers })
    await sent
    holdings.admission.release()
    holdings.charge.release()
  }

  async #respond(
    request: IncomingMessage,
    response: ServerResponse,
    { holdings, headers }: { readonly holdings: Holdings; readonly headers: OutgoingHttpHeaders },
  ): Promise<void> {
    const service = this.#service
    try {
      const answer = await this.#answer(request, holdings)
      // The rest of a body that was cut is not read.
      const isLast = !request.complete || service.isDraining
      const all: OutgoingHttpHeaders = isLast ? { ...headers, connection: 'close' } : headers
      if (answer instanceof JsonRpcError) writeRefusal(response, answer, all)
      else {
        await writeAnswer(response, answer, {
          headers: all,
          accepted: request.headers['accept-encoding'],
          charge: holdings.charge,
          signal: this.#connections.closing(request.socket),
        })
      }
    } catch (error) {
      service.log.error(describeFault(error), 'fault')
      if (response.headersSent) response.destroy()
      else writeRefusal(response, rpcError('crashed'), headers)
    }
  }

  async #answer(request: IncomingMessage, holdings: Holdings): Promise<ServiceAnswer | JsonRpcError> {
    const service = this.#service
    const { admission, charge } = holdings
    const { caller } = admission
    if (await admission.decided) return service.refuse(admission, 'http')
    const limitBytes = caller.plan.limits.bodyBytes
    const { read: timeoutMilliseconds, answer } = this.#timeouts
    const body = await readBody(request, { limitBytes, timeoutMilliseconds, charge })
    if (body instanceof JsonRpcError) {
      if (body.kind === 'memoryExceeded') service.metrics.countRefusal('memory')
      return body
    }
    if (!(charge.takeNow(answerBytes) || (await charge.take(answerBytes)))) {
      admission.refusal = rpcError('memoryExceeded')
    }
    // If nobody needs a key, the one caller may have all places.
    if (!(await admission.take(service.keys.isOpen ? this.#answered : this.#answeredOf(caller)))) {
      service.metrics.countRefusal('overload')
      return rpcError('overloaded')
    }
    return service.answer({
      admission,
      charge,
      body,
      transport: 'http',
      timeoutMilliseconds: answer,
      signal: this.#connections.closing(request.socket),
    })
  }
}
