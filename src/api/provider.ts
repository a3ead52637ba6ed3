// EIP-1193 over the same dispatcher that the servers use: wallets and libraries talk to a directory without a socket.
import type { ViewSource } from '../datadir/ask.js'
import { Dispatcher } from '../rpc/dispatcher.js'
import { encodeByteText } from '../rpc/json/byte-text.js'
import { JsonRpcError } from '../rpc/json-rpc-error.js'
import { defaultLimits, type Limits } from '../rpc/limits.js'

/** A request as EIP-1193 has it; `params` must be JSON. */
export interface ProviderRequest {
  readonly method: string
  readonly params?: readonly unknown[] | object
}

/** Something with EIP-1193's `request`. Chains in a directory do not change under it, so it emits no events. */
export interface Eip1193Provider {
  /** Result of a method as parsed JSON. Rejects with {@link ProviderRpcError}. */
  request(request: ProviderRequest): Promise<unknown>
}

/** The error of EIP-1193, with the code, text and data of the JSON-RPC error; its cause is what went wrong. */
export class ProviderRpcError extends Error {
  override readonly name = 'ProviderRpcError'
  readonly code: number
  declare readonly data?: unknown

  constructor(error: JsonRpcError) {
    super(error.message, { cause: error.cause ?? error })
    this.code = error.code
    if (error.data !== undefined) this.data = error.data
  }
}

/** A provider that answers from views of a directory. */
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
