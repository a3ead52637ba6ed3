// An error as a JSON-RPC client receives it, made from the rows of the error table.
import { type ErrorCode, GethReaderError, withoutStack } from '../errors.js'
import { quoteJson } from '../quote-json.js'
import {
  type ErrorAnswer,
  type ErrorData,
  type ErrorRow,
  errorAnswers,
  fillIn,
  type RpcErrorKind,
  rpcErrors,
} from './error-table.js'
import { type JsonText, stringOfText } from './json/json-text.js'

interface JsonRpcErrorOptions {
  /** Row of the error table. */
  readonly kind?: RpcErrorKind
  readonly data?: ErrorData
  /** HTTP status, default 200. */
  readonly status?: number
  /** After this time the same request may be allowed. */
  readonly retryMilliseconds?: number
  readonly cause?: unknown
}

/** Characters of a piece of long data. */
const pieceLength = 1_048_576

/** An error with the code, text and data that a client receives. The fault that led to it, if there is one, is its cause. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError'
  readonly code: number
  /** Undefined for the library's errors and those of a partner. */
  readonly kind: RpcErrorKind | undefined
  /** Present only for reverts, an unfinished transaction index and too many logs. */
  readonly data: ErrorData | undefined
  /** HTTP status of a response that holds nothing but this error. */
  readonly status: number
  readonly retryMilliseconds: number | undefined

  constructor(code: number, message: string, options: JsonRpcErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.kind = options.kind
    this.data = options.data
    this.status = options.status ?? 200
    this.retryMilliseconds = options.retryMilliseconds
  }

  /** The error object of a response. */
  toJson(): string {
    return stringOfText(this.toJsonText())
  }

  /** The error object of a response; long data in pieces, which are copied one by one when they are sent. */
  toJsonText(): JsonText {
    const { data } = this
    const start = `{"code":${this.code},"message":${quoteJson(this.message)}`
    if (data === undefined) return `${start}}`
    // To look for what is to be escaped in 32 MB of hex took a quarter of a second (2026-11-24).
    if (typeof data !== 'string') return `${start},"data":${JSON.stringify(data)}}`
    if (data.length <= pieceLength) return `${start},"data":"${data}"}`
    const pieces = Array.from({ length: Math.ceil(data.length / pieceLength) }, (_, i) =>
      data.slice(i * pieceLength, (i + 1) * pieceLength),
    )
    return [`${start},"data":"`, ...pieces, '"}']
  }
}

/** An error of the table, with its facts filled in. */
export function rpcError(
  kind: RpcErrorKind,
  facts: Readonly<Record<string, string | number>> = {},
  options: JsonRpcErrorOptions = {},
): JsonRpcError {
  const { code, message, status = 200 }: ErrorRow = rpcErrors[kind]
  return withoutStack(() => new JsonRpcError(code, fillIn(message, facts), { kind, status, ...options }))
}

/** -32602: arguments that make no sense together. */
export function invalidParams(reason: string): JsonRpcError {
  return rpcError('invalidParams', { reason })
}

/** -32000: anything that has no code of its own. */
export function serverError(reason: string): JsonRpcError {
  return rpcError('serverError', { reason })
}

/**
 * The answer of a method that words some errors otherwise than the rest. Other errors stay what they are, as the
 * dispatcher looks at them.
 */
export function answerOtherwise(
  error: unknown,
  answers: Readonly<Partial<Record<ErrorCode, ErrorAnswer>>>,
): unknown {
  const isWordedOtherwise = error instanceof GethReaderError && answers[error.code] !== undefined
  return isWordedOtherwise ? toJsonRpcError(error, answers) : error
}

/** The answer to anything that was thrown while a request was served; the original is its cause. */
export function toJsonRpcError(
  error: unknown,
  answers: Readonly<Partial<Record<ErrorCode, ErrorAnswer>>> = errorAnswers,
): JsonRpcError {
  if (error instanceof JsonRpcError) return error
  // Work that was stopped because its request ended: the error that ended it.
  if (error instanceof GethReaderError && error.cause instanceof JsonRpcError) return error.cause
  if (!(error instanceof GethReaderError)) return rpcError('crashed', {}, { cause: error })
  const answer = answers[error.code] ?? errorAnswers[error.code]
  const message = typeof answer.message === 'string' ? answer.message : answer.message(error)
  const data = answer.data?.(error)
  const options = { cause: error, ...(data !== undefined && { data }) }
  return withoutStack(() => new JsonRpcError(answer.code, message, options))
}
