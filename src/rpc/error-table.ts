// Every error that a client can meet, from code to meaning: of JSON-RPC, of the service, of the library, of HTTP and of
// WebSocket. Data only; json-rpc-error.ts makes errors of it. Texts in `<…>` are filled in. build/error-docs.mjs writes
// docs/errors.md from this table, and a test compares the two. Codes and texts follow geth's rpc/errors.go where geth has them.
import { quantity } from '../bytes.js'
import { type ErrorCode, errorCodes, type GethReaderError } from '../errors.js'

/** One kind of error with the answer to it. */
export interface ErrorRow {
  /** JSON-RPC code. */
  readonly code: number
  /** Text for the client; `<name>` stands for a fact. */
  readonly message: string
  /** HTTP status; default 200. A batch is answered with 200 unless all of it is refused. */
  readonly status?: number
  readonly meaning: string
}

/** Errors of the protocol and of the service. */
export const rpcErrors = {
  parseError: { code: -32700, message: 'parse error', meaning: 'the body of an HTTP request is not JSON' },
  syntaxError: {
    code: -32700,
    message: '<text>',
    meaning: 'a WebSocket message is not JSON; the text is that of Go’s decoder, the connection is closed',
  },
  readTimeout: { code: -32700, message: 'read timeout', meaning: 'the body did not arrive in time' },
  readError: { code: -32700, message: 'read error', meaning: 'the body broke off' },
  invalidRequest: { code: -32600, message: 'invalid request', meaning: 'JSON, but not a request' },
  emptyBatch: { code: -32600, message: 'empty batch', meaning: 'a batch without a single request' },
  batchTooLarge: { code: -32600, message: 'batch too large', meaning: 'more calls than a batch may hold' },
  methodNameTooLong: {
    code: -32600,
    message: 'method name too long: <bytes> > <limit>',
    meaning: 'a method name of more bytes than are looked at',
  },
  methodNotFound: {
    code: -32601,
    message: 'the method <name> does not exist/is not available',
    meaning: 'no such method, or the plan does not include it',
  },
  notificationsNotSupported: {
    code: -32601,
    message: 'notifications not supported',
    meaning: 'a subscription over HTTP',
  },
  unknownSubscription: {
    code: -32601,
    message: 'no <name> subscription in <namespace> namespace',
    meaning: 'a subscription over WebSocket to something that there is not',
  },
  subscriptionNotFound: {
    code: -32000,
    message: 'subscription not found',
    meaning: 'the end of a subscription that this WebSocket does not have',
  },
  nonArrayArguments: { code: -32602, message: 'non-array args', meaning: '`params` is no array' },
  missingArgument: {
    code: -32602,
    message: 'missing value for required argument <index>',
    meaning: 'fewer arguments than the method needs',
  },
  tooManyArguments: {
    code: -32602,
    message: 'too many arguments, want at most <count>',
    meaning: 'more arguments than the method takes',
  },
  invalidArgument: {
    code: -32602,
    message: 'invalid argument <index>: <reason>',
    meaning: 'an argument that cannot be decoded',
  },
  invalidParams: { code: -32602, message: '<reason>', meaning: 'arguments that make no sense together' },
  crashed: { code: -32603, message: 'method handler crashed', meaning: 'a fault of this program' },
  requestTimedOut: {
    code: -32002,
    message: 'request timed out',
    meaning: 'the time limit of an HTTP request passed',
  },
  responseTooLarge: {
    code: -32003,
    message: 'response too large',
    meaning: 'the results of a batch crossed their limit',
  },
  serverError: {
    code: -32000,
    message: '<reason>',
    meaning: 'the request cannot be answered, as geth says it',
  },
  clientGone: { code: -32000, message: 'client has gone', meaning: 'nobody waits any more; never sent' },
  unauthorized: {
    code: -32001,
    message: 'a valid API key is required',
    status: 401,
    meaning: 'no key in the path, or one that is not known; no hint which',
  },
  rateExceeded: {
    code: -32005,
    message: 'request rate exceeded, the plan allows <rate> per second',
    status: 429,
    meaning: 'more requests than the plan allows, each call of a batch counted; Retry-After says when',
  },
  batchOverBurst: {
    code: -32005,
    message: 'batch of <calls> calls exceeds the <burst> requests that the plan allows at once',
    status: 429,
    meaning: 'a batch that would not be allowed at any time; make it smaller',
  },
  tooManyInFlight: {
    code: -32005,
    message: 'too many requests in flight, the plan allows <limit>',
    status: 429,
    meaning: 'the key has as many unanswered requests as its plan allows',
  },
  queueFull: {
    code: -32005,
    message: 'too many requests are waiting',
    meaning: 'the queue of the key, or of the workers, for calls, log queries and full blocks is full',
  },
  overloaded: {
    code: -32005,
    message: 'too many requests are waiting',
    status: 503,
    meaning:
      'the server answers as many HTTP requests as it may, or as many of this key as it has left for others',
  },
  memoryExceeded: {
    code: -32005,
    message: 'too many bytes are waiting to be sent',
    status: 503,
    meaning:
      'requests and unread answers take as much memory as one key, or all together, may have; read them, or ask for less at a time',
  },
  tooManySubscriptions: {
    code: -32005,
    message: 'too many filters and subscriptions, the plan allows <limit>',
    meaning:
      'the key has as many filters and subscriptions as its plan allows; a filter ends when it is not used',
  },
  tooManyParameters: {
    code: -32005,
    message: 'too many addresses, topics and hashes in filters and subscriptions, the plan allows <limit>',
    meaning:
      'the filters and subscriptions of the key look for as many values as its plan allows, ten for each that it may have',
  },
  tooManyConnections: {
    code: -32005,
    message: 'too many connections, the plan allows <limit>',
    status: 429,
    meaning: 'the key has as many connections as its plan allows; this one is closed',
  },
  draining: {
    code: -32000,
    message: 'server is shutting down',
    status: 503,
    meaning: 'only requests that were under way before are still answered',
  },
} as const satisfies Readonly<Record<string, ErrorRow>>

export type RpcErrorKind = keyof typeof rpcErrors

/** Codes of the Execution API for what `eth_simulateV1` and `eth_getStorageValues` refuse. Texts are geth's, with the facts. */
export const executionErrors = {
  nonceTooLow: { code: -38010, meaning: 'a nonce below that of the account' },
  nonceTooHigh: { code: -38011, meaning: 'a nonce above that of the account' },
  feeCapTooLow: { code: -38012, meaning: 'a fee below the base fee of the block' },
  intrinsicGas: { code: -38013, meaning: 'less gas than a transaction needs before it runs' },
  insufficientFunds: { code: -38014, meaning: 'an account cannot pay value and gas' },
  blockGasLimit: { code: -38015, meaning: 'calls need more gas than their block has' },
  blockNumber: { code: -38020, meaning: 'a block whose number does not follow' },
  blockTime: { code: -38021, meaning: 'a block whose time does not follow' },
  senderHasCode: { code: -38024, meaning: 'the sender has code' },
  initCodeTooLarge: { code: -38025, meaning: 'init code is longer than allowed' },
  limitExceeded: { code: -38026, meaning: 'more blocks, calls or slots than one request may have' },
} as const

/** How one error code of the library is answered. */
export interface ErrorAnswer {
  /** JSON-RPC code. */
  readonly code: number
  /** Text for the client, or a function that takes it from the error. */
  readonly message: string | ((error: GethReaderError) => string)
  /** The `data` member, for the codes that have one. */
  readonly data?: (error: GethReaderError) => ErrorData | undefined
}

/** The `data` member of an error. A text is hex or words, in which JSON escapes nothing. */
export type ErrorData = string | Readonly<Record<string, string | number>>

const serverErrorCode = rpcErrors.serverError.code
const limitErrorCode = rpcErrors.queueFull.code

/** Faults of the directory and the machine are reported without paths and positions: those belong in the log. */
function fault(code: ErrorCode): ErrorAnswer {
  return { code: rpcErrors.crashed.code, message: errorCodes[code] }
}

function ownText(error: GethReaderError): string {
  return error.message
}

/** geth distinguishes an absent state from one with missing nodes. What geth cannot know comes after its text. */
function stateMessage(error: GethReaderError): string {
  const { root, key, reason } = error.facts
  if (root === undefined || key !== undefined) return error.message
  const message = `historical state ${root.replace(/^0x/, '')} is not available`
  return reason === undefined ? message : `${message}: ${reason}`
}

/** In the form of Infura: https://github.com/ethers-io/ethers.js/issues/4703. Nothing if not even one block fits. */
function rangeThatFits({ facts: { limit = 0, fromBlock, toBlock } }: GethReaderError): ErrorData | undefined {
  if (fromBlock === undefined || toBlock === undefined) return undefined
  return { from: quantity(fromBlock), limit, to: quantity(toBlock) }
}

const indexing = 'transaction indexing is in progress'

/** Every error code of the library with its answer. */
export const errorAnswers: Readonly<Record<ErrorCode, ErrorAnswer>> = {
  NOT_A_DATADIR: fault('NOT_A_DATADIR'),
  PERMISSION_DENIED: fault('PERMISSION_DENIED'),
  UNSUPPORTED_ENGINE: fault('UNSUPPORTED_ENGINE'),
  UNSUPPORTED_FORMAT: fault('UNSUPPORTED_FORMAT'),
  VIEW_UNSTABLE: fault('VIEW_UNSTABLE'),
  NO_SPACE: fault('NO_SPACE'),
  RESOURCE_EXHAUSTED: fault('RESOURCE_EXHAUSTED'),
  DAMAGED: fault('DAMAGED'),
  MISSING_FILE: fault('MISSING_FILE'),
  WORKER_FAILED: fault('WORKER_FAILED'),
  MISSING_PACKAGE: fault('MISSING_PACKAGE'),
  ABORTED: { code: serverErrorCode, message: rpcErrors.clientGone.message },
  CLOSED: fault('CLOSED'),
  HISTORY_PRUNED: { code: 4444, message: 'pruned history unavailable' },
  STATE_UNAVAILABLE: { code: serverErrorCode, message: stateMessage },
  BLOCK_NOT_FOUND: { code: serverErrorCode, message: 'header not found' },
  NOT_CANONICAL: { code: serverErrorCode, message: 'hash is not currently canonical' },
  BRANCH_UNKNOWN: fault('BRANCH_UNKNOWN'),
  INDEX_INCOMPLETE: { code: serverErrorCode, message: indexing, data: () => indexing },
  INVALID_RANGE: { code: rpcErrors.invalidParams.code, message: 'invalid block range params' },
  TOO_MANY_RESULTS: {
    code: limitErrorCode,
    message: (error) => `query returned more than ${error.facts.limit} results`,
    data: rangeThatFits,
  },
  DEADLINE_EXCEEDED: { code: serverErrorCode, message: ownText },
  QUEUE_FULL: { code: limitErrorCode, message: rpcErrors.queueFull.message },
  UNSUPPORTED_FORK: { code: serverErrorCode, message: ownText },
  CALL_REJECTED: { code: serverErrorCode, message: ownText },
  CALL_FAILED: { code: serverErrorCode, message: ownText },
  CALL_REVERTED: { code: 3, message: ownText, data: (error) => error.facts.data ?? '0x' },
}

/** Where a log query is answered otherwise than the rest. */
export const logErrorAnswers: Readonly<Partial<Record<ErrorCode, ErrorAnswer>>> = {
  BLOCK_NOT_FOUND: { code: serverErrorCode, message: 'unknown block' },
  DEADLINE_EXCEEDED: { code: limitErrorCode, message: 'query timeout exceeded' },
}

/** Methods of receipts answer differently: they distinguish a block with a header alone from an unknown one. */
export const receiptErrorAnswers: Readonly<Partial<Record<ErrorCode, ErrorAnswer>>> = {
  BLOCK_NOT_FOUND: { code: serverErrorCode, message: ownText },
}

/** For a state that is absent, methods that iterate over tries name the node that is missing. */
export function trieErrorAnswers(
  scheme: 'hash' | 'path' | undefined,
): Readonly<Partial<Record<ErrorCode, ErrorAnswer>>> {
  const message = (error: GethReaderError) => {
    const { root, key } = error.facts
    if (root === undefined || key !== undefined) return error.message
    const text = `missing trie node ${root.slice(2)} (path ) state ${root} is not available`
    return scheme === 'hash' ? `${text}, not found` : text
  }
  return { STATE_UNAVAILABLE: { code: serverErrorCode, message } }
}

/** An HTTP status with a plain text, sent instead of JSON-RPC; `<name>` stands for a fact. */
export interface HttpErrorRow {
  readonly status: number
  /** Empty for no body. */
  readonly text: string
  readonly meaning: string
}

/** What is refused before any JSON is looked at; rows with JSON bodies are in {@link rpcErrors}. */
export const httpErrors = {
  badRequest: {
    status: 400,
    text: '400 Bad Request',
    meaning: 'not HTTP, or an upgrade that is no WebSocket',
  },
  hostNotAllowed: {
    status: 403,
    text: 'invalid host specified',
    meaning: 'the Host header names a host outside of --http.vhosts; addresses always pass',
  },
  originNotAllowed: {
    status: 403,
    text: 'Forbidden',
    meaning: 'a WebSocket upgrade by a web page whose origin is not in --ws.origins',
  },
  draining: {
    status: 503,
    text: 'server is shutting down',
    meaning: 'a WebSocket upgrade while the server is about to end',
  },
  notFound: { status: 404, text: '', meaning: 'no such path' },
  methodNotAllowed: { status: 405, text: 'method not allowed', meaning: 'PUT or DELETE' },
  headersTimeout: { status: 408, text: '408 Request Timeout', meaning: 'the headers did not arrive in time' },
  bodyTooLarge: {
    status: 413,
    text: 'content length too large (<length>><limit>)',
    meaning: 'a declared length above the limit of the plan (5 MiB by default); the connection is closed',
  },
  invalidContentType: {
    status: 415,
    text: 'invalid content type, only application/json is supported',
    meaning: 'another content type, or none',
  },
  headersTooLarge: {
    status: 431,
    text: '431 Request Header Fields Too Large',
    meaning: 'more than 16 KiB of headers',
  },
} as const satisfies Readonly<Record<string, HttpErrorRow>>

/** The code and reason with which a WebSocket is closed. */
export interface CloseRow {
  readonly code: number
  readonly reason: string
  readonly meaning: string
}

/** How WebSockets end by this side; without a pong for 30 s, or stuck for 30 s, they end without a code. */
export const webSocketCloses = {
  notJson: { code: 1000, reason: '', meaning: 'after the answer to a message that is not JSON' },
  draining: { code: 1001, reason: 'server is shutting down', meaning: 'after the requests under way' },
  protocolError: { code: 1002, reason: '', meaning: 'frames that break RFC 6455' },
  revoked: { code: 1008, reason: 'API key is no longer valid', meaning: 'the key was removed by a reload' },
  unknownNews: {
    code: 1011,
    reason: 'what is new cannot be read',
    meaning: 'a subscription would have a gap: connect again',
  },
  noMemory: {
    code: 1013,
    reason: 'too many bytes are waiting',
    meaning: 'a message for which there is no memory, also after a while',
  },
  messageTooLarge: {
    code: 1009,
    reason: '',
    meaning: 'a message above the limit of the plan (5 MiB by default)',
  },
} as const satisfies Readonly<Record<string, CloseRow>>

/** A template with its facts filled in. */
export function fillIn(template: string, facts: Readonly<Record<string, string | number>>): string {
  return template.replace(/<(\w+)>/g, (whole, name: string) => String(facts[name] ?? whole))
}
