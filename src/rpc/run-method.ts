// Runs a method: decodes its arguments, and waits for the caller's turn if the work is heavy.
import type { Awaitable } from '../awaitable.js'
import type { JsonText } from './json/json-text.js'
import type { Call } from './message.js'
import type { Method } from './method.js'
import { decodeArguments } from './parameters/parameter.js'
import type { RequestScope } from './request-scope.js'

/**
 * Longest arguments, in characters, that are decoded on the main thread: overrides of this length take 5 ms (2026-11-22).
 */
const longestOnMainThread = 16_384

/**
 * Runs a method on the view of the request, as often as `ViewSession.ask` does. Throws JsonRpcError, and whatever the error table
 * knows.
 */
export function runMethod(method: Method, call: Call, scope: RequestScope): Awaitable<JsonText> {
  return scope.ask(() => runOnce(method, call, scope))
}

/** Throws what is wrong with the arguments of a call, as far as it is known before the method runs. */
export function checkArgumentsOf(method: Method, call: Call, { limits }: RequestScope): void {
  if (!isLarge(method, call)) decodeArguments(call, method.parameters, limits)
}

function runOnce(method: Method, call: Call, scope: RequestScope): Awaitable<JsonText> {
  if (isLarge(method, call)) {
    const run = async () => method.runLarge!(scope, call.args)
    return scope.inTurn(run, method)
  }
  const values = decodeArguments(call, method.parameters, scope.limits)
  const run = () => method.run(scope, values)
  return method.isHeavy(values) ? scope.inTurn(run, method) : run()
}

/** Whether workers decode the arguments. */
function isLarge({ runLarge }: Method, { args }: Call): boolean {
  return (
    runLarge !== undefined && args.reduce((length, text) => length + text.length, 0) > longestOnMainThread
  )
}
