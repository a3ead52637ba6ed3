// A JSON-RPC client over persistent HTTP connections. It does as little as Node allows, so that servers are measured.
import { Agent, request } from 'node:http'
import { abortError } from '../../stop.js'
import { CommandFailure } from '../exit.js'

/** Time limit for a response. */
const answerMilliseconds = 60_000

/** Requests to one server, any number of them at a time. */
export interface JsonRpcClient extends Disposable {
  readonly url: string
  /** Body of the response. Throws CommandFailure if there is none or its status is not 200, and ABORTED. */
  post(body: string, signal: AbortSignal): Promise<Buffer>
  /** Result of a request. Throws as `post`, and CommandFailure if the server returns an error. */
  request(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
}

/** The body of a request. */
export function requestBody(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

/** A client of an `http:` server. Throws TypeError for another kind of address. */
export function createJsonRpcClient(url: string): JsonRpcClient {
  if (!URL.canParse(url) || new URL(url).protocol !== 'http:') {
    throw new TypeError(`--against: expected an address such as http://127.0.0.1:8545, got ${url}`)
  }
  const agent = new Agent({ keepAlive: true })
  const post = (body: string, signal: AbortSignal) =>
    new Promise<Buffer>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const asked = request(url, { method: 'POST', agent, headers, signal }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', (error) => asked.destroy(error))
        response.on('end', () => {
          const answer = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
          if (response.statusCode === 200) resolve(answer)
          else
            reject(
              new Error(`${url} answered ${response.statusCode} ${answer.toString('utf8').slice(0, 200)}`),
            )
        })
      })
      asked.setTimeout(answerMilliseconds, () => asked.destroy(new Error('no answer within 60 s')))
      asked.on('error', (error: NodeJS.ErrnoException) => {
        const failure = new CommandFailure(`${url}: ${error.message || error.code}`, { cause: error })
        reject(signal.aborted ? abortError(signal) : failure)
      })
      asked.end(body)
    })
  return {
    url,
    post,
    async request(method, params, signal) {
      const answer = JSON.parse(
        (await post(requestBody(method, params), signal)).toString('utf8'),
      ) as JsonRpcAnswer
      if (answer.error) throw new CommandFailure(`${url}: ${method}: ${answer.error.message}`)
      return answer.result
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

interface JsonRpcAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}
