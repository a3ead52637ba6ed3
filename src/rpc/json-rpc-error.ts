// The errors that JSON-RPC itself knows, with the codes and texts of geth's rpc/errors.go, and their JSON form.
import { quoteJson } from './json-text.js'

/** An error with the code, text and data that a client receives. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError'
  readonly code: number
  /** Present only for reverts and an unfinished transaction index. */
  readonly data: string | undefined

  constructor(
    code: number,
    message: string,
    options: { readonly data?: string; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.data = options.data
  }

  /** The error object of a response. */
  toJson(): string {
    const data = this.data === undefined ? '' : `,"data":${quoteJson(this.data)}`
    return `{"code":${this.code},"message":${quoteJson(this.message)}${data}}`
  }
}

/** Code of errors that have no code of their own. */
export const serverErrorCode = -32000

/** -32700: the text is not JSON. */
export function parseError(): JsonRpcError {
  return new JsonRpcError(-32700, 'parse error')
}

/** -32600: JSON, but not a request. */
export function invalidRequest(message = 'invalid request'): JsonRpcError {
  return new JsonRpcError(-32600, message)
}

/** -32601: a method or subscription that is not there. */
export function methodNotFound(name: string): JsonRpcError {
  return new JsonRpcError(-32601, `the method ${name} does not exist/is not available`)
}

/** -32602: arguments that cannot be decoded or make no sense. */
export function invalidParams(message: string): JsonRpcError {
  return new JsonRpcError(-32602, message)
}

/** -32000: anything else that has no code of its own. */
export function serverError(message: string): JsonRpcError {
  return new JsonRpcError(serverErrorCode, message)
}

/** -32002: the time limit of the whole request passed. */
export function requestTimedOut(): JsonRpcError {
  return new JsonRpcError(-32002, 'request timed out')
}

/** -32003: a batch whose results crossed the size limit. */
export function responseTooLarge(): JsonRpcError {
  return new JsonRpcError(-32003, 'response too large')
}

/** Ends the work for a client that has closed its connection; nobody receives it. */
export function clientGone(): JsonRpcError {
  return new JsonRpcError(serverErrorCode, 'client has gone')
}

/** -32005: more requests at once than are answered. */
export function tooManyRequests(): JsonRpcError {
  return new JsonRpcError(-32005, 'too many requests are waiting')
}
