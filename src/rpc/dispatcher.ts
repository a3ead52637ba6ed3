// Answers JSON-RPC texts: envelopes, batches, notifications and method lookup, without any socket.
// Follows geth's rpc/handler.go. Notifications are not executed: every method only reads, so nobody could tell.
import type { Backend } from './backend.js'
import { toJsonRpcError } from './error-table.js'
import { quoteAsGo } from './go-quote.js'
import {
  invalidParams,
  invalidRequest,
  JsonRpcError,
  methodNotFound,
  parseError,
  responseTooLarge,
  serverError,
} from './json-rpc-error.js'
import { elements, jsonKind, unquote } from './json-text.js'
import {
  errorResponse,
  isCall,
  isNotification,
  isResponse,
  type Message,
  parseBody,
  responseId,
  resultResponse,
} from './message.js'
import type { Method } from './methods/method.js'
import { methods } from './methods/registry.js'
import { decodeArguments, required } from './parameters/parameter.js'
import { decodeString } from './parameters/unmarshal.js'
import { type RequestContext, RequestScope } from './request-scope.js'

const maxMethodNameBytes = 2_048

/** One finished call, for metrics and logs. */
export interface CallRecord {
  /** Undefined for names that are no method: those are without bound. */
  readonly method: string | undefined
  readonly milliseconds: number
  /** Its cause is the original error where there is one. */
  readonly error: JsonRpcError | undefined
}

/** Settings of a dispatcher. */
export interface DispatcherOptions {
  /** Told about every call, also failed ones. Must not throw. */
  readonly onCall?: (record: CallRecord) => void
}

/** Outcome of one message: its response, and the bytes that count towards the size of a batch. */
interface Answer {
  readonly response: string
  readonly bytes: number
}

/** Answers requests from a backend. */
export class Dispatcher {
  readonly #backend: Backend
  readonly #onCall: (record: CallRecord) => void

  constructor(backend: Backend, { onCall = () => {} }: DispatcherOptions = {}) {
    this.#backend = backend
    this.#onCall = onCall
  }

  /**
   * Answers a body of one request or a batch; undefined where nothing is to be sent back. Never rejects: every
   * failure is a JSON-RPC error.
   */
  async handle(text: string, context: RequestContext): Promise<string | undefined> {
    const body = parseBody(text)
    switch (body.kind) {
      case 'empty':
        return undefined
      case 'invalid':
        return errorResponse('null', parseError().toJson())
      case 'single': {
        const { message } = body
        if (isResponse(message) || isNotification(message)) return undefined
        using scope = new RequestScope(this.#backend, context)
        return (await this.#answer(message, scope)).response
      }
      case 'batch':
        return this.#handleBatch(body.messages, context)
    }
  }

  /**
   * Runs one method; `params` is the JSON text of its arguments. Returns the result as JSON text.
   *
   * Throws {@link JsonRpcError}.
   */
  async call(name: string, params: string | undefined, context: RequestContext): Promise<string> {
    using scope = new RequestScope(this.#backend, context)
    return await this.#run(name, params, scope)
  }

  async #handleBatch(messages: readonly Message[], context: RequestContext): Promise<string | undefined> {
    const { batchCalls, batchResponseBytes } = context.limits
    if (messages.length === 0) return errorResponse('null', invalidRequest('empty batch').toJson())
    if (messages.length > batchCalls) {
      const id = messages.find(isCall)?.id ?? 'null'
      return `[${errorResponse(id, invalidRequest('batch too large').toJson())}]`
    }
    using scope = new RequestScope(this.#backend, context)
    let responses = ''
    let bytes = 0
    for (const message of messages) {
      if (isResponse(message) || isNotification(message)) continue
      const refusal = scope.ending ?? (bytes > batchResponseBytes ? responseTooLarge() : undefined)
      const answer =
        refusal === undefined ? await this.#answer(message, scope) : errorAnswer(message, refusal)
      bytes += answer.bytes
      responses += responses === '' ? answer.response : `,${answer.response}`
    }
    return responses === '' ? undefined : `[${responses}]`
  }

  async #answer(message: Message, scope: RequestScope): Promise<Answer> {
    if (!isCall(message)) return errorAnswer(message, invalidRequest())
    try {
      const result = await this.#run(message.method, message.params, scope)
      return { response: resultResponse(message.id!, result), bytes: Buffer.byteLength(result) }
    } catch (error) {
      return errorAnswer(message, toJsonRpcError(error))
    }
  }

  async #run(name: string, params: string | undefined, scope: RequestScope): Promise<string> {
    const started = performance.now()
    const method = methods.get(name)
    let failure: JsonRpcError | undefined
    try {
      if (method === undefined) throw unknownMethod(name, params, scope.duplex)
      return await runMethod(method, params, scope)
    } catch (error) {
      failure = toJsonRpcError(error)
      throw failure
    } finally {
      this.#onCall({
        method: method && name,
        milliseconds: performance.now() - started,
        error: failure,
      })
    }
  }
}

function errorAnswer(message: Message, error: JsonRpcError): Answer {
  const json = error.toJson()
  return { response: errorResponse(responseId(message), json), bytes: Buffer.byteLength(json) }
}

async function runMethod(method: Method, params: string | undefined, scope: RequestScope): Promise<string> {
  const result = method.run(scope, decodeArguments(params, method.parameters))
  return typeof result === 'string' ? result : scope.within(result)
}

/** Why a name is no method: too long, a subscription, or simply not there. */
function unknownMethod(name: string, params: string | undefined, duplex: boolean): JsonRpcError {
  const bytes = Buffer.byteLength(name)
  if (bytes > maxMethodNameBytes) {
    return invalidRequest(`method name too long: ${bytes} > ${maxMethodNameBytes}`)
  }
  if (name.endsWith('_subscribe')) {
    return duplex
      ? unknownSubscription(name, params)
      : new JsonRpcError(-32601, 'notifications not supported')
  }
  if (name.endsWith('_unsubscribe')) {
    decodeArguments(params, [required((raw) => decodeString(raw, 'rpc.ID'))])
    return serverError('subscription not found')
  }
  return methodNotFound(name)
}

function unknownSubscription(name: string, params: string | undefined): JsonRpcError {
  if (params === undefined || jsonKind(params) !== 'array') return invalidParams('non-array args')
  const [first = ''] = elements(params)
  if (jsonKind(first) !== 'string') return invalidParams('expected subscription name as first argument')
  const namespace = name.slice(0, name.indexOf('_'))
  return new JsonRpcError(-32601, `no ${quoteAsGo(unquote(first))} subscription in ${namespace} namespace`)
}
