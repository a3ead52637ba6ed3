// One table from the library's error codes to what a JSON-RPC client is told. Faults of the directory and the machine
// are told without paths and positions: those belong in the log, the cause keeps them.
import { type ErrorCode, errorCodes, GethReaderError } from '../errors.js'
import { JsonRpcError, serverErrorCode } from './json-rpc-error.js'

/** How one error code is answered. */
export interface ErrorAnswer {
  /** JSON-RPC code. */
  readonly code: number
  /** Text for the client, or a function that takes it from the error. */
  readonly message: string | ((error: GethReaderError) => string)
  /** The `data` member, for the codes that have one. */
  readonly data?: (error: GethReaderError) => string | undefined
}

const internalErrorCode = -32603
const limitErrorCode = -32005

function fault(code: ErrorCode): ErrorAnswer {
  return { code: internalErrorCode, message: errorCodes[code] }
}

function ownText(error: GethReaderError): string {
  return error.message
}

/** geth tells a state that is absent from one with holes. */
function stateMessage(error: GethReaderError): string {
  const { root, key } = error.facts
  if (root === undefined || key !== undefined) return error.message
  return `historical state ${root.replace(/^0x/, '')} is not available`
}

const indexing = 'transaction indexing is in progress'

/** Every error code with its answer. */
export const errorAnswers: Readonly<Record<ErrorCode, ErrorAnswer>> = {
  NOT_A_DATADIR: fault('NOT_A_DATADIR'),
  PERMISSION_DENIED: fault('PERMISSION_DENIED'),
  UNSUPPORTED_ENGINE: fault('UNSUPPORTED_ENGINE'),
  UNSUPPORTED_FORMAT: fault('UNSUPPORTED_FORMAT'),
  VIEW_UNSTABLE: fault('VIEW_UNSTABLE'),
  NO_SPACE: fault('NO_SPACE'),
  DAMAGED: fault('DAMAGED'),
  MISSING_FILE: fault('MISSING_FILE'),
  WORKER_FAILED: fault('WORKER_FAILED'),
  CLOSED: fault('CLOSED'),
  HISTORY_PRUNED: { code: 4444, message: 'pruned history unavailable' },
  STATE_UNAVAILABLE: { code: serverErrorCode, message: stateMessage },
  BLOCK_NOT_FOUND: { code: serverErrorCode, message: 'header not found' },
  NOT_CANONICAL: { code: serverErrorCode, message: 'hash is not currently canonical' },
  INDEX_INCOMPLETE: { code: serverErrorCode, message: indexing, data: () => indexing },
  INVALID_RANGE: { code: -32602, message: 'invalid block range params' },
  TOO_MANY_RESULTS: {
    code: limitErrorCode,
    message: (error) => `query returned more than ${error.facts.limit} results`,
  },
  DEADLINE_EXCEEDED: { code: serverErrorCode, message: ownText },
  QUEUE_FULL: { code: limitErrorCode, message: 'too many requests are waiting' },
  CALL_REJECTED: { code: serverErrorCode, message: ownText },
  CALL_FAILED: { code: serverErrorCode, message: ownText },
  CALL_REVERTED: { code: 3, message: ownText, data: (error) => error.facts.data ?? '0x' },
}

/** Where a log query is answered otherwise than the rest. */
export const logErrorAnswers: Readonly<Partial<Record<ErrorCode, ErrorAnswer>>> = {
  BLOCK_NOT_FOUND: { code: serverErrorCode, message: 'unknown block' },
  DEADLINE_EXCEEDED: { code: limitErrorCode, message: 'query timeout exceeded' },
}

/** The answer to anything that was thrown while a request was served; the original is its cause. */
export function toJsonRpcError(
  error: unknown,
  answers: Readonly<Partial<Record<ErrorCode, ErrorAnswer>>> = errorAnswers,
): JsonRpcError {
  if (error instanceof JsonRpcError) return error
  if (!(error instanceof GethReaderError)) {
    return new JsonRpcError(internalErrorCode, 'method handler crashed', { cause: error })
  }
  const answer = answers[error.code] ?? errorAnswers[error.code]
  const message = typeof answer.message === 'string' ? answer.message : answer.message(error)
  const data = answer.data?.(error)
  return new JsonRpcError(answer.code, message, { cause: error, ...(data !== undefined && { data }) })
}
