// A JSON-RPC client over persistent HTTP connections.
import { abortError, throwIfAborted } from '../../stop.js'
import { CommandFailure } from '../exit.js'
import { type Connection, openHttp } from './http-connection.js'

/** Time limit for a response. A log query of geth over many large blocks takes minutes on a busy machine. */
const answerMilliseconds = 300_000

/** Requests to one server, any number of them at a time. */
export interface JsonRpcClient extends Disposable {
  readonly url: string
  /** Body of the response. Throws CommandFailure if there is none or its status is not 200, and ABORTED. */
  post(body: string): Promise<Buffer>
  /** Result of a request. Throws as `post`, and CommandFailure if the server returns an error. */
  request(method: string, params: readonly unknown[]): Promise<unknown>
}

/** The body of a request. */
export function requestBody(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

/** A client of an `http:` server until the signal is aborted. Throws TypeError for another kind of address. */
export function createJsonRpcClient(url: string, signal: AbortSignal): JsonRpcClient {
  if (!URL.canParse(url) || new URL(url).protocol !== 'http:') {
    throw new TypeError(`--against: expected an address such as http://127.0.0.1:8545, got ${url}`)
  }
  const idle: Connection[] = []
  const busy = new Set<Connection>()
  const close = () => {
    for (const connection of [...idle.splice(0), ...busy]) connection.close()
  }
  signal.addEventListener('abort', close, { once: true })
  const late = new Error('no answer within 5 minutes')
  const ask = async (connection: Connection, body: string) => {
    busy.add(connection)
    const timer = setTimeout(() => connection.close(late), answerMilliseconds)
    try {
      return await connection.ask(body)
    } finally {
      clearTimeout(timer)
      busy.delete(connection)
      idle.push(connection)
    }
  }
  /** On a connection that is open already, if there is one. Undefined if the server has closed it. */
  const askAgain = async (body: string) => {
    const connection = idle.pop()
    try {
      return connection?.isOpen ? await ask(connection, body) : undefined
    } catch (error) {
      if (error === late || signal.aborted) throw error
      return undefined
    }
  }
  const post = async (body: string) => {
    throwIfAborted(signal)
    try {
      return (await askAgain(body)) ?? (await ask(await openHttp(url), body))
    } catch (cause) {
      if (signal.aborted) throw abortError(signal)
      const { message, code } = cause as NodeJS.ErrnoException
      throw new CommandFailure(`${url}: ${message || code}`, { cause })
    }
  }
  return {
    url,
    post,
    async request(method, params) {
      const answer = JSON.parse((await post(requestBody(method, params))).toString('utf8')) as JsonRpcAnswer
      if (answer.error) throw new CommandFailure(`${url}: ${method}: ${answer.error.message}`)
      return answer.result
    },
    [Symbol.dispose]() {
      signal.removeEventListener('abort', close)
      close()
    },
  }
}

interface JsonRpcAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}
