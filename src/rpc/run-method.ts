// Runs a method: decodes its arguments, waits for the caller's turn if the work is heavy, and tries again on a newer view.
import type { Awaitable } from '../awaitable.js'
import { damageAtRest } from '../datadir/ask.js'
import { GethReaderError } from '../errors.js'
import type { JsonText } from './json/json-text.js'
import type { Call } from './message.js'
import type { Method } from './methods/method.js'
import { decodeArguments } from './parameters/parameter.js'
import type { RequestScope } from './request-scope.js'

/** Views on which a method is tried before it fails with VIEW_UNSTABLE. */
const viewAttempts = 5

/**
 * Longest arguments, in characters, that are decoded on the main thread: overrides of this length take 5 ms (2026-11-22).
 */
const longestOnMainThread = 16_384

/**
 * Runs a method. A running geth may delete a file that the view has not opened yet; the method is then run again on a
 * newer one. It is also run again if a state that it lacked could be made.
 *
 * Throws JsonRpcError, and whatever the error table knows.
 */
export async function runMethod(method: Method, call: Call, scope: RequestScope): Promise<JsonText> {
  let failuresAtRest = 0
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(method, call, scope)
    } catch (error) {
      if (!(error instanceof GethReaderError) || attempt === viewAttempts) throw error
      if (error.code === 'STATE_UNAVAILABLE' && (await scope.within(scope.view.restore(error)))) continue
      if (error.code !== 'VIEW_UNSTABLE') throw error
      failuresAtRest = (await scope.refresh()) ? 0 : failuresAtRest + 1
      const damage = damageAtRest(error, failuresAtRest)
      if (damage) throw damage
    }
  }
}

/** Throws what is wrong with the arguments of a call, as far as it is known before the method runs. */
export function checkArgumentsOf(method: Method, call: Call, { limits }: RequestScope): void {
  if (!isLarge(method, call)) decodeArguments(call, method.parameters, limits)
}

function runOnce(method: Method, call: Call, scope: RequestScope): Awaitable<JsonText> {
  if (isLarge(method, call)) {
    const run = async () => method.runLarge!(scope, call.args)
    return scope.within(Promise.resolve(scope.inTurn(run, method)))
  }
  const values = decodeArguments(call, method.parameters, scope.limits)
  const run = () => method.run(scope, values)
  const result = method.isHeavy(values) ? scope.inTurn(run, method) : run()
  return result instanceof Promise ? scope.within(result) : result
}

/** Whether workers decode the arguments. */
function isLarge({ runLarge }: Method, { args }: Call): boolean {
  return (
    runLarge !== undefined && args.reduce((length, text) => length + text.length, 0) > longestOnMainThread
  )
}
