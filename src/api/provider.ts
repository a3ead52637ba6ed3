// EIP-1193 over the dispatcher of the server: wallets and libraries send JSON-RPC requests without a socket.
import type { ViewSource } from '../datadir/ask.js'
import { Dispatcher } from '../rpc/dispatcher.js'
import { encodeByteText } from '../rpc/json/byte-text.js'
import { JsonRpcError } from '../rpc/json-rpc-error.js'
import { defaultLimits, type Limits } from '../rpc/limits.js'

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
  const dispatcher = new Dispatcher(views)
  const context = { limits, timeoutMilliseconds: 0, duplex: false }
  return {
    async request({ method, params }) {
      const text = params === undefined ? undefined : encodeByteText(JSON.stringify(params))
      try {
        return JSON.parse(await dispatcher.call(method, text, context)) as unknown
      } catch (error) {
        if (error instanceof JsonRpcError) throw new ProviderRpcError(error)
        throw error
      }
    },
  }
}
