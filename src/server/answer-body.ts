// Answers a body that was read: one message or a batch. Notifications are not executed, because every method only reads.
// Follows handleBatch and handleNonBatchCall in geth's rpc/handler.go.
import { byteLengthOf, type JsonText, joinText } from '../rpc/json/json-text.js'
import { JsonRpcError, rpcError } from '../rpc/json-rpc-error.js'
import {
  errorResponse,
  errorWithoutId,
  isCall,
  isNotification,
  isResponse,
  type RpcBody,
  type RpcMessage,
  responseId,
  resultResponse,
} from '../rpc/message.js'
import { methods } from '../rpc/methods/registry.js'
import { Turns } from '../rpc/turns.js'
import { answerCall, type ServedRequest } from './answer-call.js'

/** Calls of a batch that run at the same time if workers run them; all others run one after the other. */
const batchConcurrency = 16

/** A response, and the bytes of it that count towards the size of a batch. */
interface Response {
  readonly text: JsonText
  readonly counted: JsonText
}

/** Calls that a body costs. */
export function callCount(body: RpcBody): number {
  return body.kind === 'batch' ? Math.max(1, body.messages.filter(needsResponse).length) : 1
}

/**
 * Answers a body; undefined if nothing is to be sent back. `refusal` is the answer to all of its calls, if there is one.
 * Never rejects.
 */
export async function answerBody(
  body: RpcBody,
  refusal: JsonRpcError | undefined,
  request: ServedRequest,
): Promise<JsonText | undefined> {
  const { duplex } = request.scope.context
  switch (body.kind) {
    case 'empty':
      // A WebSocket message is never empty of JSON.
      return duplex ? malformedResponse(body.mistake, refusal, duplex) : undefined
    case 'invalid':
      return malformedResponse(body.mistake, refusal, duplex)
    case 'single':
      if (!needsResponse(body.message)) return undefined
      return (await answerMessage(body.message, refusal, request)).text
    case 'batch': {
      if (body.messages.length > 0) return answerBatch(body.messages.filter(needsResponse), refusal, request)
      return errorWithoutId((refusal ?? rpcError('emptyBatch')).toJson())
    }
    case 'oversizedBatch':
      return joinText(['[', errorResponse(body.id, (refusal ?? rpcError('batchTooLarge')).toJson()), ']'])
  }
}

async function answerBatch(
  messages: readonly RpcMessage[],
  refusal: JsonRpcError | undefined,
  request: ServedRequest,
): Promise<JsonText | undefined> {
  const { scope } = request
  const { batchResponseBytes } = scope.limits
  const responses: JsonText[] = []
  let bytes = 0
  const finishFirst = async () => {
    const [message, answering] = running.shift()!
    const { text, counted } =
      bytes > batchResponseBytes ? errorAnswer(message, rpcError('responseTooLarge')) : await answering
    bytes += byteLengthOf(counted)
    responses.push(responses.length === 0 ? '[' : ',', text)
  }
  const running: [RpcMessage, Promise<Response>][] = []
  const turns = new Turns()
  for (const message of messages) {
    if (turns.isOver) await turns.next()
    const isOver = bytes > batchResponseBytes
    const ending = refusal ?? scope.ending ?? (isOver ? rpcError('responseTooLarge') : undefined)
    const together = isCall(message) && methods.get(message.method)?.runsOnWorkers ? batchConcurrency : 1
    while (running.length >= together) await finishFirst()
    running.push([message, answerMessage(message, ending, request)])
    if (together === 1) await finishFirst()
  }
  while (running.length > 0) await finishFirst()
  return responses.length === 0 ? undefined : joinText([...responses, ']'])
}

async function answerMessage(
  message: RpcMessage,
  refusal: JsonRpcError | undefined,
  request: ServedRequest,
): Promise<Response> {
  if (refusal !== undefined) return errorAnswer(message, refusal)
  if (!isCall(message)) return errorAnswer(message, rpcError('invalidRequest'))
  const result = await answerCall(message, request)
  if (result instanceof JsonRpcError) return errorAnswer(message, result)
  return { text: resultResponse(message.id!, result), counted: result }
}

function needsResponse(message: RpcMessage): boolean {
  return !isResponse(message) && !isNotification(message)
}

function errorAnswer(message: RpcMessage, error: JsonRpcError): Response {
  const json = error.toJsonText()
  return { text: errorResponse(responseId(message), json), counted: json }
}

function malformedResponse(mistake: string, refusal: JsonRpcError | undefined, duplex: boolean): string {
  const error = duplex ? rpcError('syntaxError', { text: mistake }) : rpcError('parseError')
  return errorWithoutId((refusal ?? error).toJson())
}
