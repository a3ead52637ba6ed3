// One call from its text to its outcome: refused, cached, run or answered by the partner; then counted and recorded.
import { type Awaitable, whenReady } from '../awaitable.js'
import { findMethod } from '../rpc/find-method.js'
import { type JsonText, lengthOf } from '../rpc/json/json-text.js'
import { JsonRpcError, rpcError, toJsonRpcError } from '../rpc/json-rpc-error.js'
import type { Call } from '../rpc/message.js'
import type { Method } from '../rpc/method.js'
import { methods } from '../rpc/methods/registry.js'
import type { RequestScope } from '../rpc/request-scope.js'
import { checkArgumentsOf, runMethod } from '../rpc/run-method.js'
import type { AnswerCache } from './answer-cache.js'
import type { ByteCharge } from './byte-budget.js'
import type { Failover } from './failover/failover.js'
import { type AskThread, threadOfCall } from './forwarded-call.js'
import type { Caller } from './plans/caller.js'
import type { RequestOutcome } from './request-outcome.js'

/** A body that is being answered, with everything that its calls share. */
export interface ServedRequest {
  readonly id: string
  readonly caller: Caller
  readonly scope: RequestScope
  readonly outcome: RequestOutcome
  /** Counts the bytes of results until they are sent; a result that does not fit is refused. */
  readonly charge: ByteCharge | undefined
  /** Asks another thread about one of its filters; undefined if there is only one thread. */
  readonly askThread: AskThread | undefined
  /** Undefined if no answers are cached. */
  readonly answers: AnswerCache | undefined
  /** Undefined if the caller's plan has none. */
  readonly failover: Failover | undefined
  /** Whether the request came after the server had begun to end. */
  readonly isLate: boolean
}

/** Answers one call. Never rejects. */
export async function answerCall(call: Call, request: ServedRequest): Promise<JsonText | JsonRpcError> {
  const started = performance.now()
  let result: JsonText | JsonRpcError
  try {
    const running = cachedOrRun(call, request)
    // Most results are there at once. To await one would still take a turn of the microtasks.
    result = running instanceof Promise ? await running : running
  } catch (error) {
    result = await answerOfPartner(call, toJsonRpcError(error), request)
  }
  const { charge, outcome } = request
  if (charge !== undefined) {
    const kept = counted(result, charge, request.scope)
    result = kept instanceof Promise ? await kept : kept
  }
  outcome.add({
    method: methods.has(call.method) ? call.method : undefined,
    milliseconds: performance.now() - started,
    error: result instanceof JsonRpcError ? result : undefined,
  })
  return result
}

function cachedOrRun(call: Call, request: ServedRequest): Awaitable<JsonText> {
  const { scope, isLate } = request
  const method = findMethod(call, scope.context)
  if (isLate) {
    checkArgumentsOf(method, call, scope)
    throw rpcError('draining')
  }
  const thread = request.askThread === undefined ? 0 : threadOfCall(call)
  if (thread === 0) return cachedOrRunHere(method, call, request)
  return answerOfThread(thread, call, request).then(
    (forwarded) => forwarded ?? cachedOrRunHere(method, call, request),
  )
}

function cachedOrRunHere(method: Method, call: Call, request: ServedRequest): Awaitable<JsonText> {
  const { scope } = request
  // A method without arguments takes no longer than a look at the cache.
  const answers = method.parameters.length > 0 && !method.isStateful ? request.answers : undefined
  if (answers === undefined) return runMethod(method, call, scope)
  const { snapshot } = scope.view
  const key = { method: call.method, params: call.params, limits: scope.limits }
  const cached = answers.get(snapshot, key)
  if (cached !== undefined) return cached
  return whenReady(runMethod(method, call, scope), (result) => {
    // If the view was renewed meanwhile, the result may be of either snapshot.
    if (scope.isTimeless && scope.view.snapshot === snapshot) answers.set(snapshot, key, result)
    return result
  })
}

/** The answer of the thread that has the filter of a call; undefined if this thread is to answer. */
async function answerOfThread(
  thread: number,
  { method, params }: Call,
  { askThread, caller, scope }: ServedRequest,
): Promise<JsonText | undefined> {
  if (thread === scope.news?.filters.thread) return undefined
  const answer = await scope.within(askThread!({ thread, caller: caller.id, method, params }))
  if (answer === undefined || 'result' in answer) return answer?.result
  throw new JsonRpcError(answer.error.code, answer.error.message)
}

/** The partner's result for a call that failed; otherwise the error. */
async function answerOfPartner(
  { method, params }: Call,
  error: JsonRpcError,
  { failover, scope, caller, id, charge }: ServedRequest,
): Promise<JsonText | JsonRpcError> {
  // Nobody waits for the answer to a request that has ended.
  if (failover === undefined || scope.ending !== undefined) return error
  const origin = { caller, requestId: id, signal: scope.signal, charge }
  const answer = failover.answer({ method, params, error, limits: scope.limits }, origin)
  return (await scope.within(answer).catch(toJsonRpcError)) ?? error
}

/** The result, or the error, once there is memory for it. If there is none, the whole request ends. */
function counted(
  result: JsonText | JsonRpcError,
  charge: ByteCharge,
  scope: RequestScope,
): Awaitable<JsonText | JsonRpcError> {
  const bytes = bytesOf(result)
  if (bytes === 0) return result
  const fits = charge.takeExisting(bytes)
  return fits === true ? result : whenFits(fits, result, scope)
}

async function whenFits(
  fits: Awaitable<boolean>,
  result: JsonText | JsonRpcError,
  scope: RequestScope,
): Promise<JsonText | JsonRpcError> {
  try {
    if (fits instanceof Promise && (await scope.within(fits))) return result
  } catch (error) {
    return toJsonRpcError(error)
  }
  const error = rpcError('memoryExceeded')
  scope.end(error)
  return error
}

/** Bytes of a result, or of the payload that a revert has returned. The rest of an error is short. */
function bytesOf(result: JsonText | JsonRpcError): number {
  if (!(result instanceof JsonRpcError)) return lengthOf(result)
  return typeof result.data === 'string' ? result.data.length : 0
}
