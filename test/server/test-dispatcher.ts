// Answers texts from a test's views as the service does, without plans, metrics and sockets.

import { encodeByteText } from '../../src/byte-text.js'
import type { ViewSource } from '../../src/datadir/ask.js'
import { stringOfText } from '../../src/rpc/json/json-text.js'
import { JsonRpcError } from '../../src/rpc/json-rpc-error.js'
import { callTo } from '../../src/rpc/message.js'
import { type RequestContext, RequestScope } from '../../src/rpc/request-scope.js'
import { answerBody } from '../../src/server/answer-body.js'
import type { AnswerCache } from '../../src/server/answer-cache.js'
import { answerCall, type ServedRequest } from '../../src/server/answer-call.js'
import type { CallRecord } from '../../src/server/metrics.js'
import { parseBody } from '../rpc/parse-body.js'

export interface TestContext extends RequestContext {
  /** Called with every call that was tried. */
  readonly onCall?: (record: CallRecord) => void
  /** Whether the server is about to end. */
  readonly isLate?: boolean
}

export class TestDispatcher {
  readonly #views: ViewSource
  readonly #answers: AnswerCache | undefined

  constructor(views: ViewSource, answers?: AnswerCache) {
    this.#views = views
    this.#answers = answers
  }

  /** The answer to a body; undefined if nothing is to be sent back. */
  async handle(text: string, context: TestContext): Promise<string | undefined> {
    const body = parseBody(encodeByteText(text), context.limits.batchCalls)
    using scope = new RequestScope(this.#views, context)
    const answer = await answerBody(body, undefined, this.#request(scope, context))
    return answer === undefined ? undefined : stringOfText(answer)
  }

  /** The result of one call. Throws JsonRpcError. */
  async call(method: string, params: string | undefined, context: TestContext): Promise<string> {
    using scope = new RequestScope(this.#views, context)
    const result = await answerCall(callTo(method, params), this.#request(scope, context))
    if (result instanceof JsonRpcError) throw result
    return stringOfText(result)
  }

  #request(scope: RequestScope, { onCall = () => {}, isLate = false }: TestContext): ServedRequest {
    return {
      id: '',
      caller: undefined as never,
      scope,
      outcome: { add: onCall } as never,
      charge: undefined,
      answers: this.#answers,
      failover: undefined,
      askThread: undefined,
      isLate,
    }
  }
}
