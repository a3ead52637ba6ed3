// EIP-1193 over the methods of the server: wallets and libraries send JSON-RPC requests without a socket.
import type { ViewSource } from '../datadir/ask.js'
import { findMethod } from '../rpc/find-method.js'
import { encodeByteText } from '../rpc/json/byte-text.js'
import { stringOfText } from '../rpc/json/json-text.js'
import { toJsonRpcError } from '../rpc/json-rpc-error.js'
import { defaultLimits, type Limits } from '../rpc/limits.js'
import { callTo } from '../rpc/message.js'
import { RequestScope } from '../rpc/request-scope.js'
import { runMethod } from '../rpc/run-method.js'

/** A request of EIP-1193. `params` must be values that JSON can hold. */
export interface ProviderRequest {
  readonly method: string
  readonly params?: readonly unknown[] | object
}

/** A provider of EIP-1193 with the server's JSON-RPC methods. It emits no events. */
export interface Eip1193Provider {
  /** Result of a method as parsed JSON. Throws {@link ProviderRpcError}. */
  request(request: ProviderRequest): Promise<unknown>
}

/** The error of EIP-1193, with code, message and data of the JSON-RPC error. Its `cause` is the error of the library. */
export class ProviderRpcError extends Error {
  override readonly name = 'ProviderRpcError'
  readonly code: number
  declare readonly data?: unknown

  constructor(error: Error & { readonly code: number; readonly data?: unknown }) {
    super(error.message, { cause: error.cause ?? error })
    this.code = error.code
    if (error.data !== undefined) this.data = error.data
  }
}

/** A provider that reads views of a directory. */
export function createProvider(views: ViewSource, limits: Limits = defaultLimits): Eip1193Provider {
  const context = { limits, timeoutMilliseconds: 0, duplex: false }
  return {
    async request({ method, params }) {
      const text = params === undefined ? undefined : encodeByteText(JSON.stringify(params))
      try {
        using scope = new RequestScope(views, context)
        const call = callTo(method, text)
        const result = await runMethod(findMethod(call, context), call, scope)
        return JSON.parse(stringOfText(result)) as unknown
      } catch (error) {
        throw new ProviderRpcError(toJsonRpcError(error))
      }
    },
  }
}
