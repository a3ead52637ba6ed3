// JSON-RPC messages: telling calls, notifications, responses and junk apart. Nothing is decoded beyond the members.
// Follows jsonrpcMessage and parseMessage in geth's rpc/json.go.
import { elements, jsonKind, rawMembers, skipSpace, unquote, valueEnd } from './json-text.js'

/** One message, members as JSON text. A member of a wrong kind counts as absent, the last of duplicates counts. */
export interface Message {
  readonly version: string
  readonly method: string
  /** Absent and `null` differ: a message without id is a notification. */
  readonly id: string | undefined
  readonly params: string | undefined
  readonly hasOutcome: boolean
}

/** What a body holds: nothing, text that is not JSON, one message, or a batch of them. */
export type Body =
  | { readonly kind: 'empty' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'single'; readonly message: Message }
  | { readonly kind: 'batch'; readonly messages: readonly Message[] }

/** Reads the first JSON value of a text; what follows it is ignored. */
export function parseBody(text: string): Body {
  const start = skipSpace(text, 0)
  if (start === text.length) return { kind: 'empty' }
  const end = valueEnd(text, start)
  if (end < 0) return { kind: 'invalid' }
  const value = text.slice(start, end)
  if (jsonKind(value) !== 'array') return { kind: 'single', message: parseMessage(value) }
  return { kind: 'batch', messages: elements(value).map(parseMessage) }
}

function parseMessage(value: string): Message {
  let version = ''
  let method = ''
  let id: string | undefined
  let params: string | undefined
  let hasOutcome = false
  if (jsonKind(value) === 'object') {
    for (const [name, member] of rawMembers(value)) {
      const isString = jsonKind(member) === 'string'
      switch (unquote(name).toLowerCase()) {
        case 'jsonrpc':
          if (isString) version = unquote(member)
          break
        case 'method':
          if (isString) method = unquote(member)
          break
        case 'id':
          id = member
          break
        case 'params':
          params = member
          break
        case 'result':
        case 'error':
          hasOutcome = true
          break
      }
    }
  }
  return { version, method, id, params, hasOutcome }
}

function hasScalarId({ id }: Message): boolean {
  return id !== undefined && !id.startsWith('{') && !id.startsWith('[')
}

/** A request that wants an answer. */
export function isCall(message: Message): boolean {
  return message.version === '2.0' && message.method !== '' && hasScalarId(message)
}

/** A request that wants none. */
export function isNotification(message: Message): boolean {
  return message.version === '2.0' && message.method !== '' && message.id === undefined
}

/** Looks like an answer to a request of ours, which there never was; such messages are dropped. */
export function isResponse(message: Message): boolean {
  const { version, method, params, hasOutcome } = message
  return version === '2.0' && method === '' && params === undefined && hasOutcome && hasScalarId(message)
}

/** The id to answer with: the text as it came, or `null` where it cannot be one. */
export function responseId(message: Message): string {
  return hasScalarId(message) ? message.id! : 'null'
}

/** A response object around an encoded result. */
export function resultResponse(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

/** A response object around an encoded error. */
export function errorResponse(id: string, error: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${error}}`
}
