// Answers JSON-RPC texts: envelopes, batches, notifications and method lookup, without any socket.
// Follows geth's rpc/handler.go. Notifications are not executed: every method only reads.
import { setImmediate } from 'node:timers/promises'
import type { Awaitable } from '../awaitable.js'
import type { ViewSource } from '../datadir/ask.js'
import { damageAtRest } from '../datadir/ask.js'
import { GethReaderError } from '../errors.js'
import type { AnswerCache } from './answer-cache.js'
import { longestQuoted, quoteAsGo } from './go-quote.js'
import { encodeByteText } from './json/byte-text.js'
import { elements, jsonKind } from './json/cut.js'
import { byteLengthOf, type JsonText, joinText, lengthOf, stringOfText } from './json/json-text.js'
import { unquoteStart } from './json/strings.js'
import { invalidParams, type JsonRpcError, rpcError, toJsonRpcError } from './json-rpc-error.js'
import {
  type Body,
  type Call,
  errorResponse,
  isCall,
  isNotification,
  isResponse,
  type Message,
  mostArguments,
  parseBody,
  responseId,
  resultResponse,
} from './message.js'
import type { Method } from './methods/method.js'
import { methods } from './methods/registry.js'
import { decodeArguments } from './parameters/parameter.js'
import { decodeString } from './parameters/unmarshal.js'
import { type RequestContext, RequestScope } from './request-scope.js'

const maxMethodNameBytes = 2_048

/** Views on which a method is tried before it fails with VIEW_UNSTABLE. */
const viewAttempts = 5

/** Time that a batch may take from everybody else at a stretch. */
const batchTurnMilliseconds = 5

/** Calls of a batch that run at the same time if workers run them; all others run one after the other. */
const batchConcurrency = 16

/** Length of arguments up to which they are decoded on the main thread: overrides of this length take 5 ms (2026-11-22). */
const longestDecodedHere = 16_384

/** Outcome of one message: its response, and the part of it that counts towards the size of a batch. */
interface Answer {
  readonly response: JsonText
  readonly counted: JsonText
}

/** Answers requests from views of a directory. */
export class Dispatcher {
  readonly #views: ViewSource
  readonly #answers: AnswerCache | undefined

  /** Without a cache, equal requests are answered again. */
  constructor(views: ViewSource, answers?: AnswerCache) {
    this.#views = views
    this.#answers = answers
  }

  /**
   * Answers a body of one request or a batch; undefined if nothing is to be sent back. Never rejects: every
   * failure is a JSON-RPC error.
   */
  async handle(text: string, context: RequestContext): Promise<string | undefined> {
    const answer = await this.answer(parseBody(encodeByteText(text), context.limits.batchCalls), context)
    return answer === undefined ? undefined : stringOfText(answer)
  }

  /** As {@link handle}, for a body that was read already. */
  async answer(body: Body, context: RequestContext): Promise<JsonText | undefined> {
    switch (body.kind) {
      case 'empty':
        // A WebSocket message is never empty of JSON.
        if (!context.duplex) return undefined
        return malformedResponse(body.mistake, context)
      case 'invalid':
        return malformedResponse(body.mistake, context)
      case 'single': {
        const { message } = body
        const refusal = context.admit?.(1)
        if (isResponse(message) || isNotification(message)) return undefined
        if (refusal !== undefined) return errorAnswer(message, refusal).response
        using scope = new RequestScope(this.#views, context)
        return (await this.#answer(message, scope)).response
      }
      case 'batch':
        return this.#answerBatch(body.messages, context)
      case 'oversizedBatch': {
        const error = context.admit?.(1) ?? rpcError('batchTooLarge')
        return `[${errorResponse(body.id, error.toJson())}]`
      }
    }
  }

  /**
   * Runs one method; `params` is the JSON text of its arguments. Returns the result as JSON text.
   *
   * Throws {@link JsonRpcError}.
   */
  async call(method: string, params: string | undefined, context: RequestContext): Promise<string> {
    using scope = new RequestScope(this.#views, context)
    const isArray = params !== undefined && jsonKind(params) === 'array'
    const args = isArray ? elements(params, mostArguments) : []
    return stringOfText(await this.#run({ method, params, args }, scope))
  }

  async #answerBatch(messages: readonly Message[], context: RequestContext): Promise<JsonText | undefined> {
    const { batchResponseBytes } = context.limits
    const calls = messages.filter((message) => !isResponse(message) && !isNotification(message))
    const refusal = context.admit?.(Math.max(1, calls.length))
    if (messages.length === 0) return errorResponse('null', (refusal ?? rpcError('emptyBatch')).toJson())
    using scope = new RequestScope(this.#views, context)
    const responses: JsonText[] = []
    let bytes = 0
    const finishFirst = async () => {
      const [message, answering] = running.shift()!
      const answer =
        bytes > batchResponseBytes ? errorAnswer(message, rpcError('responseTooLarge')) : await answering
      bytes += byteLengthOf(answer.counted)
      responses.push(responses.length === 0 ? '[' : ',', answer.response)
    }
    const running: [Message, Promise<Answer>][] = []
    let turn = performance.now()
    for (const message of calls) {
      if (performance.now() - turn > batchTurnMilliseconds) {
        await setImmediate()
        turn = performance.now()
      }
      const isOver = bytes > batchResponseBytes
      const ending = refusal ?? scope.ending ?? (isOver ? rpcError('responseTooLarge') : undefined)
      const together =
        isCall(message) && methods.get(message.method)?.place === 'begin' ? batchConcurrency : 1
      while (running.length >= together) await finishFirst()
      running.push([message, this.#answerUnless(ending, message, scope)])
      if (together === 1) await finishFirst()
    }
    while (running.length > 0) await finishFirst()
    return responses.length === 0 ? undefined : joinText([...responses, ']'])
  }

  async #answerUnless(
    ending: JsonRpcError | undefined,
    message: Message,
    scope: RequestScope,
  ): Promise<Answer> {
    return ending === undefined ? this.#answer(message, scope) : errorAnswer(message, ending)
  }

  async #answer(message: Message, scope: RequestScope): Promise<Answer> {
    if (!isCall(message)) return errorAnswer(message, rpcError('invalidRequest'))
    try {
      const result = await this.#run(message, scope)
      return { response: resultResponse(message.id!, result), counted: result }
    } catch (error) {
      return errorAnswer(message, toJsonRpcError(error))
    }
  }

  /**
   * A running geth may delete a file that the view has not opened yet; the method is then run again on a newer one. It is
   * also run again if a state that it lacked could be made.
   */
  async #runOnNewestView(call: Call, scope: RequestScope): Promise<JsonText> {
    let failuresAtRest = 0
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#runMethod(call, scope)
      } catch (error) {
        if (!(error instanceof GethReaderError) || attempt === viewAttempts) throw error
        if (error.code === 'STATE_UNAVAILABLE' && (await scope.within(scope.view.restore(error)))) continue
        if (error.code !== 'VIEW_UNSTABLE') throw error
        failuresAtRest = (await this.#views.refresh()) ? 0 : failuresAtRest + 1
        const damage = damageAtRest(error, failuresAtRest)
        if (damage) throw damage
        scope.renewView()
      }
    }
  }

  async #runMethod(call: Call, scope: RequestScope): Promise<JsonText> {
    const { method: name, params } = call
    const method = methods.get(name)
    if (method === undefined || scope.context.methods?.has(name) === false) {
      throw unknownMethod(call, scope.context)
    }
    // A method without arguments takes no longer than a look at the cache.
    const answers = method.parameters.length > 0 ? this.#answers : undefined
    if (answers === undefined) return runMethod(method, call, scope)
    const { moment } = scope.view
    const question = { method: name, params, limits: scope.limits }
    const known = answers.get(moment, question)
    if (known !== undefined) {
      throwIfRefused(scope)
      return known
    }
    const result = await runMethod(method, call, scope)
    // A view that was renewed meanwhile may have had a part in it.
    if (scope.isTimeless && scope.view.moment === moment) answers.set(moment, question, result)
    return result
  }

  async #run(call: Call, scope: RequestScope): Promise<JsonText> {
    const started = performance.now()
    let failure: JsonRpcError | undefined
    try {
      const result = await this.#runOnNewestView(call, scope).catch((error) => rescue(error, call, scope))
      const fits = scope.context.charge?.takeExisting(lengthOf(result)) ?? true
      if (fits === true || (fits && (await scope.within(fits)))) return result
      const error = rpcError('memoryExceeded')
      scope.end(error)
      throw error
    } catch (error) {
      failure = toJsonRpcError(error)
      throw failure
    } finally {
      scope.context.onCall?.({
        method: methods.has(call.method) ? call.method : undefined,
        milliseconds: performance.now() - started,
        error: failure,
      })
    }
  }
}

function malformedResponse(mistake: string, { duplex, admit }: RequestContext): string {
  const error = duplex ? rpcError('syntaxError', { text: mistake }) : rpcError('parseError')
  return errorResponse('null', (admit?.(1) ?? error).toJson())
}

function errorAnswer(message: Message, error: JsonRpcError): Answer {
  const json = error.toJson()
  return { response: errorResponse(responseId(message), json), counted: json }
}

function runMethod(method: Method, call: Call, scope: RequestScope): Awaitable<JsonText> {
  if (method.runLarge !== undefined && textLength(call) > longestDecodedHere) {
    throwIfRefused(scope)
    const run = async () => method.runLarge!(scope, call.args)
    return scope.within(Promise.resolve(scope.inTurn(run, method.place)))
  }
  const values = decodeArguments(call, method.parameters, scope.limits)
  throwIfRefused(scope)
  const run = () => method.run(scope, values)
  const result = method.isHeavy(values) ? scope.inTurn(run, method.place) : run()
  return result instanceof Promise ? scope.within(result) : result
}

function textLength({ args }: Call): number {
  return args.reduce((length, text) => length + text.length, 0)
}

function throwIfRefused({ context }: RequestScope): void {
  const refusal = context.refuse?.()
  if (refusal !== undefined) throw refusal
}

/** The result from elsewhere of a call that failed here; throws if there is none. */
async function rescue(thrown: unknown, { method, params }: Call, scope: RequestScope): Promise<string> {
  const error = toJsonRpcError(thrown)
  const { rescue, limits } = scope.context
  // Nobody waits for the answer to a request that has ended.
  if (rescue === undefined || scope.ending !== undefined) throw error
  const rescued = await scope.within(rescue({ method, params, error, limits }, scope.signal))
  if (rescued === undefined) throw error
  return rescued
}

/** Why a name is no method: too long, a subscription, or simply not there. */
function unknownMethod(call: Call, { duplex, limits }: RequestContext): JsonRpcError {
  const { method: name, methodBytes: bytes = Buffer.byteLength(name) } = call
  if (bytes > maxMethodNameBytes) {
    return rpcError('methodNameTooLong', { bytes, limit: maxMethodNameBytes })
  }
  if (name.endsWith('_subscribe')) {
    return duplex ? unknownSubscription(call) : rpcError('notificationsNotSupported')
  }
  if (name.endsWith('_unsubscribe')) {
    decodeArguments(call, [{ decode: (raw) => decodeString(raw, 'rpc.ID') }], limits)
    return rpcError('subscriptionNotFound')
  }
  return rpcError('methodNotFound', { name })
}

function unknownSubscription({ method, params, args }: Call): JsonRpcError {
  if (params === undefined || jsonKind(params) !== 'array') return rpcError('nonArrayArguments')
  const [first = ''] = args
  if (jsonKind(first) !== 'string') return invalidParams('expected subscription name as first argument')
  const namespace = method.slice(0, method.indexOf('_'))
  return rpcError('unknownSubscription', {
    name: quoteAsGo(unquoteStart(first, longestQuoted)),
    namespace,
  })
}
