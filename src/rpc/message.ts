// JSON-RPC messages: sorts them into calls, notifications, responses and everything else, while the JSON is checked.
// Decodes only the members. Follows jsonrpcMessage and parseMessage in geth's rpc/json.go.
import { isAscii } from '../byte-text.js'
import { elements, jsonKind } from './json/cut.js'
import type { JsonText } from './json/json-text.js'
import { JsonScanner } from './json/scanner.js'
import { foldName, unquote, unquotedBytes, unquoteStart } from './json/strings.js'

/** The arguments that a method is called with, as JSON text. */
export interface Call {
  readonly method: string
  /** Bytes of the name if it is a long one, of which `method` may be only the start. */
  readonly methodBytes?: number | undefined
  readonly params: string | undefined
  /** Elements of `params` if it is an array, at most {@link mostArguments}. */
  readonly args: readonly string[]
}

/** One message, members as JSON text. A member of a wrong kind counts as absent, the last of duplicates counts. */
export interface RpcMessage extends Call {
  readonly version: string
  /** Absent and `null` differ: a message without id is a notification. */
  readonly id: string | undefined
  readonly hasOutcome: boolean
}

/** More arguments than any method takes: enough to see that there are too many. */
export const mostArguments = 8

/** What a body holds: nothing, text that is not JSON, one message, or a batch of them. */
export type RpcBody =
  | { readonly kind: 'empty' | 'invalid' /** What Go says of the text. */; readonly mistake: string }
  | { readonly kind: 'single'; readonly message: RpcMessage }
  | { readonly kind: 'batch'; readonly messages: readonly RpcMessage[] }
  | { readonly kind: 'oversizedBatch' /** Of its first call; `null` if it has none. */; readonly id: string }

type Draft = { -readonly [K in keyof RpcMessage]: RpcMessage[K] } & { readonly args: string[] }

/** Characters of a version that are read: more than the only one has. */
const longestVersion = 10
/** Characters of a method name that are read: more than any has, and than geth allows. */
const longestMethod = 4_096

type MemberReader = (draft: Draft, value: string) => void

const readOutcome: MemberReader = (draft) => {
  draft.hasOutcome = true
}

const members = new Map<string, MemberReader>([
  [
    'jsonrpc',
    (draft, value) => {
      if (jsonKind(value) === 'string') draft.version = unquoteStart(value, longestVersion)
    },
  ],
  [
    'method',
    (draft, value) => {
      if (jsonKind(value) !== 'string') return
      draft.method = unquoteStart(value, longestMethod)
      draft.methodBytes = value.length > longestMethod ? unquotedBytes(value) : undefined
    },
  ],
  [
    'id',
    (draft, value) => {
      draft.id = value
    },
  ],
  [
    'params',
    (draft, value) => {
      draft.params = value
    },
  ],
  ['result', readOutcome],
  ['error', readOutcome],
])

/** Longest name of a member, with its quotes and each letter as an escape of six characters. */
const longestName = Math.max(...[...members.keys()].map(({ length }) => length)) * 6 + 2

const readParams = members.get('params')

function emptyMessage(): Draft {
  return {
    version: '',
    method: '',
    methodBytes: undefined,
    params: undefined,
    args: [],
    id: undefined,
    hasOutcome: false,
  }
}

/** Reads the first JSON value of a body, in one go or piece by piece. Ignores what follows it. */
export class BodyReader {
  readonly #text: string
  readonly #mostCalls: number
  readonly #isBatch: boolean
  readonly #scanner: JsonScanner
  readonly #messages: RpcMessage[] = []
  #draft = emptyMessage()
  #readMember: MemberReader | undefined
  #count = 0
  #firstCallId: string | undefined

  /** `text` has one character for each byte. Of a batch, `mostCalls` messages are read and no more. */
  constructor(text: string, mostCalls: number) {
    this.#text = text
    this.#mostCalls = mostCalls
    const start = skipSpace(text)
    this.#isBatch = text[start] === '['
    const messageDepth = this.#isBatch ? 1 : 0
    const memberDepth = messageDepth + 1
    const listener = {
      depth: memberDepth + 1,
      name: (depth: number, start: number, end: number) => {
        if (depth === memberDepth) this.#foundName(start, end)
      },
      value: (depth: number, start: number, end: number) => {
        if (depth > memberDepth) this.#foundArgument(start, end)
        else if (depth === memberDepth) this.#foundMember(start, end)
        else if (depth === messageDepth) this.#foundMessage()
        return undefined
      },
    }
    this.#scanner = new JsonScanner(text, listener, { start })
  }

  /** Reads `bytes` more at most. Returns whether everything was read. */
  read(bytes?: number): boolean {
    return this.#scanner.scan(bytes)
  }

  /** Whether no JSON was found. */
  get isMalformed(): boolean {
    return this.#scanner.end < 0
  }

  /** What was found, once everything was read. */
  get body(): RpcBody {
    const { end, isEmpty, mistake } = this.#scanner
    if (end < 0) return { kind: isEmpty ? 'empty' : 'invalid', mistake }
    if (!this.#isBatch) return { kind: 'single', message: this.#messages[0]! }
    if (this.#count <= this.#mostCalls) return { kind: 'batch', messages: this.#messages }
    return { kind: 'oversizedBatch', id: this.#firstCallId ?? 'null' }
  }

  #foundName(start: number, end: number): void {
    // Of a batch that is too large, only the id of its first call is of use.
    if (this.#count > this.#mostCalls && this.#firstCallId !== undefined) return
    if (end - start > longestName) return
    this.#readMember = memberReader(this.#text.slice(start, end))
    const { args } = this.#draft
    if (this.#readMember === readParams && args.length > 0) args.length = 0
  }

  #foundArgument(start: number, end: number): void {
    const { args } = this.#draft
    if (this.#readMember === readParams && args.length < mostArguments)
      args.push(this.#text.slice(start, end))
  }

  #foundMember(start: number, end: number): void {
    this.#readMember?.(this.#draft, this.#text.slice(start, end))
    this.#readMember = undefined
  }

  #foundMessage(): void {
    const message = this.#draft
    this.#draft = emptyMessage()
    this.#count++
    if (!this.#isBatch || this.#count <= this.#mostCalls) this.#messages.push(message)
    if (isCall(message)) this.#firstCallId ??= message.id
  }
}

/** The reader of a member by its name as written, with its quotes; undefined if the member is not looked at. */
function memberReader(quoted: string): MemberReader | undefined {
  return members.get(quoted.slice(1, -1)) ?? members.get(foldName(unquote(quoted)))
}

function skipSpace(text: string): number {
  if (text.charCodeAt(0) > 0x20) return 0
  const start = text.search(/[^ \t\r\n]/)
  return start < 0 ? text.length : start
}

/** A call outside of a message; `params` is the JSON text of its arguments. */
export function callTo(method: string, params: string | undefined): Call {
  const isArray = params !== undefined && jsonKind(params) === 'array'
  return { method, params, args: isArray ? elements(params, mostArguments) : [] }
}

function hasScalarId({ id }: RpcMessage): boolean {
  return id !== undefined && !id.startsWith('{') && !id.startsWith('[')
}

/** A request that wants an answer. */
export function isCall(message: RpcMessage): boolean {
  return message.version === '2.0' && message.method !== '' && hasScalarId(message)
}

/** A request that wants none. */
export function isNotification(message: RpcMessage): boolean {
  return message.version === '2.0' && message.method !== '' && message.id === undefined
}

/** Looks like an answer to a request of ours, which there never was; such messages are dropped. */
export function isResponse(message: RpcMessage): boolean {
  const { version, method, params, hasOutcome } = message
  return version === '2.0' && method === '' && params === undefined && hasOutcome && hasScalarId(message)
}

/** The id to answer with: the text as it came, or `null` if it cannot be one. */
export function responseId(message: RpcMessage): string {
  return hasScalarId(message) ? message.id! : 'null'
}

/** A response object around an encoded result. */
export function resultResponse(id: string, result: JsonText): JsonText {
  return responseAround(id, 'result', result)
}

/** A response object around an encoded error. */
export function errorResponse(id: string, error: JsonText): JsonText {
  return responseAround(id, 'error', error)
}

/** A response object around the encoded error of a request without a known id. */
export function errorWithoutId(error: string): string {
  return `{"jsonrpc":"2.0","id":null,"error":${error}}`
}

/** The id goes back byte for byte, as by geth, also if it is not UTF-8. */
function responseAround(id: string, member: 'result' | 'error', value: JsonText): JsonText {
  const rest = typeof value === 'string' ? [`,"${member}":${value}}`] : [`,"${member}":`, ...value, '}']
  if (!isAscii(id)) return ['{"jsonrpc":"2.0","id":', Buffer.from(id, 'latin1'), ...rest]
  const [first, ...others] = rest
  const start = `{"jsonrpc":"2.0","id":${id}${first}`
  return others.length === 0 ? start : [start, ...others]
}
